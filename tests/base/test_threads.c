/* Items shared out among threads: each once, in order, with the outcome of one thread. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/owned.h"
#include "base/threads.h"
#include "suites.h"

Suite *base_threads_suite(void);

enum { ITEMS = 500, THREADS = 4 };

static void pause_a_little(void) { nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL); }

/* ---- items ------------------------------------------------------------------------------------- */

/* What happened, written by many threads: asserted by one. */
typedef struct record {
    atomic_int runs[ITEMS];
    int64_t last[THREADS]; /* item that a thread ran, + 1 */
    pthread_t who[THREADS];
    atomic_int wrong; /* numbers of two threads, items out of order */
    uint64_t end;     /* the item that ends it */
} record;

static bool run_item(void *user, uint64_t item, int thread) {
    record *r = user;
    r->runs[item]++;
    if (thread < 0 || thread >= THREADS) abort();
    if (r->last[thread] && !pthread_equal(r->who[thread], pthread_self())) r->wrong++;
    if ((int64_t)item < r->last[thread]) r->wrong++;
    r->last[thread] = (int64_t)item + 1;
    r->who[thread] = pthread_self();
    pause_a_little();
    return item != r->end;
}

static bool count_item(void *user, uint64_t item, int thread) {
    record *r = user;
    (void)thread;
    r->runs[item]++;
    return true;
}

START_TEST(every_item_is_done_once) {
    record r = {.end = ITEMS};
    threads_share(THREADS, ITEMS, run_item, &r);
    ck_assert_int_eq(r.wrong, 0);
    for (int k = 0; k < ITEMS; k++) ck_assert_int_eq(r.runs[k], 1);
    if (r.last[0]) ck_assert(pthread_equal(r.who[0], pthread_self()));
    for (int a = 0; a < THREADS; a++)
        for (int b = 0; b < a; b++)
            if (r.last[a] && r.last[b]) ck_assert(!pthread_equal(r.who[a], r.who[b]));
}
END_TEST

START_TEST(team_does_many_runs) {
    threads_team *team = threads_team_new(THREADS);
    ck_assert_ptr_nonnull(team);
    ck_assert_int_eq(threads_team_size(team), THREADS);
    for (uint64_t run = 0; run < 3000; run++) {
        record r = {.end = ITEMS};
        uint64_t count = run % 40 ? run % 7 : 60;
        if (run % 500 == 1) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* all sleep by then */
        threads_team_share(team, count, run % 40 ? count_item : run_item, &r);
        for (uint64_t k = 0; k < ITEMS; k++) r.wrong += r.runs[k] != (k < count);
        ck_assert_int_eq(r.wrong, 0);
    }
    threads_team_free(team);
    threads_team_free(NULL);
}
END_TEST

START_TEST(none_is_taken_after_the_end) {
    for (int threads = 1; threads <= THREADS; threads++) {
        record r = {.end = 40};
        int done = 0;
        threads_share(threads, ITEMS, run_item, &r);
        while (done < ITEMS && r.runs[done]) done++;
        ck_assert_int_gt(done, 40);
        if (threads == 1) ck_assert_int_eq(done, 41);
        for (int k = 0; k < ITEMS; k++) ck_assert_int_eq(r.runs[k], k < done);
    }
}
END_TEST

typedef struct marks {
    atomic_int *done; /* of each item, how often */
} marks;

static void mark_range(void *user, size_t first, size_t end) {
    const marks *m = user;
    for (size_t k = first; k < end; k++) m->done[k]++;
}

START_TEST(ranges_are_all) {
    static const size_t counts[] = {0, 1, 16383, 16384, 16385, 100000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        marks m = {calloc(counts[c] + 1, sizeof *m.done)};
        size_t wrong = 0;
        threads_ranges(counts[c], mark_range, &m);
        for (size_t k = 0; k <= counts[c]; k++) wrong += m.done[k] != (k < counts[c]);
        ck_assert_uint_eq(wrong, 0);
        free((void *)m.done);
    }
}
END_TEST

