#define _GNU_SOURCE /* sched_getaffinity() */
#include "base/threads.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"

enum { MOST_SCRATCHES = 64 };
enum { APART = 128 }; /* bytes between two scratches: they share no line of a cache */

static atomic_int processes = 1; /* that share the processors; threads that touch memory ask meanwhile */

void threads_divide(int among) { processes = among; }

/* What the system says of processors. It is asked once: it may look into files for it. */
typedef struct processors {
    long machine; /* those of the machine … */
    long own;     /* … and those of them that this process may use */
    long wanted;  /* the number that GLSHAPE_THREADS gives in place of both; 0: none */
} processors;

static processors system_processors;

static void ask_system(void) {
    const char *wanted = getenv("GLSHAPE_THREADS");
    cpu_set_t set;
    processors p = {.machine = sysconf(_SC_NPROCESSORS_ONLN), .own = LONG_MAX};
    if (!sched_getaffinity(0, sizeof set, &set)) p.own = CPU_COUNT(&set);
    if (wanted) p.wanted = atol(wanted);
    system_processors = p;
}

static processors ask_once(void) {
    static pthread_once_t asked = PTHREAD_ONCE_INIT;
    pthread_once(&asked, ask_system);
    return system_processors;
}

/* Those that this process has for itself. */
static long own_processors(const processors *p) {
    long part = p->machine / processes;
    return part < p->own ? part : p->own;
}

int threads_count(int threads) {
    processors p = ask_once();
    long count = p.wanted > 0 ? p.wanted : own_processors(&p);
    if (threads > 0) count = threads;
    return count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : (int)count;
}

/* ---- items ------------------------------------------------------------------------------------- */

typedef struct shared {
    uint64_t count;
    threads_work work;
    void *user;
    _Atomic uint64_t next;
    int most;           /* threads that take part */
    atomic_int threads; /* that have a number */
    atomic_bool stopped;
    int wanted, called,
        inside; /* helpers: of those called, some are not there any more; under the lock below */
    pthread_cond_t left;
} shared;

static bool has_items(const shared *run) { return run->next < run->count && !run->stopped; }

/* An item that a thread has taken is always done. */
static void take_items(shared *run, int thread) {
    for (uint64_t k; thread < run->most && !run->stopped && (k = run->next++) < run->count;)
        if (!run->work(run->user, k, thread)) run->stopped = true;
}

/* Helpers are threads that stay, because to start and to end some for each run takes longer than short runs
 * do. A helper that has begun calls others while there are items; one that was called and has not begun when
 * all items are taken need not come. So few wake for what one thread does sooner, and where there are more
 * threads than processors. */
typedef struct helper {
    shared *run; /* what it is called to; NULL: it rests */
    bool begun;
    pthread_cond_t called;
} helper;

enum { CALLS = 3 }; /* by one thread */

static helper helpers[THREADS_MOST];
static int helper_count;
static pthread_mutex_t helpers_lock = PTHREAD_MUTEX_INITIALIZER;

static void *help(void *of);

/* Signals are for the program's own threads. Those that an instruction raises are its thread's. */
static bool start_helper(helper *h) {
    sigset_t others, before;
    pthread_t thread;
    sigfillset(&others);
    const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) sigdelset(&others, own[k]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    bool started = !pthread_cond_init(&h->called, NULL) && !pthread_create(&thread, NULL, help, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) pthread_detach(thread);
    return started;
}

/* One that rests, or a new one; NULL: there is none. */
static helper *find_helper(void) {
    for (int k = 0; k < helper_count; k++)
        if (!helpers[k].run) return &helpers[k];
    if (helper_count == THREADS_MOST || !start_helper(&helpers[helper_count])) return NULL;
    return &helpers[helper_count++];
}

static void call_helpers(shared *run) {
    pthread_mutex_lock(&helpers_lock);
    for (int k = 0; k < CALLS && run->called < run->wanted && has_items(run); k++) {
        helper *h = find_helper();
        if (!h) break;
        h->run = run;
        h->begun = false;
        run->called++;
        run->inside++;
        pthread_cond_signal(&h->called);
    }
    pthread_mutex_unlock(&helpers_lock);
}

static void *help(void *of) {
    helper *h = of;
    pthread_mutex_lock(&helpers_lock);
    for (;;) {
        while (!h->run) pthread_cond_wait(&h->called, &helpers_lock);
        shared *run = h->run;
        h->begun = true;
        pthread_mutex_unlock(&helpers_lock);
        call_helpers(run);
        take_items(run, run->threads++);
        pthread_mutex_lock(&helpers_lock);
        h->run = NULL;
        if (!--run->inside) pthread_cond_signal(&run->left);
    }
    return NULL;
}

