/* Threads compute items in order, and what is to be written of each. The calling thread alone makes files, as
 * signals need it (cli/terminal.c), and in order too; so items wait for it in a ring, of which there are a
 * few a thread. One more thread waits for the disk, for many files together.
 *
 * Of several ranks each does so with the items that the first one hands out to it, some at a time, and writes
 * the files of these. What failed, the first rank says in the end, in the order of inputs. */
#define _XOPEN_SOURCE 700 /* S_ISDIR */
#include "cli/batch.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/read.h"
#include "io/write.h"
#include "ranks/ranks.h"

enum { ROOM_PER_THREAD = 32 };

/* ---- names ----------------------------------------------------------------------------------------- */

/* Returns true if the name says that it is of many files. */
static bool is_of_many(const char *path) {
    size_t length = strlen(path);
    return strchr(path, '*') || (length && path[length - 1] == '/');
}

static bool is_folder(const char *path) {
    struct stat at;
    return !stat(path, &at) && S_ISDIR(at.st_mode);
}

bool batch_is_wanted(const session *s, const char *list) {
    return s->input_count > 1 || list || (s->output && is_of_many(s->output));
}

/* The name of an input without folders and extensions: a/b.npy.gz is b. */
static const char *stem_of(const char *path, size_t *length) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = *name ? strchr(name + 1, '.') : NULL;
    *length = dot ? (size_t)(dot - name) : strlen(name);
    return name;
}

static glshape_status name_output(session *s, const char *before, size_t before_length, const char *after,
                                  const char *input, char **out) {
    size_t length;
    const char *stem = stem_of(input, &length);
    TRY(allocate(&s->err, out, before_length + length + strlen(after) + 1, 1, "the names of outputs"));
    memcpy(*out, before, before_length);
    memcpy(*out + before_length, stem, length);
    strcpy(*out + before_length + length, after);
    return GLSHAPE_OK;
}

static glshape_status name_outputs(session *s, const char *extension, batch *b) {
    const char *star = strchr(s->output, '*'), *after = star ? star + 1 : extension;
    OWNED char *folder = NULL;
    size_t length = star ? (size_t)(star - s->output) : strlen(s->output);
    if (star && (strchr(after, '*') || strchr(after, '/')))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "-o %s: one * stands for the inputs' names, and no folder comes after it", s->output);
    TRY(allocate(&s->err, &folder, length + 2, 1, "the names of outputs"));
    memcpy(folder, s->output, length);
    if (!star && length && folder[length - 1] != '/') folder[length++] = '/';
    for (size_t k = 0; k < b->count; k++)
        TRY(name_output(s, folder, length, after, b->inputs[k], &b->outputs[k]));
    char *slash = strrchr(folder, '/');
    if (slash && slash != folder) {
        *slash = 0;
        if (mkdir(folder, 0777) && errno != EEXIST)
            return fail(&s->err, GLSHAPE_IO_ERROR, "the folder %s cannot be made: %s", folder,
                        strerror(errno));
    }
    return GLSHAPE_OK;
}

/* ---- checks ---------------------------------------------------------------------------------------- */

/* An existing file, or the name of an output. */
typedef struct entry {
    dev_t device;
    ino_t inode;
    const char *name;
} entry;

static int by_name(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static int by_inode(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->device != y->device ? (x->device > y->device) - (x->device < y->device)
                                  : (x->inode > y->inode) - (x->inode < y->inode);
}

static glshape_status check_outputs(session *s, const batch *b) {
    OWNED entry *entries = NULL;
    struct stat at;
    size_t files = 0;
    TRY(allocate(&s->err, &entries, b->count, sizeof *entries, "the names of outputs"));
    for (size_t k = 0; k < b->count; k++) entries[k].name = b->outputs[k];
    qsort(entries, b->count, sizeof *entries, by_name);
    for (size_t k = 1; k < b->count; k++)
        if (!strcmp(entries[k - 1].name, entries[k].name))
            return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                        "two inputs have the same name and would both write %s", entries[k].name);
    for (size_t k = 0; k < b->count; k++)
        if (!stat(b->inputs[k], &at) && S_ISREG(at.st_mode))
            entries[files++] = (entry){at.st_dev, at.st_ino, b->inputs[k]};
    qsort(entries, files, sizeof *entries, by_inode);
    for (size_t k = 0; k < b->count; k++) {
        if (stat(b->outputs[k], &at)) continue;
        const entry key = {.device = at.st_dev, .inode = at.st_ino};
        const entry *same = bsearch(&key, entries, files, sizeof *entries, by_inode);
        if (same)
            return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "the output %s is the input %s", b->outputs[k],
                        same->name);
    }
    return GLSHAPE_OK;
}

/* ---- the list -------------------------------------------------------------------------------------- */

