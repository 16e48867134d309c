/* The reduction, lock-free over columns (Morozov, Nigmetov, "Towards Lockfree Persistent Homology", 2020).
 *
 * A thread takes the next column and adds to it the columns that own its pivot, until no column owns its
 * pivot. One hash table says who owns a pivot. If an earlier column owns it, that column is added. If a
 * *later* column owns it, the thread's column takes the pivot, and the thread goes on with that later column.
 * Every step adds an earlier column to a later one. So the result is a reduced matrix, whatever the order of
 * events, and the pairs of a reduced matrix are unique. Owners publish immutable records: no reader sees half
 * a column.
 *
 * A few columns may take longer than all others together, while threads have nothing to do. A column whose
 * cofacets are very many is put off until the others are done. Then a device reduces it, or all threads
 * (wide.h).
 *
 * Columns are not stored. A record holds a column of the reduction matrix; when it is added, the cofacets of
 * its terms are made again. The column of an apparent pair needs no record: it is found from the pivot alone.
 */
#include "persistence/reduce.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "persistence/chunk.h"
#include "persistence/column.h"
#include "persistence/owners.h"

#define MOST_MODULUS 32768
#define LONG (UINT64_C(1) << 16) /* cofacets of a column that a device or all threads then reduce */
#define MOST_STUCK 100 /* looks at what a device has left, none of which begins later than the one before */
#define REDUCED_AT_ONCE 4096 /* columns that were reduced before, and that a thread takes at once */
#define MOST_AT_ONCE 1024    /* cells whose owners threads add to a long column, */
#define MOST_BY_DEVICE 65536 /* ... and a device */

/* A column as its owner left it. */
typedef struct record {
    uint32_t column, pivot_coefficient;
    size_t count;
    cell terms[]; /* count cells, whose cofacets make the column */
} record;

/* A column left for later: its terms so far, and the value of its pivot. */
typedef struct long_column {
    uint32_t column;
    float value, step;
    cell_pile terms;
} long_column;

typedef struct shared {
    const persistence_job *job;
    persistence_death *deaths;
    record **final; /* of each column; NULL if none is asked for */
    owners owners;
    atomic_uint next;
    atomic_int status;
    bool said;          /* the error has the sentence of the status */
    bool alone;         /* one worker is at work, with all threads: */
    threads_team *team; /* NULL: no column was long yet */
    long_column *later;
    atomic_uint later_count;
} shared;

typedef struct worker {
    shared *sh;
    bool first; /* the worker that asks go_on */
    working_column column;
    chunk *records;
    persistence_work work;
    size_t wide_bytes;
} worker;

static bool add_record(worker *w, const record *r, uint32_t factor) {
    for (size_t i = 0; i < r->count; i++)
        if (!column_add_cell(&w->column, r->terms[i], factor)) return false;
    return column_flush(&w->column);
}

/* ---- owners of pivots -------------------------------------------------------------------------- */

static record *make_record(worker *w, uint32_t column, uint32_t pivot_coefficient, const cell *terms,
                           size_t count) {
    size_t bytes = sizeof(record) + count * sizeof(cell);
    record *r = (record *)(void *)chunk_take(&w->records, bytes / sizeof(uint64_t));
    if (!r) {
        atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
        return NULL;
    }
    *r = (record){column, pivot_coefficient, count};
    memcpy(r->terms, terms, count * sizeof(cell));
    return r;
}

/* Makes a record of the working column. */
static record *publish(worker *w, uint32_t column, uint32_t pivot_coefficient) {
    if (!column_merge_terms(&w->column)) return NULL;
    return make_record(w, column, pivot_coefficient, w->column.terms.items, w->column.terms.count);
}

/* ---- columns ----------------------------------------------------------------------------------- */

static bool stopped(worker *w, uint32_t column) {
    shared *sh = w->sh;
    if (w->first && sh->job->go_on && !sh->job->go_on(sh->job->user, (double)column / sh->job->count))
        atomic_store(&sh->status, GLSHAPE_CANCELLED);
    return atomic_load_explicit(&sh->status, memory_order_relaxed);
}

/* Records what is known of the column now; only the thread that works on it may do so. */
static void record_death(shared *sh, uint32_t column, record *r, persistence_death death) {
    sh->deaths[column] = death;
    if (sh->final) sh->final[column] = r;
}

