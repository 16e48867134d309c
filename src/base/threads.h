/* Work on numbered items, shared out among threads.
 *
 * Items are taken in ascending order, so that those which have been started are always the first ones. The
 * calling thread takes part; threads that the system does not give are done without. */
#ifndef GLSHAPE_BASE_THREADS_H
#define GLSHAPE_BASE_THREADS_H

#include "base/error.h"

/* `threads`, or the number of processors if that is 0; at most 256. */
int threads_count(int threads);

/* Calls work(user, item) once for each item < count, on up to threads_count(threads) threads, and returns
 * when all are done. */
void threads_run(int threads, size_t count, void (*work)(void *user, size_t item), void *user);

/* The same, with the number of the thread: 0 the calling one, the others below threads_count(threads), each
 * its own. Once a call has returned false no further items are taken. */
typedef bool (*threads_work)(void *user, uint64_t item, int thread);
void threads_share(int threads, uint64_t count, threads_work work, void *user);

typedef struct threads_job {
    /* Does block i. scratch is the thread's own, of scratch_bytes. */
    glshape_status (*work)(error *err, void *user, uint64_t i, void *scratch);
    void *user;
    uint64_t blocks;
    size_t scratch_bytes;
    const char *name; /* for the GLSHAPE_NO_MEMORY message */
    int threads;      /* at most, and at most 64; 0: one a processor */
    /* Called from the calling thread with from .. to, as the blocks are done, and with `to` once all are,
     * whichever threads have done them; NULL is fine. */
    bool (*progress)(void *user, double fraction);
    void *progress_user;
    double from, to;
} threads_job;

/* Does all blocks, with the outcome of one thread: if some fail, that of the first of these, and later ones
 * are not started. GLSHAPE_CANCELLED if progress says so. A thread without memory for its scratch is done
 * without; but for the calling one. */
glshape_status threads_do(error *err, const threads_job *job);

#endif
