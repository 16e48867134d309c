#include "base/parallel.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

enum { MOST_THREADS = 64 };

typedef struct team {
    const parallel_job *job;
    pthread_mutex_t lock; /* of all below */
    uint64_t next, done;
    bool stopped;
    glshape_status status;
    uint64_t failed; /* the first block that failed, if status says so */
    error err;
} team;

static bool take(team *t, uint64_t *i) {
    pthread_mutex_lock(&t->lock);
    bool more = !t->stopped && t->next < t->job->blocks;
    if (more) *i = t->next++;
    pthread_mutex_unlock(&t->lock);
    return more;
}

/* Blocks before a failed one have been taken, so that the first failure is always found. */
static void record(team *t, uint64_t i, glshape_status status, const error *err) {
    pthread_mutex_lock(&t->lock);
    t->done++;
    if (status && (!t->status || i < t->failed)) {
        t->status = status;
        t->failed = i;
        t->err = *err;
    }
    t->stopped |= status != GLSHAPE_OK;
    pthread_mutex_unlock(&t->lock);
}

static void report(team *t) {
    const parallel_job *job = t->job;
    if (!job->progress) return;
    pthread_mutex_lock(&t->lock);
    double fraction = job->from + (job->to - job->from) * (double)t->done / (double)job->blocks;
    bool ended = t->stopped;
    pthread_mutex_unlock(&t->lock);
    if (ended || job->progress(job->progress_user, fraction)) return;
    error err;
    glshape_status status = fail(&err, GLSHAPE_CANCELLED, "cancelled");
    pthread_mutex_lock(&t->lock);
    t->stopped = true;
    if (!t->status) {
        t->status = status;
        t->failed = UINT64_MAX;
        t->err = err;
    }
    pthread_mutex_unlock(&t->lock);
}

static void work(team *t, void *scratch, bool reports) {
    error err = {.status = GLSHAPE_OK};
    for (uint64_t i; take(t, &i);) {
        glshape_status status = t->job->work(&err, t->job->user, i, scratch);
        record(t, i, status, &err);
        if (reports) report(t);
    }
}

static void *helper(void *user) {
    team *t = user;
    void *scratch;
    if (allocate(NULL, &scratch, t->job->scratch_bytes, 1, t->job->name) != GLSHAPE_OK) return NULL;
    work(t, scratch, false);
    free(scratch);
    return NULL;
}

static int count_threads(const parallel_job *job) {
    long count = job->threads > 0 ? job->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (count > MOST_THREADS) count = MOST_THREADS;
    if ((uint64_t)(count > 0 ? count : 1) > job->blocks) count = (long)job->blocks;
    return count > 1 ? (int)count : 1;
}

glshape_status parallel_run(error *err, const parallel_job *job) {
    team t = {.job = job, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[MOST_THREADS];
    void *scratch;
    TRY(allocate(err, &scratch, job->scratch_bytes, 1, job->name));
    int wanted = count_threads(job) - 1, started = 0;
    while (started < wanted && !pthread_create(&threads[started], NULL, helper, &t)) started++;
    work(&t, scratch, true);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&t.lock);
    free(scratch);
    return t.status ? fail(err, t.status, "%s", t.err.text) : GLSHAPE_OK;
}