/* Waits for the helpers that have begun. */
static void dismiss_helpers(shared *run) {
    pthread_mutex_lock(&helpers_lock);
    for (int k = 0; k < helper_count && run->inside; k++)
        if (helpers[k].run == run && !helpers[k].begun) {
            helpers[k].run = NULL;
            run->inside--;
        }
    while (run->inside) pthread_cond_wait(&run->left, &helpers_lock);
    pthread_mutex_unlock(&helpers_lock);
}

/* A process that forks has no helpers in its copy. */
static void before_fork(void) { pthread_mutex_lock(&helpers_lock); }
static void after_fork(void) { pthread_mutex_unlock(&helpers_lock); }
static void in_copy(void) {
    memset(helpers, 0, sizeof helpers);
    helper_count = 0;
    pthread_mutex_init(&helpers_lock, NULL);
}
static void mind_forks(void) { pthread_atfork(before_fork, after_fork, in_copy); }

void threads_share(int threads, uint64_t count, threads_work work, void *user) {
    static pthread_once_t minded = PTHREAD_ONCE_INIT;
    shared run = {.count = count, .work = work, .user = user, .most = THREADS_MOST, .threads = 1};
    uint64_t wanted = (uint64_t)threads_count(threads);
    if (wanted > count) wanted = count;
    if (wanted < 2) {
        take_items(&run, 0);
        return;
    }
    run.wanted = (int)wanted - 1;
    pthread_once(&minded, mind_forks);
    pthread_cond_init(&run.left, NULL);
    call_helpers(&run);
    take_items(&run, 0);
    dismiss_helpers(&run);
    pthread_cond_destroy(&run.left);
}

typedef struct watched {
    uint64_t count;
    threads_work work;
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
} watched;

static void *share_watched(void *user) {
    watched *w = user;
    threads_share(0, w->count, w->work, w->user);
    pthread_mutex_lock(&w->lock);
    w->is_done = true;
    pthread_cond_signal(&w->done);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

void threads_watch(uint64_t count, threads_work work, void (*watch)(void *user), void *user) {
    enum { PAUSE = 50000000 }; /* nanoseconds */
    watched w = {count, work, user, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    pthread_t thread;
    if (pthread_create(&thread, NULL, share_watched, &w)) {
        threads_share(0, count, work, user);
        return;
    }
    pthread_mutex_lock(&w.lock);
    while (!w.is_done) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PAUSE;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&w.done, &w.lock, &until)) {
            pthread_mutex_unlock(&w.lock);
            watch(user);
            pthread_mutex_lock(&w.lock);
        }
    }
    pthread_mutex_unlock(&w.lock);
    pthread_join(thread, NULL);
}

typedef struct plain {
    void (*work)(void *user, size_t item);
    void *user;
} plain;

static bool do_plain(void *user, uint64_t item, int thread) {
    (void)thread;
    const plain *p = user;
    p->work(p->user, (size_t)item);
    return true;
}

void threads_run(int threads, size_t count, void (*work)(void *user, size_t item), void *user) {
    threads_share(threads, count, do_plain, &(plain){work, user});
}

enum { RANGE = 16384 };

typedef struct ranges {
    size_t count;
    void (*work)(void *user, size_t first, size_t end);
    void *user;
} ranges;

static void do_range(void *user, size_t item) {
    const ranges *r = user;
    size_t first = item * RANGE, left = r->count - first;
    r->work(r->user, first, first + (left < RANGE ? left : RANGE));
}

void threads_ranges(size_t count, void (*work)(void *user, size_t first, size_t end), void *user) {
    threads_run(0, (count + RANGE - 1) / RANGE, do_range, &(ranges){count, work, user});
}

enum { PAGE = 4096, TOUCHED = 2 << 20 }; /* bytes: of a page, at least; of an item, as of a large page */

/* Writes a zero where a zero is. To read first would take three times as long: the system would give each
 * page twice. */
static void touch_pages(void *user, size_t item) {
    const threads_block *b = user;
    char *memory = b->memory;
    size_t first = item * TOUCHED, left = b->bytes - first, count = left < TOUCHED ? left : TOUCHED;
    for (size_t at = first; at < first + count; at += PAGE) {
        char zero = 0;
        atomic_compare_exchange_strong((_Atomic char *)&memory[at], &zero, 0);
    }
}