static glshape_status read_text(session *s, const char *list, batch *b, size_t *out) {
    FILE *file = strcmp(list, "-") ? fopen(list, "r") : stdin;
    size_t room = 0, length = 0, got = 0;
    if (!file) return fail(&s->err, GLSHAPE_IO_ERROR, "%s: %s", list, strerror(errno));
    glshape_status status = GLSHAPE_OK;
    do {
        length += got;
        status = memory_reserve(&s->err, &b->list, &room, length + 4097, 1, "the list of inputs");
    } while (!status && (got = fread(b->list + length, 1, 4096, file)) > 0);
    if (!status && ferror(file)) status = fail(&s->err, GLSHAPE_IO_ERROR, "%s cannot be read", list);
    if (file != stdin) fclose(file);
    *out = length;
    return status;
}

/* Reads the file of --batch, on the first rank for all; returns how many lines have something in them. */
static glshape_status read_list(session *s, const char *list, batch *b, size_t *lines) {
    size_t length = 0;
    if (session_is_first()) TRY(read_text(s, list, b, &length));
    TRY(ranks_broadcast(ranks_world(), &s->err, &length, sizeof length));
    if (!session_is_first()) TRY(allocate(&s->err, &b->list, length + 1, 1, "the list of inputs"));
    TRY(ranks_broadcast(ranks_world(), &s->err, b->list, length));
    b->list[length] = 0;
    *lines = 0;
    for (char *at = b->list; *at; at += *at == '\n') {
        *lines += strcspn(at, "\r\n") > 0;
        at += strcspn(at, "\n");
    }
    return GLSHAPE_OK;
}

static void take_lines(batch *b) {
    for (char *at = b->list, *next; at && *at; at = next) {
        size_t length = strcspn(at, "\n");
        next = at + length + (at[length] == '\n');
        at[strcspn(at, "\r\n")] = 0;
        if (*at) b->inputs[b->count++] = at;
    }
}

glshape_status batch_list(session *s, const char *list, const char *extension, batch *b) {
    size_t lines = 0;
    if (!s->output || !(is_of_many(s->output) || is_folder(s->output)))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "several inputs need -o FOLDER/ (or -o 'FOLDER/*.npy'): each gets a file there");
    if (list) TRY(read_list(s, list, b, &lines));
    TRY(allocate(&s->err, &b->inputs, (size_t)s->input_count + lines, sizeof *b->inputs,
                 "the list of inputs"));
    for (int k = 0; k < s->input_count; k++) b->inputs[b->count++] = s->inputs[k];
    if (list) take_lines(b);
    for (size_t k = 0; k < b->count; k++)
        if (!strcmp(b->inputs[k], "-"))
            return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "standard input goes alone, not with other inputs");
    TRY(allocate(&s->err, &b->outputs, b->count, sizeof *b->outputs, "the names of outputs"));
    TRY(name_outputs(s, extension, b));
    return session_is_first() ? check_outputs(s, b) : GLSHAPE_OK;
}

void batch_free(batch *b) {
    for (size_t k = 0; b->outputs && k < b->count; k++) free(b->outputs[k]);
    free(b->outputs);
    free(b->inputs);
    free(b->list);
}

/* ---- the work -------------------------------------------------------------------------------------- */

/* Of several ranks: what one could not do. */
typedef struct failure {
    uint64_t item;
    char text[1400];
} failure;

typedef struct slot {
    bool done;
    glshape_status status;
    io_held *held; /* its outputs */
} slot;

typedef struct runner {
    const batch_job *job;
    const batch *b;
    const ranks *ranks;
    ranks_queue queue;
    size_t threads, room;
    size_t *claimed;               /* items of b in the order in which this rank got them */
    size_t claims, begun, written; /* how many of these there are, are begun, are written */
    bool closed;                   /* no more will come */
    char *items;                   /* room of job->item_bytes; claim q is in place q mod room */
    slot *slots;
    glshape_context **contexts; /* of the threads */
    io_outputs outputs[2];      /* written; one goes to the disk while the other is filled */
    int filling;
    bool syncing;
    atomic_bool synced;
    size_t sync_item; /* the last that goes to the disk */
    pthread_t syncer;
    size_t failed, noted, failures_room;
    failure *failures;
    pthread_mutex_t lock; /* of claims, begun, written, closed and slots */
    pthread_cond_t changed;
} runner;

static void *item_of(const runner *r, size_t q) { return r->items + q % r->room * r->job->item_bytes; }

/* ---- computing ---- */

