/* The reduction, lock-free over columns (Morozov, Nigmetov, "Towards Lockfree Persistent Homology", 2020).
 *
 * A thread takes the next column and adds to it the columns that own its pivot, until no column owns its
 * pivot. One hash table says who owns a pivot. If an earlier column owns it, that column is added. If a
 * *later* column owns it, the thread's column takes the pivot, and the thread goes on with that later column.
 * Every step adds an earlier column to a later one. So the result is a reduced matrix, whatever the order of
 * events, and the pairs of a reduced matrix are unique. Owners publish immutable records: no reader sees half
 * a column.
 *
 * The cofacets of a working column are made a range of values at a time, the earliest first: at first those
 * up to a bound a little beyond the column's own value. When none of these is left, the bound is raised and
 * the next range is made. Most columns find a pivot of their own long before the threshold.
 *
 * A few columns may take longer than all others together, while threads have nothing to do. A column whose
 * cofacets are very many is put off until the others are done. Then all threads reduce it (wide.h).
 *
 * Columns are not stored, unless the job says so. A record holds a column of the reduction matrix; when it is
 * added, the cofacets of its terms are made again. The column of an apparent pair needs no record: it is
 * found from the pivot alone.
 *
 * If the job keeps columns, a record holds one as it was reduced, and all cofacets are made at once: right
 * where cells have few cofacets, as critical cells of a grid. */
#include "persistence/reduce.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "persistence/heap.h"
#include "persistence/wide.h"

#define MOST_MODULUS 32768
#define LONG (UINT64_C(1) << 16) /* cofacets of a column that all threads then reduce at once */
#define NOTHING (-1.0f)          /* a bound below every value */
#define MOST_STEPS 32            /* of a column's bound from its value to the threshold; ... */
#define STEP_COFACETS 16 /* ... one step for so many cofacets of its cell: few cofacets are soon sorted */
#define BUCKETS 64       /* by value, for the cofacets of a step */

/* A column as its owner left it. */
typedef struct record {
    uint32_t column, pivot_coefficient;
    size_t count;
    /* count cells, whose cofacets make the column. If columns are kept: count terms of the reduced column;
     * none: those of the column's own cell make it. */
    uint64_t terms[];
} record;

static const cell *cells_of(const record *r) { return (const cell *)(const void *)r->terms; }

/* Memory for records, which are freed all at once. */
typedef struct chunk {
    struct chunk *next;
    size_t used, room; /* words */
    uint64_t words[];
} chunk;

#define FIRST_CHUNK ((size_t)1 << 10) /* words; each next one is twice as large, ... */
#define LAST_CHUNK ((size_t)1 << 21)  /* ... up to this */

typedef struct slot {
    _Atomic uint64_t pivot; /* + 1; 0: free */
    _Atomic(record *) owner;
} slot;

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
    slot *slots;
    int log2_slots;
    atomic_uint next;
    atomic_int status;
    bool alone;         /* one worker is at work, with all threads: */
    threads_team *team; /* NULL: no column was long yet */
    long_column *later;
    atomic_uint later_count;
} shared;

typedef struct worker {
    shared *sh;
    bool first;                 /* the worker that asks go_on */
    cell_pile batch, spare;     /* cofacets on their way to the column */
    cell_heap heap;             /* of the working column */
    cell_pile terms;            /* its column of the reduction matrix */
    cell_pile buckets[BUCKETS]; /* the rest of the working column, up to `bound`, in no order */
    int steps, current;         /* steps of the bound; buckets up to the current one are in the heap */
    float from, scale;          /* they map a value to its bucket */
    float bound, least,
        step; /* cofacets up to bound are made; least: of the next bound; step: to later ones */
    chunk *records;
    persistence_work work;
    size_t record_bytes;
    size_t wide_bytes;
    uint64_t begun; /* work.cofacets when the working column was empty */
} worker;