/* Makes column the owner of its pivot and returns true; *displaced is then the later column that owned it
 * before, or NULL. Returns false if an earlier column owns the pivot, which is then *owner, or without
 * memory. */
static bool claim_pivot(worker *w, uint32_t column, cell pivot, const record **owner,
                        const record **displaced) {
    owner_slot *at = owners_slot(&w->sh->owners, owners_scatter(&w->sh->owners, pivot.index), pivot.index);
    void *now = atomic_load_explicit(&at->owner, memory_order_acquire);
    record *mine = NULL;
    do {
        *displaced = *owner = now;
        if (now && (*owner)->column < column) return false;
        if (!mine && !(mine = publish(w, column, pivot.coefficient))) return false;
        record_death(w->sh, column, mine,
                     (persistence_death){pivot.index, pivot.value}); /* before anyone can take it */
    } while (!atomic_compare_exchange_weak(&at->owner, &now, mine));
    return true;
}

/* Returns the factor by which the owner of a pivot is added to cancel it; coefficient: the pivot's in the
 * owner. */
static uint32_t cancelling_factor(const filtered_complex *s, cell pivot, uint32_t coefficient) {
    return (uint32_t)((uint64_t)(s->modulus - pivot.coefficient) * s->inverse[coefficient] % s->modulus);
}

/* Returns true if the pivot is the cofacet of an apparent pair, whose column owns it without a record. *facet
 * is then that column's cell, and *coefficient the pivot's in it. */
static bool apparent_column(const worker *w, cell pivot, cell *facet, uint32_t *coefficient) {
    const filtered_complex *k = w->sh->job->complex;
    *facet = (cell){.value = pivot.value, .coefficient = 1};
    return k->apparent_facet &&
           k->apparent_facet(k->space, pivot, w->sh->job->dim + 1, &facet->index, coefficient);
}

/* Goes on with the column of a record; the working column is given up. */
static bool go_on_with(worker *w, const record *r, uint32_t *column) {
    *column = r->column;
    column_clear(&w->column, w->sh->job->columns[*column].value);
    return add_record(w, r, 1);
}

/* Cancels the pivot by adding the column that owns it; or makes the working column its owner and goes on with
 * the column that owned it before, which becomes *column. False: nothing is left to do, or it failed. */
static bool eliminate_pivot(worker *w, uint32_t *column, cell pivot) {
    const record *owner, *displaced;
    cell facet;
    uint32_t coefficient;
    if (apparent_column(w, pivot, &facet, &coefficient)) {
        w->column.least = w->column.least < pivot.value ? pivot.value : w->column.least;
        return column_make(&w->column) &&
               column_add_cell(&w->column, facet,
                               cancelling_factor(w->sh->job->complex, pivot, coefficient)) &&
               column_flush(&w->column);
    }
    if (claim_pivot(w, *column, pivot, &owner, &displaced)) {
        return displaced && go_on_with(w, displaced, column);
    }
    if (!owner || owner->column >= *column) return false;
    w->work.additions++;
    w->column.least = w->column.least < pivot.value ? pivot.value : w->column.least;
    return column_make(&w->column) &&
           add_record(w, owner, cancelling_factor(w->sh->job->complex, pivot, owner->pivot_coefficient));
}

static void record_essential(worker *w, uint32_t column) {
    record *r = w->sh->final ? publish(w, column, 0) : NULL;
    record_death(w->sh, column, r, (persistence_death){PERSISTENCE_ESSENTIAL, INFINITY});
}

/* ---- long columns ------------------------------------------------------------------------------ */

/* Returns true if the working column has become so long that all threads should reduce it. Cells of the value
 * of its own cell are cancelled one after another, as facets of that value may come later than it. */
static bool is_long(const worker *w, uint32_t column, cell pivot) {
    const persistence_job *job = w->sh->job;
    return w->column.cofacets - w->column.begun > (job->long_after ? job->long_after : LONG) &&
           pivot.value > job->columns[column].value && !job->cocycle;
}

/* Leaves the column for later. False: not enough memory. */
static bool put_off(worker *w, uint32_t column, float value) {
    long_column *l = &w->sh->later[atomic_fetch_add(&w->sh->later_count, 1)];
    if (!column_merge_terms(&w->column)) return false;
    *l = (long_column){column, value, w->column.step, MOVE(w->column.terms)};
    return true;
}

