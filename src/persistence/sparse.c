/* The same protocol as in reduce.c: threads take columns; an earlier column that owns the pivot is added; a
 * later one is displaced, and the thread goes on with it. Here the order in which threads take columns is
 * free, so neighbors come one after the other.
 *
 * A working column is a stack of sorted runs, each at least twice as long as the one above it: so a cell is
 * merged a logarithmic number of times, however many short columns are added to a long one. */
#include "persistence/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "persistence/chunk.h"
#include "persistence/owners.h"

#define RUNS 64      /* at most: lengths about double */
#define SHORT 32     /* cells that are merged whatever they are merged with */
#define MOST_TURN 64 /* columns that a thread takes at a time */
#define AHEAD 4      /* columns */
#define ASK 1024     /* steps from one question whether to go on to the next */

/* A column as its owner left it. */
typedef struct record {
    sparse_column column;
    size_t count;
    const sparse_term *terms;
} record;

#define RECORD_WORDS (sizeof(record) / sizeof(uint64_t))
#define TERM_WORDS (sizeof(sparse_term) / sizeof(uint64_t))

typedef struct run {
    const sparse_term *at, *end; /* in `made`; of terms that last, elsewhere */
    sparse_term *made;
    size_t room;
    bool lasts;
} run;

typedef struct shared {
    const sparse_job *job;
    uint32_t *deaths;
    owners owners;
    uint32_t turn; /* columns that a thread takes at a time */
    _Atomic uint64_t next;
    atomic_int status;
} shared;

typedef struct worker {
    shared *sh;
    bool first;       /* the worker that asks go_on */
    run runs[RUNS];   /* the working column; the last one is the top */
    run spare;        /* its memory alone */
    int count, steps; /* runs; since go_on was asked */
    chunk *records;
    sparse_work work;
} worker;

static bool stop(worker *w, glshape_status why) {
    atomic_store(&w->sh->status, (int)why);
    return false;
}

static bool lack_memory(worker *w) { return stop(w, GLSHAPE_NO_MEMORY); }

/* ---- runs -------------------------------------------------------------------------------------- */

static size_t length(const run *r) { return (size_t)(r->end - r->at); }

static bool reserve(worker *w, run *r, size_t terms) {
    return !memory_reserve(NULL, &r->made, &r->room, terms, sizeof *r->made, NULL) || lack_memory(w);
}

static uint32_t product(uint32_t a, uint32_t b, uint32_t modulus) {
    return b == 1 ? a : (uint32_t)((uint64_t)a * b % modulus);
}

/* Makes `r` the sum of a run and factor × other terms. */
static bool merge(worker *w, run *r, const run *a, const sparse_term *b, size_t count, uint32_t factor) {
    const sparse_term *at = a->at, *end = a->end, *b_end = b + count;
    uint32_t modulus = w->sh->job->modulus;
    run out = w->spare;
    if (!reserve(w, &out, length(a) + count)) {
        w->spare = out;
        return false;
    }
    sparse_term *to = out.made;
    while (at < end && b < b_end) {
        bool less = sparse_before(at, b), greater = sparse_before(b, at);
        uint32_t own = less | (greater ^ 1u), other = greater | (less ^ 1u);
        uint32_t sum = (own ? at->coefficient : 0) + (other ? product(b->coefficient, factor, modulus) : 0);
        *to = greater ? *b : *at;
        to->coefficient = sum >= modulus ? sum - modulus : sum;
        to += to->coefficient != 0;
        at += own;
        b += other;
    }
    if (at < end) { /* both may be empty, and the room, too */
        memcpy(to, at, (size_t)(end - at) * sizeof *to);
        to += end - at;
    }
    for (; b < b_end; b++, to++)
        *to = (sparse_term){b->order, b->part, product(b->coefficient, factor, modulus)};
    w->spare = (run){.made = r->made, .room = r->room};
    *r = (run){out.made, to, out.made, out.room, false};
    return true;
}

/* Merges the two runs on top. */
static bool merge_top(worker *w) {
    run *top = &w->runs[w->count - 1], *under = top - 1;
    if (!merge(w, under, under, top->at, length(top), 1)) return false;
    w->count--;
    return true;
}

