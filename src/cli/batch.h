/* Many inputs as one job: each gets an output of its own, and one that fails does not take the others along.
 */
#ifndef GLSHAPE_CLI_BATCH_H
#define GLSHAPE_CLI_BATCH_H

#include "cli/session.h"
#include "ranks/ranks.h"

/* The files of a job. Zeroed it is empty and may be freed. */
typedef struct batch {
    size_t count;
    char **inputs, **outputs; /* count of each */
    char *list;               /* the text of --batch, which inputs may point into */
} batch;

/* What a command does with each input. An item is the command's own struct, which begins with its session;
 * the input, the output and the context of that session are the item's. */
typedef struct batch_job {
    session *s;
    const ranks *ranks; /* who share the work; NULL: all */
    size_t item_bytes;
    int threads;                                 /* as threads_count() takes it */
    void (*begin)(const session *s, void *item); /* fills a zeroed item, but for input, output and context */
    /* On any thread; the item's context is open. What is written is held, and is a file in the order of
     * inputs. After end there is still the session's error. */
    glshape_status (*compute)(void *item);
    glshape_status (*write)(void *item);
    void (*end)(void *item);
} batch_job;

/* Returns true if the command line asks for a job of many inputs: by their number, by a list, or by -o, which
 * names a folder ("results/") or has a star for the inputs' names. */
bool batch_is_wanted(const session *s, const char *list);
/* Lists the files of the job: inputs of the command line, then those in list, a line each. "results/" has
 * the extension given. Makes the folder. Refuses two outputs of one name, an output that is an
 * input, and standard streams. */
glshape_status batch_list(session *s, const char *list, const char *extension, batch *b);
/* Does the job: contexts are opened once, one a thread, and memory holds a few items at a time. Prints the
 * sentence of each input that fails, and goes on; returns GLSHAPE_BAD_INPUT if there were any. */
glshape_status batch_run(const batch_job *job, const batch *b);
void batch_free(batch *b);

#endif