/* Gives an item its files and the context of its thread, which the first item opens. */
static glshape_status begin_item(runner *r, size_t q, int thread) {
    session *s = item_of(r, q);
    memset(s, 0, r->job->item_bytes);
    r->job->begin(r->job->s, s);
    s->input = r->b->inputs[r->claimed[q]];
    s->output = r->b->outputs[r->claimed[q]];
    s->item = r->claimed[q];
    s->bar.quiet = true;
    if (!r->contexts[thread]) TRY(session_open_device(s, NULL, &r->contexts[thread]));
    s->context = r->contexts[thread];
    return GLSHAPE_OK;
}

/* Waits until claim q is there and has a place in the ring. Returns false if there is no such claim. */
static bool wait_for_claim(runner *r, size_t q) {
    pthread_mutex_lock(&r->lock);
    while ((q >= r->claims && !r->closed) || q >= r->written + r->room)
        pthread_cond_wait(&r->changed, &r->lock);
    bool there = q < r->claims;
    r->begun += there;
    pthread_mutex_unlock(&r->lock);
    return there;
}

static bool compute_item(void *user, uint64_t q, int thread) {
    runner *r = user;
    if (!wait_for_claim(r, q)) return false;
    io_held *held = NULL;
    session *s = item_of(r, q);
    glshape_status status = begin_item(r, q, thread);
    io_outputs_hold(&held);
    if (!status) status = r->job->compute(s);
    if (!status) status = r->job->write(s);
    io_outputs_hold(NULL);
    s->context = NULL; /* the thread's */
    r->job->end(s);
    pthread_mutex_lock(&r->lock);
    r->slots[q % r->room] = (slot){true, status, held};
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return true;
}

static void *compute_all(void *user) {
    runner *r = user;
    threads_share(r->job->threads, r->b->count, compute_item, r);
    return NULL;
}

/* ---- failing ---- */

static void print_failure(const runner *r, const char *text) {
    terminal_hide(&r->job->s->bar);
    fprintf(stderr, "glshape: %s\n", text);
}

/* Says what failed: at once, or of several ranks in the end. */
static void note_failures(runner *r, size_t item, size_t count, const char *before, const char *text) {
    failure f = {.item = item};
    if (!count) return;
    snprintf(f.text, sizeof f.text, "%s%s%s", before, *before ? ": " : "", text);
    r->failed += count;
    if (r->ranks->size == 1 ||
        memory_reserve(NULL, &r->failures, &r->failures_room, r->noted + 1, sizeof f, ""))
        print_failure(r, f.text);
    else r->failures[r->noted++] = f;
}

static int by_item(const void *a, const void *b) {
    const failure *x = a, *y = b;
    return (x->item > y->item) - (x->item < y->item);
}

/* The first rank says what failed on all. */
static glshape_status print_failures(runner *r) {
    OWNED failure *all = NULL;
    error *err = &r->job->s->err;
    size_t length;
    TRY(ranks_sum(r->ranks, err, &r->failed));
    TRY(ranks_collect(r->ranks, err, r->failures, r->noted * sizeof *all, &all, &length));
    if (!all) return GLSHAPE_OK;
    qsort(all, length / sizeof *all, sizeof *all, by_item);
    for (size_t k = 0; k < length / sizeof *all; k++) print_failure(r, all[k].text);
    return GLSHAPE_OK;
}

/* ---- writing ---- */

/* Waits until the files that go to the disk are in place. */
static void end_sync(runner *r) {
    error *err = &r->job->s->err;
    if (!r->syncing) return;
    pthread_join(r->syncer, NULL);
    r->syncing = false;
    note_failures(r, r->sync_item, io_outputs_end(err, &r->outputs[!r->filling]), "", err->text);
}