/* A column that all threads reduce, or the device. */
typedef struct long_work {
    worker *w;
    uint32_t column;
    wide_column *wide;
    const persistence_device *device; /* NULL: all threads, */
    bool room;                        /* ... as the device has none */
    cell_pile left, adding;
    cell first; /* of what was left before; coefficient 0: nothing yet */
    int stuck;  /* how often that did not come later */
} long_work;

static void long_work_free(long_work *l) {
    free(l->left.items);
    free(l->adding.items);
    if (l->wide) {
        l->w->column.cofacets += wide_cofacets(l->wide);
        if (wide_bytes(l->wide) > l->w->wide_bytes) l->w->wide_bytes = wide_bytes(l->wide);
        wide_free(l->wide);
    }
    if (l->device) l->w->column.cofacets += l->device->cofacets(l->device->of);
}

/* Returns whether the device can go on; if it failed, its sentence stands. */
static bool device_goes_on(long_work *l, glshape_status status) {
    if (status) atomic_store(&l->w->sh->status, (int)status);
    l->w->sh->said |= status != GLSHAPE_OK;
    return !status && l->room;
}

static bool threads_go_on(const long_work *l, bool have_memory) {
    if (!have_memory) atomic_store(&l->w->sh->status, GLSHAPE_NO_MEMORY);
    return have_memory;
}

static bool find_left(long_work *l) {
    l->left.count = 0;
    return l->device ? device_goes_on(l, l->device->left(l->device->of, &l->left, &l->room))
                     : threads_go_on(l, wide_left(l->wide, &l->left));
}

static bool add_gathered(long_work *l) {
    const cell_pile *a = &l->adding;
    return l->device ? device_goes_on(l, l->device->add(l->device->of, a->items, a->count, &l->room))
                     : threads_go_on(l, wide_add(l->wide, a->items, a->count));
}

static bool before(const cell *a, const cell *b) {
    return cell_before(a->value, a->index, b->value, b->index);
}

static void swap_cells(cell *a, cell *b) {
    cell other = *a;
    *a = *b;
    *b = other;
}

/* Appends the terms of a record, times what cancels the pivot. */
static bool gather(long_work *l, cell pivot, const record *r) {
    const filtered_complex *k = l->w->sh->job->complex;
    uint32_t factor = cancelling_factor(k, pivot, r->pivot_coefficient);
    cell_pile *a = &l->adding;
    if (!threads_go_on(
            l, !memory_reserve(NULL, &a->items, &a->room, a->count + r->count, sizeof *a->items, NULL)))
        return false;
    for (size_t i = 0; i < r->count; i++) {
        cell e = r->terms[i];
        e.coefficient = (uint32_t)((uint64_t)e.coefficient * factor % k->modulus);
        a->items[a->count++] = e;
    }
    l->w->work.additions++;
    return true;
}

/* Moves the first cells of a pile, `count` at least, to its beginning, and drops the others, if there are
 * many more. */
static void keep_first(cell_pile *p, size_t count) {
    cell *from = p->items, *end = from + p->count;
    while ((size_t)(end - p->items) > 2 * count) {
        cell middle = from[(end - from - 1) / 2], *low = from - 1, *high = end;
        for (;;) {
            while (before(++low, &middle)) continue;
            while (before(&middle, --high)) continue;
            if (low >= high) break;
            swap_cells(low, high);
        }
        if ((size_t)(high + 1 - p->items) >= count) end = high + 1;
        else from = high + 1;
    }
    p->count = (size_t)(end - p->items);
}

/* Moves the first cell of a pile to its beginning. */
static void put_first_first(cell_pile *p) {
    for (size_t i = 1; i < p->count; i++)
        if (before(&p->items[i], p->items)) swap_cells(&p->items[i], p->items);
}

/* Gathers the earlier columns that own cells which are left, if one of them owns the first. They are added at
 * once. So a cell may be cancelled by one column and brought back by another: then it is left once more. */