void threads_touch(void *memory, size_t bytes) {
    threads_run(0, (bytes + TOUCHED - 1) / TOUCHED, touch_pages, &(threads_block){memory, bytes});
}

struct threads_aside {
    pthread_t thread;
    void (*work)(void *user);
    void *user;
};

static void *work_aside(void *of) {
    const struct threads_aside *a = of;
    a->work(a->user);
    return NULL;
}

threads_aside *threads_begin_aside(void (*work)(void *user), void *user) {
    threads_aside *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (threads_aside){.work = work, .user = user};
    if (!pthread_create(&a->thread, NULL, work_aside, a)) return a;
    free(a);
    return NULL;
}

void threads_end_aside(threads_aside **a) {
    if (*a) pthread_join((*a)->thread, NULL);
    free(*a);
    *a = NULL;
}

struct threads_touching {
    threads_aside *aside;
    threads_block blocks[THREADS_BLOCKS];
};

static void touch_blocks(void *touching) {
    const struct threads_touching *t = touching;
    for (int i = 0; i < THREADS_BLOCKS; i++) threads_touch(t->blocks[i].memory, t->blocks[i].bytes);
}

threads_touching *threads_touch_aside(const threads_block blocks[THREADS_BLOCKS]) {
    threads_touching *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    memcpy(t->blocks, blocks, sizeof t->blocks);
    t->aside = threads_begin_aside(touch_blocks, t);
    if (t->aside) return t;
    free(t);
    return NULL;
}

void threads_touched(threads_touching **t) {
    if (*t) threads_end_aside(&(*t)->aside);
    free(*t);
    *t = NULL;
}

/* ---- teams ------------------------------------------------------------------------------------- */

enum {
    TRIES = 300
}; /* to find work, before a thread sleeps; none if another thread may need its processor */

/* A thread that is awake takes no lock. Whoever is about to sleep says so before it looks for the last time;
 * so either it sees what it would sleep for, or the other sees that it sleeps. */
struct threads_team {
    pthread_t thread[THREADS_MOST];
    int others; /* threads beside the one that calls */
    int tries;
    _Atomic uint64_t turn; /* grows with each run, and at the end */
    atomic_int inside;     /* threads that may be at the run: they count themselves before they look for it */
    _Atomic(shared *) run; /* NULL: none that a thread may begin with */
    atomic_bool ended;
    pthread_mutex_t lock; /* of those who sleep */
    pthread_cond_t begun, left;
    atomic_int asleep;  /* threads */
    atomic_bool awaits; /* the one that calls sleeps */
};

/* Waits for a turn after this one, and returns it. */
static uint64_t next_turn(threads_team *t, uint64_t turn) {
    for (int k = 0; k < t->tries; k++) {
        if (t->turn != turn) return t->turn;
        sched_yield();
    }
    pthread_mutex_lock(&t->lock);
    t->asleep++;
    while (t->turn == turn) pthread_cond_wait(&t->begun, &t->lock);
    t->asleep--;
    pthread_mutex_unlock(&t->lock);
    return t->turn;
}

static void leave(threads_team *t) {
    if (--t->inside || !t->awaits) return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->left);
    pthread_mutex_unlock(&t->lock);
}

static void *serve(void *of) {
    threads_team *t = of;
    for (uint64_t turn = 0; !t->ended;) {
        turn = next_turn(t, turn);
        t->inside++;
        shared *run = t->run;
        if (run) take_items(run, run->threads++);
        leave(t);
    }
    return NULL;
}

static void take_turn(threads_team *t, shared *run) {
    t->run = run;
    t->ended = !run;
    t->turn++;
    if (!t->asleep) return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
}

/* Waits until no thread is at the run, which none may begin with any more. */
static void await_others(threads_team *t) {
    for (int k = 0; k < t->tries && t->inside; k++) sched_yield();
    if (!t->inside) return;
    pthread_mutex_lock(&t->lock);
    t->awaits = true;
    while (t->inside) pthread_cond_wait(&t->left, &t->lock);
    t->awaits = false;
    pthread_mutex_unlock(&t->lock);
}

threads_team *threads_team_new(int threads) {
    threads_team *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->left, NULL);
    processors p = ask_once();
    t->tries = threads_count(threads) <= own_processors(&p) ? TRIES : 0;
    while (t->others + 1 < threads_count(threads) && !pthread_create(&t->thread[t->others], NULL, serve, t))
        t->others++;
    return t;
}