/* Adds factor × terms to the working column. */
static bool add_terms(worker *w, const sparse_term *terms, size_t count, uint32_t factor) {
    const run none = {0};
    run *top = w->count ? &w->runs[w->count - 1] : NULL;
    if (top && (length(top) <= 2 * count + SHORT || w->count == RUNS)) {
        if (!merge(w, top, top, terms, count, factor)) return false;
    } else if (!merge(w, &w->runs[w->count++], &none, terms, count, factor)) return false;
    while (w->count > 1 && length(&w->runs[w->count - 2]) <= 2 * length(&w->runs[w->count - 1]))
        if (!merge_top(w)) return false;
    return true;
}

/* Makes the working column one of terms that last. */
static void take_terms(worker *w, const sparse_term *terms, size_t count) {
    w->count = 1;
    w->runs[0].at = terms;
    w->runs[0].end = terms + count;
    w->runs[0].lasts = true;
}

static bool is_same(const sparse_term *a, const sparse_term *b) {
    return a->order == b->order && a->part == b->part;
}

static void drop_first(worker *w, const sparse_term *first) {
    for (int k = 0; k < w->count; k++) {
        run *r = &w->runs[k];
        r->at += r->at < r->end && is_same(r->at, first);
    }
}

/* The first cell whose coefficient is not 0; it stays. False: there is none. */
static bool find_first(worker *w, sparse_term *first) {
    for (;; drop_first(w, first)) {
        bool any = false;
        for (int k = 0; k < w->count; k++) {
            const run *r = &w->runs[k];
            if (r->at == r->end || (any && sparse_before(first, r->at))) continue;
            if (any && is_same(first, r->at)) {
                uint32_t sum = first->coefficient + r->at->coefficient;
                first->coefficient = sum >= w->sh->job->modulus ? sum - w->sh->job->modulus : sum;
            } else *first = *r->at;
            any = true;
        }
        if (!any || first->coefficient) return any;
    }
}

/* ---- cells on their way ------------------------------------------------------------------------ */

static void sort(sparse_term *terms, size_t count) {
    for (size_t k = 1, at; k < count; k++) {
        sparse_term t = terms[k];
        for (at = k; at && sparse_before(&t, &terms[at - 1]); at--) terms[at] = terms[at - 1];
        terms[at] = t;
    }
}

/* The cells on their way at the place of the first one pass it. */
static bool pass_place(worker *w, sparse_term first) {
    const sparse_job *job = w->sh->job;
    sparse_term in[SPARSE_STAYS], out[SPARSE_MOST_PASSED];
    uint64_t order = first.order;
    size_t count = 0;
    while (first.order == order && first.part < SPARSE_STAYS) {
        in[count++] = first;
        drop_first(w, &first);
        if (!find_first(w, &first)) break;
    }
    w->work.passed++;
    count = job->pass(job->space, in, count, out);
    sort(out, count);
    for (size_t k = 0, same; k < count; k += same) { /* equal cells go to different runs */
        for (same = 1; k + same < count && sparse_before(&out[k + same - 1], &out[k + same]);) same++;
        if (!add_terms(w, out + k, same, 1)) return false;
    }
    return true;
}

/* ---- records ----------------------------------------------------------------------------------- */

/* Makes a record of the working column; NULL: not enough memory. */
static record *publish(worker *w, sparse_column column) {
    while (w->count > 1)
        if (!merge_top(w)) return NULL;
    run *own = &w->runs[0];
    size_t count = length(own);
    uint64_t *words = chunk_take(&w->records, RECORD_WORDS + (own->lasts ? 0 : count * TERM_WORDS));
    if (!words) {
        lack_memory(w);
        return NULL;
    }
    record *r = (record *)(void *)words;
    *r = (record){column, count, own->at};
    if (own->lasts) return r;
    r->terms = memcpy(words + RECORD_WORDS, own->at, count * sizeof *own->at);
    return r;
}