START_TEST(touched_memory_stays) {
    static const size_t sizes[] = {0, 1, 4096, (2 << 20) - 1, 2 << 20, (6 << 20) + 5};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        unsigned char *memory = malloc(sizes[c] + 1);
        size_t wrong = 0;
        for (size_t k = 0; k <= sizes[c]; k++) memory[k] = (unsigned char)(k % 251);
        threads_touch(memory, sizes[c]);
        for (size_t k = 0; k <= sizes[c]; k++) wrong += memory[k] != k % 251;
        ck_assert_uint_eq(wrong, 0);
        free(memory);
    }
}
END_TEST

START_TEST(memory_is_touched_aside) {
    enum { BYTES = (6 << 20) + 5 };
    unsigned char *memory = calloc(2, BYTES);
    const threads_block blocks[THREADS_BLOCKS] = {{memory, BYTES}, {memory + BYTES, BYTES}};
    for (int turn = 0; turn < 2; turn++) {
        size_t wrong = 0;
        threads_touching *t = threads_touch_aside(blocks);
        ck_assert_ptr_nonnull(t);
        threads_touched(&t);
        threads_touched(&t); /* it has been waited for */
        ck_assert_ptr_null(t);
        for (size_t k = 0; k < 2 * (size_t)BYTES; k++) wrong += memory[k] != (turn ? k % 251 : 0);
        ck_assert_uint_eq(wrong, 0);
        for (size_t k = 0; k < 2 * (size_t)BYTES; k++) memory[k] = (unsigned char)(k % 251);
    }
    free(memory);
}
END_TEST

/* Items that go on until they are told to stop, which the watching thread does. */
typedef struct watched {
    atomic_int begun, looks, wrong;
    atomic_bool stop;
    pthread_t caller;
} watched;

static bool wait_to_stop(void *user, uint64_t item, int thread) {
    watched *w = user;
    (void)item, (void)thread;
    w->wrong += pthread_equal(pthread_self(), w->caller) != 0;
    atomic_fetch_add(&w->begun, 1);
    while (!atomic_load(&w->stop)) pause_a_little();
    return false;
}

static void look(void *user) {
    watched *w = user;
    w->wrong += pthread_equal(pthread_self(), w->caller) == 0;
    if (atomic_fetch_add(&w->looks, 1) == 2) atomic_store(&w->stop, true);
}

START_TEST(watched_items_are_stopped) {
    watched w = {.caller = pthread_self()};
    threads_watch(1000, wait_to_stop, look, &w);
    ck_assert(!w.wrong && w.looks >= 3);
    ck_assert(w.begun >= 1 && w.begun <= THREADS_MOST);
}
END_TEST

START_TEST(no_items_are_no_work) { threads_share(THREADS, 0, run_item, NULL); }
END_TEST

static bool share_items(void *user, uint64_t item, int thread) {
    (void)item, (void)thread;
    threads_share(THREADS, 8, count_item, user);
    return true;
}

static void *share_many(void *user) {
    for (int k = 0; k < 50; k++) threads_share(THREADS, 8, share_items, user);
    return NULL;
}

/* Runs within runs, and of several callers at once. */
START_TEST(runs_within_runs) {
    record r = {.end = ITEMS};
    pthread_t callers[5];
    for (int k = 0; k < 5; k++) ck_assert(!pthread_create(&callers[k], NULL, share_many, &r));
    for (int k = 0; k < 5; k++) pthread_join(callers[k], NULL);
    for (int k = 0; k < 8; k++) ck_assert_int_eq(r.runs[k], 5 * 50 * 8);
}
END_TEST