threads_team *threads_team_for(uint64_t items) {
    uint64_t most = (uint64_t)threads_count(0);
    return threads_team_new((int)(items < 1 ? 1 : items < most ? items : most));
}

int threads_team_size(const threads_team *t) { return t->others + 1; }

/* By so many threads of the team at most. */
static void team_share(threads_team *t, int most, uint64_t count, threads_work work, void *user) {
    shared run = {.count = count, .work = work, .user = user, .most = most, .threads = 1};
    if (count > 1) take_turn(t, &run);
    take_items(&run, 0);
    if (count < 2) return;
    t->run = NULL;
    await_others(t);
}

void threads_team_share(threads_team *t, uint64_t count, threads_work work, void *user) {
    if (t) team_share(t, THREADS_MOST, count, work, user);
    else threads_share(0, count, work, user);
}

void threads_team_run(threads_team *t, size_t count, void (*work)(void *user, size_t item), void *user) {
    threads_team_share(t, count, do_plain, &(plain){work, user});
}

void threads_team_free(threads_team *t) {
    if (!t) return;
    take_turn(t, NULL);
    while (t->others) pthread_join(t->thread[--t->others], NULL);
    pthread_cond_destroy(&t->begun);
    pthread_cond_destroy(&t->left);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* ---- jobs -------------------------------------------------------------------------------------- */

typedef struct team {
    const threads_job *job;
    void *scratch[MOST_SCRATCHES]; /* one a thread */
    uint64_t reported;             /* blocks done, as the calling thread last told progress */
    pthread_mutex_t lock;          /* of all below */
    uint64_t done;
    glshape_status status;
    uint64_t failed; /* the first block that failed, if status says so */
    error err;
} team;

/* Keeps the failure of the first block that failed. All blocks before it have been taken, so it is the
 * failure that one thread would find. */
static void record(team *t, uint64_t i, glshape_status status, const error *err) {
    if (!status || (t->status && t->failed < i)) return;
    t->status = status;
    t->failed = i;
    t->err = *err;
}

/* Calls progress, in the calling thread. Returns false if that says to stop. */
static bool report(team *t, uint64_t done) {
    const threads_job *job = t->job;
    t->reported = done;
    double fraction = job->from + (job->to - job->from) * (double)done / (double)job->blocks;
    if (!job->progress || job->progress(job->progress_user, fraction)) return true;
    error err;
    glshape_status status = fail(&err, GLSHAPE_CANCELLED, "cancelled");
    pthread_mutex_lock(&t->lock);
    record(t, UINT64_MAX, status, &err);
    pthread_mutex_unlock(&t->lock);
    return false;
}

static bool do_block(void *user, uint64_t i, int thread) {
    team *t = user;
    error err = {.status = GLSHAPE_OK};
    glshape_status status = t->job->work(&err, t->job->user, i, t->scratch[thread]);
    pthread_mutex_lock(&t->lock);
    record(t, i, status, &err);
    uint64_t done = ++t->done;
    bool ended = t->status != GLSHAPE_OK;
    pthread_mutex_unlock(&t->lock);
    return !ended && (thread > 0 || report(t, done));
}

static void team_end(team *t) {
    for (int i = 0; i < MOST_SCRATCHES; i++) free(t->scratch[i]);
    pthread_mutex_destroy(&t->lock);
}

glshape_status threads_do(error *err, const threads_job *job) {
    OWNED_BY(team_end) team t = {.job = job, .lock = PTHREAD_MUTEX_INITIALIZER};
    int threads = 1, wanted = job->team ? threads_team_size(job->team) : threads_count(job->threads);
    if (wanted > MOST_SCRATCHES) wanted = MOST_SCRATCHES;
    if ((uint64_t)wanted > job->blocks) wanted = (int)job->blocks;
    size_t bytes = job->scratch_bytes + (job->scratch_bytes < SIZE_MAX - APART ? APART : 0);
    TRY(allocate(err, &t.scratch[0], bytes, 1, job->name));
    while (threads < wanted && !allocate(NULL, &t.scratch[threads], bytes, 1, job->name)) threads++;
    if (job->team) team_share(job->team, threads, job->blocks, do_block, &t);
    else threads_share(threads, job->blocks, do_block, &t);
    /* Other threads may have done the last blocks, or all. */
    if (!t.status && t.reported < job->blocks) report(&t, job->blocks);
    return t.status ? fail(err, t.status, "%s", t.err.text) : GLSHAPE_OK;
}
