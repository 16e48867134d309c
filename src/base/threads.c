#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST = 256 };

typedef struct shared {
    size_t count;
    void (*work)(void *user, size_t item);
    void *user;
    atomic_size_t next;
} shared;

static void *run_items(void *of) {
    shared *run = of;
    for (size_t k; (k = atomic_fetch_add(&run->next, 1)) < run->count;) run->work(run->user, k);
    return NULL;
}

int threads_count(int threads) {
    long count = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MOST ? MOST : (int)count;
}

void threads_run(int threads, size_t count, void (*work)(void *user, size_t item), void *user) {
    shared run = {.count = count, .work = work, .user = user};
    pthread_t thread[MOST];
    size_t more = 0, wanted = (size_t)threads_count(threads);
    if (wanted > count) wanted = count;
    atomic_init(&run.next, 0);
    while (more + 1 < wanted && !pthread_create(&thread[more], NULL, run_items, &run)) more++;
    run_items(&run);
    while (more) pthread_join(thread[--more], NULL);
}