static bool gather_owners(long_work *l) {
    cell_pile *left = &l->left;
    l->adding.count = 0;
    keep_first(left, l->device ? MOST_BY_DEVICE : MOST_AT_ONCE);
    put_first_first(left);
    for (size_t i = 0; i < left->count; i++) {
        const record *owner = owners_find(&l->w->sh->owners, left->items[i].index);
        bool earlier = owner && owner->column < l->column;
        if (!earlier && !i) return true;
        if (earlier && !gather(l, left->items[i], owner)) return false;
    }
    return true;
}

/* Whether what is left begins later than before. A device may begin a range of values anew, but not often. */
static bool gets_on(long_work *l) {
    cell first = l->left.items[0];
    l->stuck +=
        l->first.coefficient && !cell_before(l->first.value, l->first.index, first.value, first.index);
    l->first = first;
    l->room = l->room && (!l->device || l->stuck < MOST_STUCK);
    return !l->device || l->room;
}

/* Fetches the terms of the column, if the device has them, so that they can be published. */
static bool fetch_terms(long_work *l) {
    if (!l->device) return true;
    l->w->column.terms.count = 0;
    return device_goes_on(l, l->device->terms(l->device->of, &l->w->column.terms));
}

/* Cancels what is left until the column is zero or owns a pivot. *displaced is then the record of the column
 * that owned it before, or NULL: nothing is left to do, or it failed. */
static void reduce_wide(long_work *l, const record **displaced) {
    worker *w = l->w;
    const record *owner;
    *displaced = NULL;
    while (!stopped(w, l->column) && find_left(l)) {
        if (!l->left.count) {
            record_essential(w, l->column);
            return;
        }
        if (!gather_owners(l) || !gets_on(l)) return;
        if (l->adding.count) {
            if (!add_gathered(l)) return;
        } else {
            if (fetch_terms(l) && !claim_pivot(w, l->column, l->left.items[0], &owner, displaced))
                *displaced = NULL;
            return;
        }
    }
}

static const record *reduce_by_threads(worker *w, uint32_t column, float value) {
    OWNED_BY(long_work_free) long_work l = {.w = w, .column = column};
    const persistence_job *job = w->sh->job;
    const record *displaced = NULL;
    shared *sh = w->sh;
    if (!sh->team) sh->team = threads_team_new(job->threads);
    if (sh->team)
        l.wide = wide_new(job->complex, job->dim, sh->team, &w->column.terms, value, w->column.step);
    if (threads_go_on(&l, l.wide != NULL)) reduce_wide(&l, &displaced);
    return displaced;
}

/* *done false: the device has no room for the column. */
static const record *reduce_by_device(worker *w, uint32_t column, float value, bool *done) {
    const persistence_device *device = w->sh->job->device;
    OWNED_BY(long_work_free) long_work l = {.w = w, .column = column, .device = device, .room = true};
    const record *displaced = NULL;
    if (device_goes_on(&l, device->begin(device->of, &w->column.terms, value, w->column.step, &l.room))) {
        reduce_wide(&l, &displaced);
        w->work.given_up += !l.room;
    }
    *done = l.room;
    return displaced;
}

/* Reduces the working column, whose terms are known, by the device, unless it gave one up before, or with all
 * threads. Returns the record of a later column to go on with, or NULL. */
static const record *widen(worker *w, uint32_t column, float value) {
    bool done = false;
    const record *displaced = NULL;
    if (w->sh->job->device && !w->work.given_up) displaced = reduce_by_device(w, column, value, &done);
    return done ? displaced : reduce_by_threads(w, column, value);
}

/* ---- each column ------------------------------------------------------------------------------- */

/* Goes on with a column whose pivot is sought. */
static void reduce_on(worker *w, uint32_t column) {
    cell pivot;
    bool zero;
    while (!stopped(w, column) && column_pivot(&w->column, &pivot, &zero)) {
        if (zero) {
            record_essential(w, column);
            return;
        }
        if (is_long(w, column, pivot)) {
            if (!w->sh->alone) {
                put_off(w, column, pivot.value);
                return;
            }
            const record *next = column_merge_terms(&w->column) ? widen(w, column, pivot.value) : NULL;
            if (!next || !go_on_with(w, next, &column)) return;
        } else if (!eliminate_pivot(w, &column, pivot)) return;
    }
}