/* Places that are neighbors have neighboring slots. */
static size_t slot_place(const shared *sh, const sparse_term *pivot) {
    uint32_t place = (uint32_t)pivot->order;
    size_t mask = ((size_t)1 << sh->owners.log2_slots) - 1;
    return (owners_scatter(&sh->owners, place >> 6) + (place & 63)) & mask;
}

static owner_slot *slot_of(const shared *sh, const sparse_term *pivot) {
    return owners_slot(&sh->owners, slot_place(sh, pivot),
                       (uint64_t)(uint32_t)pivot->order << 6 | pivot->part);
}

static bool is_before(sparse_column a, sparse_column b) {
    return a.order > b.order || (a.order == b.order && a.number > b.number);
}

/* The first owner of a pivot is the one that it has from the start. Returns NULL if there is none, or no
 * memory. */
static void *first_owner(worker *w, owner_slot *at, const sparse_term *pivot) {
    const sparse_job *job = w->sh->job;
    sparse_column which;
    size_t room;
    void *now = NULL;
    if (!job->find_owner || !job->find_owner(job->space, pivot, &which, &room)) return NULL;
    uint64_t *words = chunk_take(&w->records, RECORD_WORDS + room * TERM_WORDS);
    if (!words) {
        lack_memory(w);
        return NULL;
    }
    sparse_term *terms = (sparse_term *)(void *)(words + RECORD_WORDS);
    record *r = (record *)(void *)words;
    *r = (record){which, job->list_owner(job->space, which.number, terms), terms};
    if (!r->count) {
        stop(w, GLSHAPE_GPU_ERROR);
        return NULL;
    }
    chunk_give_back(w->records, (room - r->count) * TERM_WORDS);
    if (atomic_compare_exchange_strong(&at->owner, &now, r)) {
        w->work.found++;
        return r;
    }
    chunk_give_back(w->records, RECORD_WORDS + r->count * TERM_WORDS);
    return now;
}

/* Makes column the owner of its pivot and returns true; *displaced is then the later column that owned it
 * before, or NULL. Returns false if an earlier column owns the pivot, which is then *owner, or if the work
 * stops: NULL. */
static bool claim_pivot(worker *w, sparse_column column, const sparse_term *pivot, const record **owner,
                        const record **displaced) {
    owner_slot *at = slot_of(w->sh, pivot);
    void *now = atomic_load_explicit(&at->owner, memory_order_acquire);
    record *mine = NULL;
    if (!now) now = first_owner(w, at, pivot);
    do {
        *displaced = *owner = now;
        if (now && is_before((*owner)->column, column)) return false;
        *owner = NULL;
        if (atomic_load_explicit(&w->sh->status, memory_order_relaxed)) return false;
        if (!mine && !(mine = publish(w, column))) return false;
        w->sh->deaths[column.number] = (uint32_t)pivot->order; /* before anyone can take it */
    } while (!atomic_compare_exchange_weak(&at->owner, &now, mine));
    return true;
}

/* ---- columns ----------------------------------------------------------------------------------- */

static bool stopped(worker *w) {
    shared *sh = w->sh;
    const sparse_job *job = sh->job;
    if (w->first && job->go_on && w->steps-- <= 0) {
        uint64_t taken = atomic_load(&sh->next);
        w->steps = ASK;
        if (!job->go_on(job->user, taken < job->turns ? (double)taken / job->turns : 1))
            atomic_store(&sh->status, GLSHAPE_CANCELLED);
    }
    return atomic_load_explicit(&sh->status, memory_order_relaxed);
}

static bool add_owner(worker *w, const record *owner, const sparse_term *pivot) {
    const sparse_job *job = w->sh->job;
    uint64_t factor = (uint64_t)(job->modulus - pivot->coefficient) * job->inverse[owner->terms->coefficient];
    w->work.additions++;
    drop_first(w, pivot);
    return add_terms(w, owner->terms + 1, owner->count - 1, (uint32_t)(factor % job->modulus));
}