static void *sync_outputs(void *user) {
    runner *r = user;
    io_outputs_place(&r->outputs[!r->filling]);
    pthread_mutex_lock(&r->lock);
    r->synced = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Sends the files that are written to the disk, after those before them. item: the last of them. */
static void begin_sync(runner *r, size_t item) {
    end_sync(r);
    if (!r->outputs[r->filling].count) return;
    r->filling = !r->filling;
    r->sync_item = item;
    r->synced = false;
    r->syncing = !pthread_create(&r->syncer, NULL, sync_outputs, r);
    if (r->syncing) return;
    error *err = &r->job->s->err;
    io_outputs_place(&r->outputs[!r->filling]);
    note_failures(r, item, io_outputs_end(err, &r->outputs[!r->filling]), "", err->text);
}

/* Gets more claims where there are few. */
static void claim(runner *r) {
    uint64_t first, count;
    pthread_mutex_lock(&r->lock);
    bool want = !r->closed && r->claims < r->begun + 2 * r->threads;
    pthread_mutex_unlock(&r->lock);
    if (!ranks_queue_ask(&r->queue, want ? 4 * r->threads : 0, &first, &count)) return;
    pthread_mutex_lock(&r->lock);
    for (uint64_t k = 0; k < count; k++) r->claimed[r->claims++] = (size_t)(first + k);
    r->closed = !count || r->ranks->size == 1;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* Waits, with the lock, until something has changed; of several ranks a millisecond at most. */
static void wait_for_change(runner *r) {
    struct timespec until;
    if (r->ranks->size == 1) {
        pthread_cond_wait(&r->changed, &r->lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    pthread_cond_timedwait(&r->changed, &r->lock, &until);
}

/* Returns whether claim q is computed; *over: there is no such claim. wait: only after waiting. */
static bool is_done(runner *r, size_t q, bool wait, bool *over) {
    pthread_mutex_lock(&r->lock);
    *over = r->closed && q >= r->claims;
    if (wait && !*over && !r->slots[q % r->room].done) wait_for_change(r);
    bool done = r->slots[q % r->room].done;
    pthread_mutex_unlock(&r->lock);
    return done;
}

/* Waits until claim q is computed; returns false if there is no such claim. Meanwhile files go to the disk.
 */
static bool wait_for(runner *r, size_t q) {
    bool over = false;
    claim(r);
    while (!is_done(r, q, false, &over) && !over) {
        if (q && (!r->syncing || r->synced)) begin_sync(r, r->claimed[q - 1]);
        if (!is_done(r, q, true, &over)) claim(r);
    }
    return !over;
}

static glshape_status write_held(runner *r, size_t q, const io_held *held) {
    session *s = item_of(r, q);
    for (; held; held = held->next) {
        if (r->outputs[r->filling].count == IO_OUTPUTS) begin_sync(r, r->claimed[q]);
        TRY(io_outputs_write(&s->err, &r->outputs[r->filling], held));
    }
    return GLSHAPE_OK;
}

static void write_item(runner *r, size_t q) {
    session *s = item_of(r, q);
    slot *at = &r->slots[q % r->room];
    glshape_status status = at->status ? at->status : write_held(r, q, at->held);
    terminal_print_notes(&r->job->s->bar, &s->err);
    note_failures(r, r->claimed[q], status != GLSHAPE_OK, strstr(s->err.text, s->input) ? "" : s->input,
                  s->err.text);
    io_held_free(at->held);
    pthread_mutex_lock(&r->lock);
    at->done = false;
    r->written++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    uint64_t all = r->ranks->size == 1 ? q + 1 : r->queue.next;
    terminal_progress(&r->job->s->bar, (double)all / (double)r->b->count);
}

/* ---- all ---- */

static void free_runner(runner *r) {
    int live = 0;
    for (size_t t = 0; r->contexts && t < r->threads; t++)
        if (r->contexts[t])
            session_note_device(r->job->s, r->contexts[t]), live += glshape_close(r->contexts[t]);
    if (live) fprintf(stderr, "glshape: %d OpenGL objects were left behind: please report this\n", live);
    free(r->contexts);
    free(r->slots);
    free(r->items);
    free(r->claimed);
    free(r->failures);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
}

static glshape_status prepare(runner *r) {
    error *err = &r->job->s->err;
    TRY(allocate(err, &r->claimed, r->b->count, sizeof *r->claimed, "the inputs at work"));
    TRY(allocate(err, &r->items, r->room, r->job->item_bytes, "the inputs at work"));
    TRY(allocate(err, &r->slots, r->room, sizeof *r->slots, "the inputs at work"));
    TRY(allocate(err, &r->contexts, r->threads, sizeof(void *), "the devices"));
    TRY(session_open_device(r->job->s, NULL, &r->contexts[0])); /* says on which device, or why on none */
    return GLSHAPE_OK;
}

glshape_status batch_run(const batch_job *job, const batch *b) {
    OWNED_BY(free_runner)
    runner r = {.job = job,
                .b = b,
                .ranks = job->ranks ? job->ranks : ranks_world(),
                .threads = (size_t)threads_count(job->threads),
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .changed = PTHREAD_COND_INITIALIZER};
    error *err = &job->s->err;
    pthread_t thread;
    r.room = ROOM_PER_THREAD * r.threads;
    r.queue = ranks_queue_new(r.ranks, b->count);
    TRY(prepare(&r));
    TRY(ranks_agree(r.ranks, err, GLSHAPE_OK));
    if (pthread_create(&thread, NULL, compute_all, &r))
        return fail(err, GLSHAPE_NO_MEMORY, "the system starts no more threads");
    size_t q = 0;
    for (; wait_for(&r, q); q++) write_item(&r, q);
    begin_sync(&r, q ? r.claimed[q - 1] : 0);
    end_sync(&r);
    ranks_queue_end(&r.queue);
    pthread_join(thread, NULL);
    TRY(print_failures(&r));
    if (r.failed) return fail(err, GLSHAPE_BAD_INPUT, "%zu of %zu inputs failed", r.failed, b->count);
    return GLSHAPE_OK;
}