/* Begins the column, whose pivot is then the first cofacet of its cell; *zero: it has none. */
static bool begin_column(worker *w, uint32_t column, cell *pivot, bool *zero) {
    const persistence_job *job = w->sh->job;
    cell e = job->columns[column];
    if (!job->first) return column_begin(&w->column, e, pivot, zero);
    *pivot = job->first[column].cell;
    *zero = !job->first[column].cofacets;
    column_begin_known(&w->column, e, job->first[column].cofacets);
    return true;
}

static void reduce_column(worker *w, uint32_t column) {
    cell e = w->sh->job->columns[column], pivot = e;
    bool zero;
    if (!begin_column(w, column, &pivot, &zero)) return;
    if (w->sh->job->oldest) w->sh->job->oldest[column] = zero ? PERSISTENCE_ESSENTIAL : pivot.index;
    if (!column_add_cell(&w->column, e, 1)) return;
    if (zero) record_essential(w, column);
    else if (!stopped(w, column) && eliminate_pivot(w, &column, pivot)) reduce_on(w, column);
}

/* Reduces a column that was left for later. */
static void reduce_long(worker *w, long_column *l) {
    uint32_t column = l->column;
    column_clear(&w->column, w->sh->job->columns[column].value);
    free(w->column.terms.items);
    w->column.terms = MOVE(l->terms);
    w->column.step = l->step;
    const record *next = widen(w, column, l->value);
    if (next && go_on_with(w, next, &column)) reduce_on(w, column);
}

