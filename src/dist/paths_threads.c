#include <pthread.h>
#include <stdatomic.h>

#include "dist/paths.h"
#include "dist/paths_search.h"

enum { MOST_MORE = 255 };

/* What all threads of a run share. */
typedef struct shared {
    paths_scratch *scratch;
    size_t count;
    paths_work work;
    void *user;
    atomic_size_t next;  /* item */
    atomic_size_t ready; /* the next scratch that no thread has */
} shared;

static void *run_items(void *of) {
    shared *run = of;
    paths_scratch *scratch = &run->scratch[atomic_fetch_add(&run->ready, 1)];
    for (size_t k; (k = atomic_fetch_add(&run->next, 1)) < run->count;) run->work(run->user, k, scratch);
    return NULL;
}

void paths_run(paths_scratch *scratch, int threads, size_t count, paths_work work, void *user) {
    shared run = {.scratch = scratch, .count = count, .work = work, .user = user};
    pthread_t thread[MOST_MORE];
    size_t more = 0, wanted = (size_t)threads < count ? (size_t)threads : count;
    atomic_init(&run.next, 0);
    atomic_init(&run.ready, 0);
    while (more + 1 < wanted && more < MOST_MORE && !pthread_create(&thread[more], NULL, run_items, &run))
        more++;
    run_items(&run);
    while (more) pthread_join(thread[--more], NULL);
}