/* A process that forks has threads in its copy, too. */
START_TEST(a_copy_has_threads) {
    record r = {.end = ITEMS};
    threads_share(THREADS, ITEMS, run_item, &r);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        record own = {.end = ITEMS};
        signal(SIGALRM, SIG_DFL); /* Check's own handler ends the processes of the whole group */
        alarm(60);
        threads_share(THREADS, ITEMS, run_item, &own);
        bool several = false;
        for (int t = 1; t < THREADS; t++) several |= own.last[t] != 0;
        _exit(own.wrong || !several);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
}
END_TEST

static volatile pthread_t caught_by;
static void take_signal(int signal) {
    (void)signal;
    caught_by = pthread_self();
}

/* Threads that rest leave signals to the program's own, and to those of drivers. */
START_TEST(signals_are_not_of_helpers) {
    record r = {.end = ITEMS};
    threads_share(THREADS, ITEMS, run_item, &r);
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    signal(SIGTERM, take_signal);
    pthread_sigmask(SIG_BLOCK, &term, &before);
    ck_assert(!kill(getpid(), SIGTERM));
    for (int k = 0; k < 20; k++) pause_a_little();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int k = 0; k < 100 && !caught_by; k++) pause_a_little();
    ck_assert(caught_by);
    for (int t = 1; t < THREADS; t++) ck_assert(!r.last[t] || !pthread_equal(caught_by, r.who[t]));
    signal(SIGTERM, SIG_DFL);
}
END_TEST

/* ---- jobs -------------------------------------------------------------------------------------- */

typedef struct blocks {
    uint64_t bad; /* this one fails, late, and all above it fail at once */
    atomic_int shared, done;
    pthread_t caller;
    atomic_int reports;
    int stop_at;    /* the report that says stop: until then other threads wait */
    bool elsewhere; /* a report came from another thread */
    double last;
} blocks;

static glshape_status do_block(error *err, void *user, uint64_t i, void *scratch) {
    blocks *b = user;
    atomic_int *busy = scratch;
    if (atomic_exchange(busy, 1)) b->shared++;
    for (int k = 0; k < (i == b->bad ? 50 : 1); k++) pause_a_little();
    while (b->reports < b->stop_at && !pthread_equal(b->caller, pthread_self())) pause_a_little();
    b->done++;
    *busy = 0;
    return i < b->bad ? GLSHAPE_OK : fail(err, GLSHAPE_BAD_INPUT, "block %d", (int)i);
}

static bool on_progress(void *user, double fraction) {
    blocks *b = user;
    b->elsewhere |= !pthread_equal(b->caller, pthread_self());
    if (!(fraction > b->last && fraction <= 0.75)) b->elsewhere = true;
    b->last = fraction;
    return ++b->reports != b->stop_at;
}

/* threads: negative, a team of so many does it. */
static glshape_status run_blocks(error *err, blocks *b, int threads) {
    OWNED_BY(threads_team_end) threads_team *team = threads < 0 ? threads_team_new(-threads) : NULL;
    threads_job job = {.work = do_block,
                       .user = b,
                       .blocks = 200,
                       .scratch_bytes = sizeof(atomic_int),
                       .name = "a scratch",
                       .threads = threads < 0 ? 0 : threads,
                       .team = team,
                       .progress = on_progress,
                       .progress_user = b,
                       .from = 0.25,
                       .to = 0.75};
    b->caller = pthread_self();
    b->last = 0.25;
    return threads_do(err, &job);
}

START_TEST(all_blocks_are_done) {
    for (int threads = -THREADS; threads <= THREADS; threads++) {
        error err = {0};
        blocks b = {.bad = 200};
        OK(&err, run_blocks(&err, &b, threads));
        ck_assert_int_eq(b.done, 200);
        ck_assert_int_eq(b.shared, 0);
        ck_assert(!b.elsewhere);
        if (threads == 1) ck_assert_int_eq(b.reports, 200);
        ck_assert_double_eq(b.last, 0.75);
    }
}
END_TEST

