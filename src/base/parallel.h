/* Work on numbered blocks by several threads, with the outcome of one thread. */
#ifndef GLSHAPE_BASE_PARALLEL_H
#define GLSHAPE_BASE_PARALLEL_H

#include "base/error.h"

typedef struct parallel_job {
    /* Does block i. scratch is the thread's own, of scratch_bytes. */
    glshape_status (*work)(error *err, void *user, uint64_t i, void *scratch);
    void *user;
    uint64_t blocks;
    size_t scratch_bytes;
    const char *name; /* for the GLSHAPE_NO_MEMORY message */
    int threads;      /* at most; 0: one a processor */
    /* Called from the calling thread with from .. to, as the blocks are done; NULL is fine. */
    bool (*progress)(void *user, double fraction);
    void *progress_user;
    double from, to;
} parallel_job;

/* Does all blocks; they are started in order. If some fail, the outcome is that of the first of these, and
 * later ones are not started. GLSHAPE_CANCELLED if progress says so. A thread that cannot be started, or has
 * no memory for its scratch, is done without; but for the calling one. */
glshape_status parallel_run(error *err, const parallel_job *job);

#endif