static int by_column(const void *a, const void *b) {
    const long_column *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

static void reduce_long_columns(worker *w) {
    shared *sh = w->sh;
    uint32_t count = atomic_load(&sh->later_count);
    sh->alone = true;
    if (count) qsort(sh->later, count, sizeof *sh->later, by_column);
    for (uint32_t k = 0; k < count && !atomic_load(&sh->status); k++) reduce_long(w, &sh->later[k]);
}

static bool is_reduced(const persistence_job *job, uint32_t column) {
    return job->reduced && !job->reduced[column].left;
}

/* Goes on with a column that was left. */
static void reduce_left(worker *w, uint32_t column) {
    const persistence_job *job = w->sh->job;
    const persistence_reduced *r = &job->reduced[column];
    record *now = make_record(w, column, 0, r->terms, r->count);
    column_begin_known(&w->column, job->columns[column], job->first[column].cofacets);
    if (now && go_on_with(w, now, &column)) reduce_on(w, column);
}

static void reduce_columns(void *workers, size_t which) {
    worker *w = (worker *)workers + which;
    for (uint32_t column; !atomic_load(&w->sh->status);) {
        if ((column = atomic_fetch_add(&w->sh->next, 1)) >= w->sh->job->count) return;
        if (is_reduced(w->sh->job, column)) continue;
        if (w->sh->job->reduced && w->sh->job->reduced[column].terms) reduce_left(w, column);
        else reduce_column(w, column);
    }
}

/* ---- columns that were reduced before ------------------------------------------------------------ */

/* Makes the owner of its pivot of a column that was reduced. */
static void take_reduced(worker *w, uint32_t column) {
    const persistence_job *job = w->sh->job;
    const persistence_reduced *r = &job->reduced[column];
    const owners *o = &w->sh->owners;
    const cell *terms = r->terms ? r->terms : &job->columns[column];
    if (r->pivot.index == PERSISTENCE_ESSENTIAL) return;
    owner_slot *at = owners_slot(o, owners_scatter(o, r->pivot.index), r->pivot.index);
    atomic_store(&at->owner, make_record(w, column, r->pivot.coefficient, terms, r->count));
}

static void take_some_reduced(void *workers, size_t which) {
    worker *w = (worker *)workers + which;
    const persistence_job *job = w->sh->job;
    while (!atomic_load(&w->sh->status)) {
        uint32_t begin = atomic_fetch_add(&w->sh->next, REDUCED_AT_ONCE), end = begin + REDUCED_AT_ONCE;
        if (begin >= job->count) return;
        for (uint32_t column = begin; column < end && column < job->count; column++)
            if (is_reduced(job, column)) take_reduced(w, column);
    }
}

/* Fills the deaths that are known. Returns how many columns are not reduced. */
static uint32_t take_deaths(const persistence_job *job, persistence_death *deaths) {
    uint32_t left = 0;
    for (uint32_t j = 0; j < job->count; j++) {
        const persistence_reduced *r = &job->reduced[j];
        left += r->left;
        deaths[j] = (persistence_death){r->pivot.index, r->pivot.value};
        if (job->oldest)
            job->oldest[j] = job->first[j].cofacets ? job->first[j].cell.index : PERSISTENCE_ESSENTIAL;
    }
    return left;
}

static void finish_worker(worker *w, persistence_work *work) {
    work->additions += w->work.additions;
    work->given_up += w->work.given_up;
    work->cofacets += w->column.cofacets;
    work->bytes += chunk_bytes(w->records) + w->wide_bytes + column_bytes(&w->column);
    column_free(&w->column);
    chunk_free(w->records);
}

/* ---- all columns ------------------------------------------------------------------------------- */

static void hand_out_cocycles(const shared *sh) {
    const persistence_job *job = sh->job;
    for (uint32_t j = 0; j < job->count; j++)
        job->cocycle(job->cocycle_user, j, sh->final[j]->terms, sh->final[j]->count);
}

static glshape_status outcome(error *err, const shared *sh) {
    int status = atomic_load(&sh->status);
    if (status == GLSHAPE_CANCELLED) return fail(err, GLSHAPE_CANCELLED, "cancelled");
    if (!status) return GLSHAPE_OK;
    if (sh->said) return (glshape_status)status;
    return fail(err, GLSHAPE_NO_MEMORY, "not enough memory to reduce the columns of dimension %d",
                sh->job->dim);
}

static void free_shared(shared *sh) {
    for (uint32_t k = 0; k < atomic_load(&sh->later_count); k++) free(sh->later[k].terms.items);
    free(sh->later);
    threads_team_free(sh->team);
    free(sh->owners.slots);
    free(sh->final);
}

glshape_status persistence_reduce(error *err, const persistence_job *job, persistence_death *deaths,
                                  persistence_work *work) {
    int threads = job->cocycle ? 1 : threads_count(job->threads);
    OWNED_BY(free_shared) shared sh = {.job = job, .deaths = deaths};
    OWNED worker *workers = NULL;
    if (job->reduced && !take_deaths(job, deaths)) return GLSHAPE_OK;
    TRY(owners_new(err, job->count, &sh.owners));
    if (!job->cocycle) TRY(allocate(err, &sh.later, job->count, sizeof *sh.later, "columns"));
    if (job->cocycle) TRY(allocate(err, &sh.final, job->count, sizeof(record *), "cocycles"));
    TRY(allocate(err, &workers, (size_t)threads, sizeof *workers, "the threads' columns"));
    for (int i = 0; i < threads; i++)
        workers[i] = (worker){.sh = &sh,
                              .first = !i,
                              .column = {.complex = job->complex,
                                         .dim = job->dim,
                                         .status = &sh.status,
                                         .heap.modulus = job->complex->modulus,
                                         .steps = 1,
                                         .current = COLUMN_BUCKETS - 1}};
    if (job->reduced) threads_run(threads, (size_t)threads, take_some_reduced, workers);
    atomic_store(&sh.next, 0);
    threads_run(threads, (size_t)threads, reduce_columns, workers);
    if (!atomic_load(&sh.status)) reduce_long_columns(&workers[0]);
    glshape_status status = outcome(err, &sh);
    if (!status && job->cocycle) hand_out_cocycles(&sh);
    work->bytes += owners_bytes(&sh.owners);
    for (int i = 0; i < threads; i++) finish_worker(&workers[i], work);
    return status;
}

static bool is_prime(int p) {
    for (int d = 2; d * d <= p; d++)
        if (p % d == 0) return false;
    return p > 1;
}

glshape_status persistence_check_modulus(error *err, int modulus) {
    if (modulus < MOST_MODULUS && is_prime(modulus)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "modulus %d is no prime below %d", modulus, MOST_MODULUS);
}

/* From the inverse of the remainder of modulus by i. */
glshape_status persistence_inverses(error *err, uint32_t modulus, uint32_t **out) {
    TRY(allocate(err, out, modulus, sizeof **out, "inverses"));
    (*out)[1] = 1;
    for (uint32_t i = 2; i < modulus; i++) {
        uint64_t of_rest = (*out)[modulus % i];
        (*out)[i] = modulus - (uint32_t)((modulus / i) * of_rest % modulus);
    }
    return GLSHAPE_OK;
}