static bool reserve(worker *w, cell_pile *p, size_t more) {
    if (!memory_reserve(NULL, &p->items, &p->room, p->count + more, sizeof *p->items, NULL)) return true;
    atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
    return false;
}

/* ---- batches of cofacets ----------------------------------------------------------------------- */

#define DIGIT 11         /* bits */
#define BATCH (1u << 20) /* entries at a time, more or less */
#define FEW 512          /* these do not cancel beforehand */
#define SORT_FEW 64      /* these are sorted by insertion */

/* One pass of a radix sort by index. */
static void sort_digit(const cell *from, cell *to, size_t count, int shift) {
    size_t start[(1 << DIGIT) + 1] = {0};
    for (size_t i = 0; i < count; i++) start[(from[i].index >> shift & ((1 << DIGIT) - 1)) + 1]++;
    for (size_t d = 0; d < 1 << DIGIT; d++) start[d + 1] += start[d];
    for (size_t i = 0; i < count; i++) to[start[from[i].index >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Adds up equal entries, which lie side by side, and drops those that cancel. */
static void merge_equal(cell_pile *p, uint32_t modulus) {
    size_t kept = 0;
    for (size_t i = 0; i < p->count;) {
        cell e = p->items[i++];
        while (i < p->count && p->items[i].index == e.index)
            e.coefficient = (e.coefficient + p->items[i++].coefficient) % modulus;
        if (e.coefficient) p->items[kept++] = e;
    }
    p->count = kept;
}

static void sort_few(cell_pile *p) {
    for (size_t k = 1, at; k < p->count; k++) {
        cell e = p->items[k];
        for (at = k; at && p->items[at - 1].index > e.index; at--) p->items[at] = p->items[at - 1];
        p->items[at] = e;
    }
}

static bool sort_by_index(worker *w, cell_pile *p) {
    uint64_t most = 0;
    if (p->count <= SORT_FEW) {
        sort_few(p);
        return true;
    }
    if (!reserve(w, &w->spare, p->count)) return false;
    for (size_t i = 0; i < p->count; i++) most |= p->items[i].index;
    for (int shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
        cell_pile sorted = {w->spare.items, p->count, w->spare.room};
        sort_digit(p->items, sorted.items, p->count, shift);
        w->spare = (cell_pile){p->items, 0, p->room};
        *p = sorted;
    }
    return true;
}

/* Adds up equal cells, if there are so many that most of them cancel. */
static bool cancel_equal(worker *w, cell_pile *p) {
    if (p->count <= FEW) return true;
    if (!sort_by_index(w, p)) return false;
    merge_equal(p, w->sh->job->complex->modulus);
    return true;
}

/* The bucket of a value: never a lower one for a larger value, whatever is rounded. */
static int bucket_of(const worker *w, float value) {
    float at = (value - w->from) * w->scale;
    return at < 0 ? 0 : at < BUCKETS - 1 ? (int)at : BUCKETS - 1;
}

static bool push_cell(worker *w, cell e) {
    if (cell_heap_push(&w->heap, e)) return true;
    atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
    return false;
}

static bool push_all(worker *w, cell_pile *p) {
    if (!cancel_equal(w, p)) return false;
    for (size_t i = 0; i < p->count; i++)
        if (!push_cell(w, p->items[i])) return false;
    p->count = 0;
    return true;
}

/* Moves the cofacets of the batch to the heap and the buckets. */
static bool flush_batch(worker *w) {
    if (w->current == BUCKETS - 1) return push_all(w, &w->batch);
    if (!cancel_equal(w, &w->batch)) return false;
    for (size_t i = 0; i < w->batch.count; i++) {
        cell e = w->batch.items[i];
        int bucket = bucket_of(w, e.value);
        cell_pile *p = &w->buckets[bucket];
        if (bucket <= w->current ? !push_cell(w, e) : !reserve(w, p, 1)) return false;
        if (bucket > w->current) p->items[p->count++] = e;
    }
    w->batch.count = 0;
    return true;
}

static size_t cofacets_of(const worker *w, cell e, cell_range wanted, cell *out) {
    const filtered_complex *k = w->sh->job->complex;
    return k->cofacets(k->space, e, w->sh->job->dim, wanted, out);
}

static bool add_cofacets(worker *w, cell e, cell_range wanted) {
    if (!reserve(w, &w->batch, w->sh->job->complex->most_cofacets)) return false;
    size_t found = cofacets_of(w, e, wanted, w->batch.items + w->batch.count);
    w->batch.count += found;
    w->work.cofacets += found;
    return w->batch.count < BATCH || flush_batch(w);
}

/* Adds factor × the cell and, up to the bound, its coboundary to the working column. */
static bool add_cell(worker *w, cell e, uint32_t factor) {
    e.coefficient = (uint32_t)((uint64_t)e.coefficient * factor % w->sh->job->complex->modulus);
    if (!reserve(w, &w->terms, 1)) return false;
    w->terms.items[w->terms.count++] = e;
    return w->bound < 0 || add_cofacets(w, e, (cell_range){NOTHING, w->bound});
}

static cell cell_of_term(const filtered_complex *k, uint64_t term, uint32_t factor) {
    uint64_t index = term >> 16, coefficient = term & 0xffff;
    return (cell){index, k->value(k->space, index), (uint32_t)(coefficient * factor % k->modulus)};
}

/* Adds factor × these terms to the working column. */
static bool add_terms(worker *w, const uint64_t *terms, size_t count, uint32_t factor) {
    const filtered_complex *k = w->sh->job->complex;
    w->bound = k->threshold; /* all is made */
    for (size_t i = 0; i < count; i++)
        if (!push_cell(w, cell_of_term(k, terms[i], factor))) return false;
    return true;
}

/* Adds factor × the cofacets of a column's own cell to the working column, if the job keeps columns. */
static bool add_own_terms(worker *w, uint32_t column, uint32_t factor) {
    const filtered_complex *k = w->sh->job->complex;
    size_t count;
    const uint64_t *terms = k->terms(k->space, w->sh->job->columns[column].index, &count);
    w->work.cofacets += count;
    return add_terms(w, terms, count, factor);
}

static bool add_record(worker *w, const record *r, uint32_t factor) {
    if (w->sh->job->keep_columns)
        return r->count ? add_terms(w, r->terms, r->count, factor) : add_own_terms(w, r->column, factor);
    for (size_t i = 0; i < r->count; i++)
        if (!add_cell(w, cells_of(r)[i], factor)) return false;
    return flush_batch(w);
}

/* ---- owners of pivots -------------------------------------------------------------------------- */

static slot *home(const shared *sh, uint64_t pivot) {
    return &sh->slots[(pivot * 0x9e3779b97f4a7c15u) >> (64 - sh->log2_slots)];
}

static slot *following(const shared *sh, slot *at) {
    return ++at == sh->slots + ((size_t)1 << sh->log2_slots) ? sh->slots : at;
}

/* Returns the slot of a pivot; takes a free one if the pivot has none. */
static slot *slot_of(const shared *sh, uint64_t pivot) {
    for (slot *at = home(sh, pivot);; at = following(sh, at)) {
        uint64_t key = atomic_load_explicit(&at->pivot, memory_order_acquire);
        if (!key && atomic_compare_exchange_strong(&at->pivot, &key, pivot + 1)) return at;
        if (key == pivot + 1) return at;
    }
}

/* Adds up equal terms. */
static bool merge_terms(worker *w) {
    if (w->terms.count < 2) return true;
    if (!sort_by_index(w, &w->terms)) return false;
    merge_equal(&w->terms, w->sh->job->complex->modulus);
    return true;
}

/* ---- the rest of the working column ------------------------------------------------------------ */

/* Empties the working column; no cofacets are made yet. */
static void clear_working_column(worker *w, float value) {
    cell_heap_clear(&w->heap);
    w->terms.count = 0;
    while (w->current < BUCKETS - 1) w->buckets[++w->current].count = 0;
    w->begun = w->work.cofacets;
    w->bound = NOTHING;
    w->least = value;
    w->step = (w->sh->job->complex->threshold - value) / (float)w->steps;
}

/* Returns the bound after this one; it is at least w->least. */
static float next_bound(worker *w) {
    float end = w->sh->job->complex->threshold, bound = w->bound < w->least ? w->least : w->bound;
    if (w->bound >= w->least) bound += w->step;
    return bound < end && bound > w->bound ? bound : end;
}

/* Raises the bound and makes the cofacets up to it. */
static bool raise_bound(worker *w) {
    float from = w->bound;
    w->bound = next_bound(w);
    w->from = from < w->least ? w->least : from;
    w->scale = w->bound > w->from ? BUCKETS / (w->bound - w->from) : 0;
    w->current = w->scale > 0 && w->scale < INFINITY ? 0 : BUCKETS - 1;
    if (!merge_terms(w)) return false;
    for (size_t i = 0; i < w->terms.count; i++)
        if (!add_cofacets(w, w->terms.items[i], (cell_range){from, w->bound})) return false;
    return flush_batch(w);
}

static uint64_t place_of(const worker *w, uint64_t index) {
    const persistence_job *job = w->sh->job;
    return job->keep_columns ? job->complex->place(index) : 0;
}

/* The cells of this place, which are the first ones, pass it. */
static bool pass_place(worker *w, uint64_t place) {
    const filtered_complex *k = w->sh->job->complex;
    cell_pile *in = &w->terms, *out = &w->batch; /* nothing is in them: the job keeps columns */
    in->count = 0;
    for (cell e; cell_heap_first(&w->heap, &e) && k->place(e.index) == place; cell_heap_drop(&w->heap)) {
        if (!reserve(w, in, 1)) return false;
        in->items[in->count++] = e;
    }
    if (!reserve(w, out, k->most_passed)) return false;
    size_t count = k->pass(k->space, in->items, in->count, out->items);
    for (size_t i = 0; i < count; i++)
        if (!push_cell(w, out->items[i])) return false;
    w->work.passed++;
    return true;
}

/* Sets *pivot to the earliest cell of the working column, or *zero if the column has none. False: it failed.
 */
static bool find_pivot(worker *w, cell *pivot, bool *zero) {
    for (;;) {
        *zero = !cell_heap_first(&w->heap, pivot);
        uint64_t place = *zero ? 0 : place_of(w, pivot->index);
        if (place && !pass_place(w, place)) return false;
        if (place) continue;
        if (!*zero) return true;
        if (w->current < BUCKETS - 1) {
            if (!push_all(w, &w->buckets[++w->current])) return false;
        } else if (w->bound >= w->sh->job->complex->threshold) return true;
        else if (!raise_bound(w)) return false;
    }
}

/* Makes room for so many words, and more. */
static bool add_chunk(worker *w, size_t needed) {
    size_t room = w->records ? 2 * w->records->room : FIRST_CHUNK;
    room = room > LAST_CHUNK ? LAST_CHUNK : room;
    room = room < needed ? needed : room;
    chunk *c;
    if (allocate(NULL, &c, sizeof *c + room * sizeof(uint64_t), 1, NULL)) {
        atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
        return false;
    }
    *c = (chunk){w->records, 0, room};
    w->records = c;
    w->record_bytes += sizeof *c;
    return true;
}

/* Makes a record with room for so many words; the worker owns it. NULL: not enough memory. */
static record *make_record(worker *w, uint32_t column, uint32_t pivot_coefficient, size_t words) {
    size_t needed = sizeof(record) / sizeof(uint64_t) + words;
    if ((!w->records || w->records->room - w->records->used < needed) && !add_chunk(w, needed)) return NULL;
    record *r = (record *)(void *)(w->records->words + w->records->used);
    w->records->used += needed;
    w->record_bytes += needed * sizeof(uint64_t);
    *r = (record){column, pivot_coefficient, words};
    return r;
}

/* Makes a record of the working column itself. */
static record *keep_column(worker *w, uint32_t column, uint32_t pivot_coefficient) {
    size_t count = 0;
    if (!reserve(w, &w->batch, w->heap.count)) return NULL; /* nothing is in it: it was flushed */
    if (w->bound >= 0) count = cell_heap_list(&w->heap, w->batch.items);
    record *r = make_record(w, column, pivot_coefficient, count);
    for (size_t i = 0; r && i < count; i++)
        r->terms[i] = w->batch.items[i].index << 16 | w->batch.items[i].coefficient;
    return r;
}

/* Makes a record of the working column. */
static record *publish(worker *w, uint32_t column, uint32_t pivot_coefficient) {
    if (w->sh->job->keep_columns) return keep_column(w, column, pivot_coefficient);
    if (!merge_terms(w)) return NULL;
    size_t count = w->terms.count, words = count * (sizeof(cell) / sizeof(uint64_t));
    record *r = make_record(w, column, pivot_coefficient, words);
    if (!r) return NULL;
    r->count = count;
    memcpy(r->terms, w->terms.items, count * sizeof(cell));
    return r;
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
    slot *at = slot_of(w->sh, pivot.index);
    record *now = atomic_load_explicit(&at->owner, memory_order_acquire), *mine = NULL;
    do {
        *displaced = *owner = now;
        if (now && now->column < column) return false;
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

/* Begins the working column of e, and finds its pivot while nothing has been added: the first of e's
 * cofacets. Most columns need no more, because no other column owns that pivot (an emergent pair). *zero: e
 * has no cofacets. */
static bool first_pivot(worker *w, cell e, cell *pivot, bool *zero) {
    const filtered_complex *k = w->sh->job->complex;
    cell_range all = {NOTHING, k->threshold};
    if (w->sh->job->keep_columns) {
        size_t count;
        const uint64_t *terms = k->terms(k->space, e.index, &count);
        *zero = !count;
        if (count) *pivot = cell_of_term(k, terms[0], 1);
        clear_working_column(w, e.value);
        return true;
    }
    if (!reserve(w, &w->batch, k->most_cofacets)) return false;
    const cell *made = w->batch.items, *first = made;
    size_t found = cofacets_of(w, e, all, w->batch.items);
    w->work.cofacets += found;
    for (size_t i = 1; i < found; i++)
        if (cell_before(made[i].value, made[i].index, first->value, first->index)) first = &made[i];
    *zero = !found;
    if (found) *pivot = *first;
    w->steps = found / STEP_COFACETS < MOST_STEPS ? 1 + (int)(found / STEP_COFACETS) : MOST_STEPS;
    clear_working_column(w, e.value);
    return true;
}

/* Goes on with the column of a record; the working column is given up. */
static bool go_on_with(worker *w, const record *r, uint32_t *column) {
    *column = r->column;
    clear_working_column(w, w->sh->job->columns[*column].value);
    return add_record(w, r, 1);
}

/* Makes the cofacets of the column, if only the first one is known. */
static bool make_column(worker *w, uint32_t column) {
    if (w->bound >= 0) return true;
    return w->sh->job->keep_columns ? add_own_terms(w, column, 1) : raise_bound(w);
}

/* Cancels the pivot by adding the column that owns it; or makes the working column its owner and goes on with
 * the column that owned it before, which becomes *column. False: nothing is left to do, or it failed. */
static bool eliminate_pivot(worker *w, uint32_t *column, cell pivot) {
    const record *owner, *displaced;
    cell facet;
    uint32_t coefficient;
    if (apparent_column(w, pivot, &facet, &coefficient)) {
        w->least = w->least < pivot.value ? pivot.value : w->least;
        return make_column(w, *column) &&
               add_cell(w, facet, cancelling_factor(w->sh->job->complex, pivot, coefficient)) &&
               flush_batch(w);
    }
    if (claim_pivot(w, *column, pivot, &owner, &displaced)) {
        return displaced && go_on_with(w, displaced, column);
    }
    if (!owner || owner->column >= *column) return false;
    w->work.additions++;
    w->least = w->least < pivot.value ? pivot.value : w->least;
    return make_column(w, *column) &&
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
    return w->work.cofacets - w->begun > (job->long_after ? job->long_after : LONG) &&
           pivot.value > job->columns[column].value && !job->keep_columns && !job->cocycle;
}

/* Leaves the column for later. False: not enough memory. */
static bool put_off(worker *w, uint32_t column, float value) {
    long_column *l = &w->sh->later[atomic_fetch_add(&w->sh->later_count, 1)];
    if (!merge_terms(w)) return false;
    *l = (long_column){column, value, w->step, MOVE(w->terms)};
    return true;
}

/* Cancels pivots of a wide column, whose terms are the worker's, until it owns one. *displaced is then the
 * record of the column that owned it before, or NULL: nothing is left to do, or it failed. */
static void reduce_wide(worker *w, wide_column *wide, uint32_t column, const record **displaced) {
    const record *owner;
    cell pivot;
    bool zero;
    *displaced = NULL;
    while (!stopped(w, column)) {
        if (!wide_pivot(wide, &pivot, &zero)) break;
        if (zero) {
            record_essential(w, column);
            return;
        }
        if (claim_pivot(w, column, pivot, &owner, displaced)) return;
        *displaced = NULL;
        if (!owner || owner->column >= column) return;
        w->work.additions++;
        uint32_t factor = cancelling_factor(w->sh->job->complex, pivot, owner->pivot_coefficient);
        if (!wide_add(wide, cells_of(owner), owner->count, factor)) break;
    }
    if (!atomic_load(&w->sh->status)) atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
}

/* Reduces the working column, whose terms are known, with all threads. Returns the record of a later column
 * to go on with, or NULL. */
static const record *widen(worker *w, uint32_t column, float value) {
    const record *displaced = NULL;
    const persistence_job *job = w->sh->job;
    shared *sh = w->sh;
    if (!sh->team) sh->team = threads_team_new(job->threads);
    wide_column *wide =
        sh->team ? wide_new(job->complex, job->dim, sh->team, &w->terms, value, w->step) : NULL;
    if (!wide) {
        atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
        return NULL;
    }
    reduce_wide(w, wide, column, &displaced);
    w->work.cofacets += wide_cofacets(wide);
    if (wide_bytes(wide) > w->wide_bytes) w->wide_bytes = wide_bytes(wide);
    wide_free(wide);
    return displaced;
}

/* ---- each column ------------------------------------------------------------------------------- */

/* Goes on with a column whose pivot is sought. */
static void reduce_on(worker *w, uint32_t column) {
    cell pivot;
    bool zero;
    while (!stopped(w, column) && find_pivot(w, &pivot, &zero)) {
        if (zero) {
            record_essential(w, column);
            return;
        }
        if (is_long(w, column, pivot)) {
            if (!w->sh->alone) {
                put_off(w, column, pivot.value);
                return;
            }
            const record *next = merge_terms(w) ? widen(w, column, pivot.value) : NULL;
            if (!next || !go_on_with(w, next, &column)) return;
        } else if (!eliminate_pivot(w, &column, pivot)) return;
    }
}

static void reduce_column(worker *w, uint32_t column) {
    cell e = w->sh->job->columns[column], pivot = e;
    bool zero;
    if (!first_pivot(w, e, &pivot, &zero)) return;
    if (!w->sh->job->keep_columns && !add_cell(w, e, 1)) return;
    if (zero) record_essential(w, column);
    else if (!stopped(w, column) && eliminate_pivot(w, &column, pivot)) reduce_on(w, column);
}

/* Reduces a column that was left for later. */
static void reduce_long(worker *w, long_column *l) {
    uint32_t column = l->column;
    clear_working_column(w, w->sh->job->columns[column].value);
    free(w->terms.items);
    w->terms = MOVE(l->terms);
    w->step = l->step;
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

static void reduce_columns(void *workers, size_t which) {
    worker *w = (worker *)workers + which;
    for (uint32_t column; !atomic_load(&w->sh->status);) {
        if ((column = atomic_fetch_add(&w->sh->next, 1)) >= w->sh->job->count) return;
        reduce_column(w, column);
    }
}

static void finish_worker(worker *w, persistence_work *work) {
    work->additions += w->work.additions;
    work->cofacets += w->work.cofacets;
    work->passed += w->work.passed;
    work->bytes += w->record_bytes + w->wide_bytes + cell_heap_bytes(&w->heap) +
                   (w->batch.room + w->spare.room + w->terms.room) * sizeof(cell);
    for (int b = 0; b < BUCKETS; b++) {
        work->bytes += w->buckets[b].room * sizeof(cell);
        free(w->buckets[b].items);
    }
    for (chunk *c = w->records, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(w->batch.items);
    free(w->spare.items);
    cell_heap_free(&w->heap);
    free(w->terms.items);
}

/* ---- all columns ------------------------------------------------------------------------------- */

static void hand_out_cocycles(const shared *sh) {
    const persistence_job *job = sh->job;
    for (uint32_t j = 0; j < job->count; j++)
        job->cocycle(job->cocycle_user, j, cells_of(sh->final[j]), sh->final[j]->count);
}

static glshape_status outcome(error *err, const shared *sh) {
    int status = atomic_load(&sh->status);
    if (status == GLSHAPE_CANCELLED) return fail(err, GLSHAPE_CANCELLED, "cancelled");
    if (!status) return GLSHAPE_OK;
    return fail(err, GLSHAPE_NO_MEMORY, "not enough memory to reduce the columns of dimension %d",
                sh->job->dim);
}

static void free_shared(shared *sh) {
    for (uint32_t k = 0; k < atomic_load(&sh->later_count); k++) free(sh->later[k].terms.items);
    free(sh->later);
    threads_team_free(sh->team);
    free(sh->slots);
    free(sh->final);
}

glshape_status persistence_reduce(error *err, const persistence_job *job, persistence_death *deaths,
                                  persistence_work *work) {
    int threads = job->cocycle ? 1 : threads_count(job->threads);
    OWNED_BY(free_shared) shared sh = {.job = job, .deaths = deaths, .log2_slots = 4};
    OWNED worker *workers = NULL;
    while (((size_t)1 << sh.log2_slots) < 2 * (size_t)job->count) sh.log2_slots++;
    TRY(allocate(err, &sh.slots, (size_t)1 << sh.log2_slots, sizeof *sh.slots, "pivots"));
    if (!job->cocycle && !job->keep_columns)
        TRY(allocate(err, &sh.later, job->count, sizeof *sh.later, "columns"));
    if (job->cocycle) TRY(allocate(err, &sh.final, job->count, sizeof(record *), "cocycles"));
    TRY(allocate(err, &workers, (size_t)threads, sizeof *workers, "the threads' columns"));
    for (int i = 0; i < threads; i++)
        workers[i] = (worker){.sh = &sh,
                              .first = !i,
                              .heap.modulus = job->complex->modulus,
                              .steps = 1,
                              .current = BUCKETS - 1};
    threads_run(threads, (size_t)threads, reduce_columns, workers);
    if (!atomic_load(&sh.status)) reduce_long_columns(&workers[0]);
    glshape_status status = outcome(err, &sh);
    if (!status && job->cocycle) hand_out_cocycles(&sh);
    work->bytes += sizeof(slot) << sh.log2_slots;
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