static void reduce_column(worker *w, uint32_t turn) {
    const record *owner, *displaced;
    sparse_column column;
    sparse_term pivot;
    size_t count;
    const sparse_term *terms = w->sh->job->column(w->sh->job->space, turn, &column, &count);
    take_terms(w, terms, count);
    while (!stopped(w)) {
        if (!find_first(w, &pivot)) {
            w->sh->deaths[column.number] = SPARSE_ESSENTIAL;
            return;
        }
        if (pivot.part < SPARSE_STAYS) {
            if (!pass_place(w, pivot)) return;
        } else if (claim_pivot(w, column, &pivot, &owner, &displaced)) {
            if (!displaced) return;
            column = displaced->column;
            take_terms(w, displaced->terms, displaced->count);
        } else if (!owner || !add_owner(w, owner, &pivot)) return;
    }
}

/* Asks for what columns behind the one at work begin with: their cells, then the slots of their first ones,
 * then the owners of these. */
static void ask_ahead(const shared *sh, uint64_t at) {
    const sparse_job *job = sh->job;
    for (int what = 0; what < 3; what++) {
        uint64_t turn = at + (uint64_t)(3 - what) * AHEAD;
        sparse_column column;
        size_t count;
        if (turn >= job->turns) continue;
        const sparse_term *first = job->column(job->space, (uint32_t)turn, &column, &count);
        if (what == 0) __builtin_prefetch(first);
        else if (count && first->part >= SPARSE_STAYS) {
            const owner_slot *slot = &sh->owners.slots[slot_place(sh, first)];
            if (what == 1) __builtin_prefetch(slot);
            else __builtin_prefetch(atomic_load_explicit(&slot->owner, memory_order_relaxed));
        }
    }
}

static void reduce_columns(void *workers, size_t which) {
    worker *w = (worker *)workers + which;
    shared *sh = w->sh;
    for (uint64_t at; !stopped(w) && (at = atomic_fetch_add(&sh->next, sh->turn)) < sh->job->turns;)
        for (uint64_t turn = at; turn < at + sh->turn && turn < sh->job->turns && !stopped(w); turn++) {
            ask_ahead(sh, turn);
            reduce_column(w, (uint32_t)turn);
        }
}

static void finish_worker(worker *w, sparse_work *work) {
    work->additions += w->work.additions;
    work->passed += w->work.passed;
    work->found += w->work.found;
    work->bytes += chunk_bytes(w->records) + w->spare.room * sizeof *w->spare.made;
    for (int k = 0; k < RUNS; k++) {
        work->bytes += w->runs[k].room * sizeof(sparse_term);
        free(w->runs[k].made);
    }
    free(w->spare.made);
    chunk_free(w->records);
}

static void free_shared(shared *sh) { free(sh->owners.slots); }

glshape_status sparse_reduce(error *err, const sparse_job *job, uint32_t *deaths, sparse_work *work) {
    int threads = threads_count(job->threads);
    uint32_t turn = job->turns / (8 * (uint32_t)threads) + 1;
    OWNED worker *workers = NULL;
    OWNED_BY(free_shared)
    shared sh = {.job = job, .deaths = deaths, .turn = turn < MOST_TURN ? turn : MOST_TURN};
    if (!job->turns) return GLSHAPE_OK;
    TRY(owners_new(err, job->columns, &sh.owners));
    TRY(allocate(err, &workers, (size_t)threads, sizeof *workers, "the threads' columns"));
    for (int i = 0; i < threads; i++) workers[i] = (worker){.sh = &sh, .first = !i};
    threads_run(threads, (size_t)threads, reduce_columns, workers);
    work->bytes += owners_bytes(&sh.owners);
    for (int i = 0; i < threads; i++) finish_worker(&workers[i], work);
    int status = atomic_load(&sh.status);
    if (status == GLSHAPE_CANCELLED) return fail(err, GLSHAPE_CANCELLED, "cancelled");
    if (status == GLSHAPE_GPU_ERROR)
        return fail(err, GLSHAPE_GPU_ERROR, "a column that passes have reduced makes no sense");
    return status ? fail(err, GLSHAPE_NO_MEMORY, "not enough memory to reduce %u columns", job->turns)
                  : GLSHAPE_OK;
}
