/* Work on numbered items, shared among threads.
 *
 * Threads take items in ascending order: the items that have been started are always the first ones. The
 * calling thread takes part. If the system starts fewer threads than wanted, those that there are do all the
 * work. */
#ifndef GLSHAPE_BASE_THREADS_H
#define GLSHAPE_BASE_THREADS_H

#include "base/error.h"

enum { THREADS_MOST = 256 };

/* `threads`, or if that is 0 the number that the environment gives as GLSHAPE_THREADS, or the number of
 * processors that this process may use; at most THREADS_MOST. */
int threads_count(int threads);
/* So many processes share the processors of the machine: from now on each counts on its part of them. */
void threads_divide(int among);

/* Calls work(user, item) once for each item < count, on up to threads_count(threads) threads. Returns when
 * all items are done. */
void threads_run(int threads, size_t count, void (*work)(void *user, size_t item), void *user);

/* The same; work also gets the number of its thread, which is 0 for the calling one and below
 * threads_count(threads) for the others. Once work has returned false, no thread takes another item. */
typedef bool (*threads_work)(void *user, uint64_t item, int thread);
void threads_share(int threads, uint64_t count, threads_work work, void *user);

/* The same for items that may take long, by threads beside the calling one, which calls watch(user) some
 * twenty times a second until they are done: it may show progress, and tell `work` to stop. If the system
 * starts no thread, watch is not called. */
void threads_watch(uint64_t count, threads_work work, void (*watch)(void *user), void *user);

/* Begins work(user) on a thread beside the caller's. NULL: there is no such thread, and nothing was done. */
typedef struct threads_aside threads_aside;
threads_aside *threads_begin_aside(void (*work)(void *user), void *user);
/* Waits for its end; *a becomes NULL. */
void threads_end_aside(threads_aside **a);

/* Has the system give a block of memory its pages, on all processors: else it does so at the first use of
 * each, while a copy waits. */
void threads_touch(void *memory, size_t bytes);

/* Begins the same for several blocks, on a thread beside the caller's. NULL: there is no such thread, and
 * nothing was done. */
typedef struct threads_block {
    void *memory;
    size_t bytes;
} threads_block;
enum { THREADS_BLOCKS = 5 };
typedef struct threads_touching threads_touching;
threads_touching *threads_touch_aside(const threads_block blocks[THREADS_BLOCKS]);
/* Waits for it, before the blocks are used; *t becomes NULL. */
void threads_touched(threads_touching **t);

/* Calls work(user, first, end) for ranges that make up 0 … count - 1, on all processors. */
void threads_ranges(size_t count, void (*work)(void *user, size_t first, size_t end), void *user);

/* Threads that stay for many short runs, one after another: to start and to end threads takes longer than to
 * wake these. They wait busily for some 0.1 ms, then asleep. */
typedef struct threads_team threads_team;

/* Starts a team of threads_count(threads), the calling one among them. NULL: not enough memory. */
threads_team *threads_team_new(int threads);
/* The same for runs of so many items: no more threads than these, or than one a processor. */
threads_team *threads_team_for(uint64_t items);
int threads_team_size(const threads_team *team);
/* As threads_share() and threads_run(), by the team; NULL: by all processors. One run at a time. */
void threads_team_share(threads_team *team, uint64_t count, threads_work work, void *user);
void threads_team_run(threads_team *team, size_t count, void (*work)(void *user, size_t item), void *user);
void threads_team_free(threads_team *team); /* NULL is fine */
/* The same for OWNED_BY. */
static inline void threads_team_end(threads_team **team) { threads_team_free(*team); }

typedef struct threads_job {
    /* Does block i. scratch is the thread's own, of scratch_bytes. */
    glshape_status (*work)(error *err, void *user, uint64_t i, void *scratch);
    void *user;
    uint64_t blocks;
    size_t scratch_bytes;
    const char *name;   /* for the GLSHAPE_NO_MEMORY message */
    int threads;        /* at most, and at most 64; 0: one a processor */
    threads_team *team; /* that does it; NULL: threads that are started for it */
    /* Called in the calling thread with numbers from `from` to `to` while blocks are done, and with `to` once
     * all are done. May be NULL. */
    bool (*progress)(void *user, double fraction);
    void *progress_user;
    double from, to;
} threads_job;

/* Does all blocks. If some fail, returns the failure of the first of them, as one thread would; later blocks
 * are then not started. GLSHAPE_CANCELLED if progress returns false. GLSHAPE_NO_MEMORY if there is none for
 * the scratch of the calling thread; other threads without scratch are not used. */
glshape_status threads_do(error *err, const threads_job *job);

#endif