START_TEST(the_first_failure_is_the_outcome) {
    for (int threads = -THREADS; threads <= THREADS; threads++) {
        error err = {0};
        blocks b = {.bad = 17};
        ck_assert_int_eq(run_blocks(&err, &b, threads), GLSHAPE_BAD_INPUT);
        ck_assert_str_eq(err.text, "block 17");
        if (threads) ck_assert_int_lt(b.done, 18 + abs(threads));
    }
}
END_TEST

START_TEST(progress_can_stop_it) {
    for (int threads = 1; threads <= THREADS; threads++) {
        error err = {0};
        blocks b = {.bad = 200, .stop_at = 3};
        ck_assert_int_eq(run_blocks(&err, &b, threads), GLSHAPE_CANCELLED);
        ck_assert_int_eq(b.reports, 3);
        if (threads == 1) ck_assert_int_eq(b.done, 3);
    }
}
END_TEST

/* Two blocks, one a thread; the other thread's ends after the caller's has been reported. */
static glshape_status end_elsewhere(error *err, void *user, uint64_t i, void *scratch) {
    (void)err, (void)i, (void)scratch;
    blocks *b = user;
    bool caller = pthread_equal(b->caller, pthread_self());
    if (!caller) b->shared = 1;
    while (caller ? !b->shared : !b->reports) pause_a_little();
    return GLSHAPE_OK;
}

START_TEST(progress_is_asked_when_another_thread_ends_it) {
    error err = {0};
    blocks b = {.stop_at = 2, .caller = pthread_self()};
    threads_job job = {.work = end_elsewhere,
                       .user = &b,
                       .blocks = 2,
                       .scratch_bytes = 1,
                       .threads = 2,
                       .progress = on_progress,
                       .progress_user = &b,
                       .to = 0.75};
    ck_assert_int_eq(threads_do(&err, &job), GLSHAPE_CANCELLED);
    ck_assert_int_eq(b.reports, 2);
    ck_assert_double_eq(b.last, 0.75);
}
END_TEST

/* A team of more threads than a job has scratches for: the rest takes no part. */
START_TEST(no_more_threads_than_scratches) {
    error err = {0};
    blocks b = {.bad = 200};
    for (int run = 0; run < 20; run++) OK(&err, run_blocks(&err, &b, -100));
    ck_assert_int_eq(b.done, 20 * 200);
    ck_assert_int_eq(b.shared, 0);
}
END_TEST

START_TEST(a_scratch_needs_memory) {
    error err = {0};
    threads_job job = {
        .work = do_block, .blocks = 3, .scratch_bytes = SIZE_MAX, .name = "a scratch", .threads = 2};
    FAILS(&err, GLSHAPE_NO_MEMORY, threads_do(&err, &job), "a scratch");
}
END_TEST

Suite *base_threads_suite(void) {
    Suite *suite = suite_create("base/threads");
    TCase *t = tcase_create("threads");
    tcase_add_test(t, every_item_is_done_once);
    tcase_add_test(t, team_does_many_runs);
    tcase_add_test(t, none_is_taken_after_the_end);
    tcase_add_test(t, ranges_are_all);
    tcase_add_test(t, touched_memory_stays);
    tcase_add_test(t, memory_is_touched_aside);
    tcase_add_test(t, watched_items_are_stopped);
    tcase_add_test(t, no_items_are_no_work);
    tcase_add_test(t, runs_within_runs);
    tcase_add_test(t, a_copy_has_threads);
    tcase_add_test(t, signals_are_not_of_helpers);
    tcase_add_test(t, all_blocks_are_done);
    tcase_add_test(t, the_first_failure_is_the_outcome);
    tcase_add_test(t, progress_can_stop_it);
    tcase_add_test(t, progress_is_asked_when_another_thread_ends_it);
    tcase_add_test(t, no_more_threads_than_scratches);
    tcase_add_test(t, a_scratch_needs_memory);
    suite_add_tcase(suite, t);
    return suite;
}
