/* The reduction, lock-free over columns (Morozov, Nigmetov, "Towards Lockfree Persistent Homology", 2020).
 *
 * A thread takes the next column and adds to it the columns that own its pivot until nobody does. Who owns a
 * pivot stands in one hash table. A pivot that an earlier column owns means one more addition; one that a
 * *later* column owns is taken from it, and the thread goes on with that later column. Every step adds an
 * earlier column to a later one, so the end result is a reduced matrix whatever the order of events, and the
 * pairs of a reduced matrix are unique. Owners publish immutable records, so a reader never sees half a
 * column.
 *
 * A column is made from its near end: at first only the cofacets of diameter up to a bound that lies a little
 * beyond the column's own diameter. When they are used up, the bound is raised and the next ones are made.
 * Most columns are done long before that.
 *
 * Columns are never stored: a record holds the terms of the reduction matrix, whose cofacets are made again
 * when the column is added. Columns of apparent pairs are found from the pivot alone. */
#include "rips/reduce.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "rips/head.h"

#define NOTHING (-1.0f)  /* a bound below every diameter */
#define MOST_STEPS 32    /* by which a column's bound goes from its diameter to the end ... */
#define STEP_COFACETS 16 /* ... one for so many cofacets of its own: few are soon sorted */
#define BUCKETS 64       /* by diameter, of what a step makes */

/* A column as its owner left it. */
typedef struct record {
    struct record *next; /* of the same thread: all are freed at the end */
    uint32_t column, pivot_coefficient;
    size_t count;
    rips_entry terms[];
} record;

typedef struct slot {
    _Atomic uint64_t pivot; /* + 1; 0: free */
    _Atomic(record *) owner;
} slot;

typedef struct shared {
    const rips_space *s;
    int vertices;
    const rips_entry *columns;
    uint32_t count;
    rips_death *deaths;
    record **final; /* of each column; NULL if nobody asks */
    slot *slots;
    int log2_slots;
    atomic_uint next;
    atomic_int status;
    bool (*go_on)(void *user, double fraction);
    void *user;
    struct worker *workers; /* one a thread */
    int threads;
} shared;

/* A growing array of entries. */
typedef struct pile {
    rips_entry *items;
    size_t count, room;
} pile;

typedef struct worker {
    shared *sh;
    bool first;               /* this one asks go_on */
    pile batch, spare;        /* cofacets on their way to the column */
    rips_head head;           /* of the working column */
    pile terms;               /* its column of the reduction matrix */
    pile buckets[BUCKETS];    /* the rest of the working column, up to `bound`, in no order */
    int steps, current;       /* buckets up to the current one are in the head */
    float from, scale;        /* what bucket a diameter belongs to */
    float bound, least, step; /* cofacets up to bound are made; the next bound, and what follows */
    record *records;
    rips_work work;
    size_t record_bytes;
} worker;

static bool more_room(worker *w, pile *p, size_t more) {
    if (!memory_reserve(NULL, &p->items, &p->room, p->count + more, sizeof *p->items, NULL)) return true;
    atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
    return false;
}

/* ---- batches of cofacets ----------------------------------------------------------------------- */

#define DIGIT 11         /* bits */
#define BATCH (1u << 20) /* entries at a time, more or less */
#define FEW 512          /* these do not cancel beforehand */

/* One pass of a radix sort by index. */
static void sort_digit(const rips_entry *from, rips_entry *to, size_t count, int shift) {
    size_t start[(1 << DIGIT) + 1] = {0};
    for (size_t i = 0; i < count; i++) start[(from[i].index >> shift & ((1 << DIGIT) - 1)) + 1]++;
    for (size_t d = 0; d < 1 << DIGIT; d++) start[d + 1] += start[d];
    for (size_t i = 0; i < count; i++) to[start[from[i].index >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Adds up equal entries, which lie side by side, and drops those that cancel. */
static void merge_equal(pile *p, uint32_t modulus) {
    size_t kept = 0;
    for (size_t i = 0; i < p->count;) {
        rips_entry e = p->items[i++];
        while (i < p->count && p->items[i].index == e.index)
            e.coefficient = (e.coefficient + p->items[i++].coefficient) % modulus;
        if (e.coefficient) p->items[kept++] = e;
    }
    p->count = kept;
}

static bool sort_by_index(worker *w, pile *p) {
    uint64_t most = 0;
    if (!more_room(w, &w->spare, p->count)) return false;
    for (size_t i = 0; i < p->count; i++) most |= p->items[i].index;
    for (int shift = 0; shift < 64 && most >> shift; shift += DIGIT) {
        pile turned = {w->spare.items, p->count, w->spare.room};
        sort_digit(p->items, turned.items, p->count, shift);
        w->spare = (pile){p->items, 0, p->room};
        *p = turned;
    }
    return true;
}

/* Cancels equal entries if there are many: then most do. */
static bool cancel(worker *w, pile *p) {
    if (p->count <= FEW) return true;
    if (!sort_by_index(w, p)) return false;
    merge_equal(p, w->sh->s->modulus);
    return true;
}

/* The bucket of a diameter: never a lower one for a larger diameter, whatever is rounded. */
static int bucket_of(const worker *w, float diameter) {
    float at = (diameter - w->from) * w->scale;
    return at < 0 ? 0 : at < BUCKETS - 1 ? (int)at : BUCKETS - 1;
}

static bool push(worker *w, rips_entry e) {
    if (rips_head_push(&w->head, e)) return true;
    atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
    return false;
}

static bool push_all(worker *w, pile *p) {
    if (!cancel(w, p)) return false;
    for (size_t i = 0; i < p->count; i++)
        if (!push(w, p->items[i])) return false;
    p->count = 0;
    return true;
}

/* Puts the batch where it belongs. */
static bool flush_batch(worker *w) {
    if (w->current == BUCKETS - 1) return push_all(w, &w->batch);
    if (!cancel(w, &w->batch)) return false;
    for (size_t i = 0; i < w->batch.count; i++) {
        rips_entry e = w->batch.items[i];
        int bucket = bucket_of(w, e.diameter);
        pile *p = &w->buckets[bucket];
        if (bucket <= w->current ? !push(w, e) : !more_room(w, p, 1)) return false;
        if (bucket > w->current) p->items[p->count++] = e;
    }
    w->batch.count = 0;
    return true;
}

static bool add_cofacets(worker *w, rips_entry e, rips_range wanted) {
    if (!more_room(w, &w->batch, w->sh->s->n)) return false;
    size_t found = rips_cofacets(w->sh->s, e, w->sh->vertices, wanted, w->batch.items + w->batch.count);
    w->batch.count += found;
    w->work.cofacets += found;
    return w->batch.count < BATCH || flush_batch(w);
}

/* Adds factor × the simplex and, up to the bound, its coboundary to the working column. */
static bool add_simplex(worker *w, rips_entry e, uint32_t factor) {
    e.coefficient = (uint32_t)((uint64_t)e.coefficient * factor % w->sh->s->modulus);
    if (!more_room(w, &w->terms, 1)) return false;
    w->terms.items[w->terms.count++] = e;
    return w->bound < 0 || add_cofacets(w, e, (rips_range){NOTHING, w->bound});
}

static bool add_record(worker *w, const record *r, uint32_t factor) {
    for (size_t i = 0; i < r->count; i++)
        if (!add_simplex(w, r->terms[i], factor)) return false;
    return flush_batch(w);
}

/* ---- owners of pivots -------------------------------------------------------------------------- */

static slot *home(const shared *sh, uint64_t pivot) {
    return &sh->slots[(pivot * 0x9e3779b97f4a7c15u) >> (64 - sh->log2_slots)];
}

static slot *following(const shared *sh, slot *at) {
    return ++at == sh->slots + ((size_t)1 << sh->log2_slots) ? sh->slots : at;
}

/* The slot of a pivot; it is taken if there was none. */
static slot *slot_of(const shared *sh, uint64_t pivot) {
    for (slot *at = home(sh, pivot);; at = following(sh, at)) {
        uint64_t key = atomic_load_explicit(&at->pivot, memory_order_acquire);
        if (!key && atomic_compare_exchange_strong(&at->pivot, &key, pivot + 1)) return at;
        if (key == pivot + 1) return at;
    }
}

/* Adds up equal terms. */
static bool tidy_terms(worker *w) {
    if (w->terms.count < 2) return true;
    if (!sort_by_index(w, &w->terms)) return false;
    merge_equal(&w->terms, w->sh->s->modulus);
    return true;
}

/* ---- the far end of the working column --------------------------------------------------------- */

/* Empties the working column; no cofacets are made yet. */
static void clear(worker *w, float diameter) {
    rips_head_clear(&w->head);
    w->terms.count = 0;
    while (w->current < BUCKETS - 1) w->buckets[++w->current].count = 0;
    w->bound = NOTHING;
    w->least = diameter;
    w->step = (w->sh->s->threshold - diameter) / (float)w->steps;
}

/* The bound after this one, at least w->least. */
static float next_bound(worker *w) {
    float end = w->sh->s->threshold, bound = w->bound < w->least ? w->least : w->bound;
    if (w->bound >= w->least) bound += w->step;
    return bound < end && bound > w->bound ? bound : end;
}

/* Makes the next cofacets, when those up to the bound are used up. */
static bool raise_bound(worker *w) {
    float from = w->bound;
    w->bound = next_bound(w);
    w->from = from < w->least ? w->least : from;
    w->scale = w->bound > w->from ? BUCKETS / (w->bound - w->from) : 0;
    w->current = w->scale > 0 && w->scale < INFINITY ? 0 : BUCKETS - 1;
    if (!tidy_terms(w)) return false;
    for (size_t i = 0; i < w->terms.count; i++)
        if (!add_cofacets(w, w->terms.items[i], (rips_range){from, w->bound})) return false;
    return flush_batch(w);
}

/* The column's earliest simplex. *zero: there is none. */
static bool find_pivot(worker *w, rips_entry *pivot, bool *zero) {
    for (;;) {
        *zero = !rips_head_first(&w->head, pivot);
        if (!*zero) return true;
        if (w->current < BUCKETS - 1) {
            if (!push_all(w, &w->buckets[++w->current])) return false;
        } else if (w->bound >= w->sh->s->threshold) return true;
        else if (!raise_bound(w)) return false;
    }
}

static record *publishable(worker *w, uint32_t column, uint32_t pivot_coefficient) {
    if (!tidy_terms(w)) return NULL;
    size_t bytes = sizeof(record) + w->terms.count * sizeof(rips_entry);
    record *r = malloc(bytes);
    if (!r) {
        atomic_store(&w->sh->status, GLSHAPE_NO_MEMORY);
        return NULL;
    }
    *r = (record){w->records, column, pivot_coefficient, w->terms.count};
    memcpy(r->terms, w->terms.items, w->terms.count * sizeof *r->terms);
    w->records = r;
    w->record_bytes += bytes;
    return r;
}

/* ---- columns ----------------------------------------------------------------------------------- */

static bool stopped(worker *w, uint32_t column) {
    shared *sh = w->sh;
    if (w->first && sh->go_on && !sh->go_on(sh->user, (double)column / sh->count))
        atomic_store(&sh->status, GLSHAPE_CANCELLED);
    return atomic_load_explicit(&sh->status, memory_order_relaxed);
}

/* Records what is known of the column now; only the thread that works on it may do so. */
static void note_death(shared *sh, uint32_t column, record *r, rips_death death) {
    sh->deaths[column] = death;
    if (sh->final) sh->final[column] = r;
}

/* Makes the pivot the column's, or says whose it is: *other. *lost: a later column that it was taken from. */
static bool claim(worker *w, uint32_t column, rips_entry pivot, const record **other, const record **lost) {
    slot *at = slot_of(w->sh, pivot.index);
    record *owner = atomic_load_explicit(&at->owner, memory_order_acquire), *mine = NULL;
    do {
        *lost = owner;
        *other = owner;
        if (owner && owner->column < column) return false;
        if (!mine && !(mine = publishable(w, column, pivot.coefficient))) return false;
        note_death(w->sh, column, mine,
                   (rips_death){pivot.index, pivot.diameter}); /* before anyone can take it */
    } while (!atomic_compare_exchange_weak(&at->owner, &owner, mine));
    return true;
}

/* What the pivot's owner has to be multiplied by to cancel it. */
static uint32_t against(const rips_space *s, rips_entry pivot, uint32_t coefficient) {
    return (uint32_t)((uint64_t)(s->modulus - pivot.coefficient) * s->inverse[coefficient] % s->modulus);
}

/* The coefficient that c has in the coboundary of its facet tau: that of the cofacet's own enumeration. */
static uint32_t coefficient_in(const rips_space *s, uint64_t c, int vertices, uint64_t tau) {
    uint32_t v[RIPS_MOST_VERTICES], t[RIPS_MOST_VERTICES];
    int at = 0;
    rips_vertices(s, c, vertices, v);
    rips_vertices(s, tau, vertices - 1, t);
    while (at < vertices - 1 && v[at] == t[at]) at++;
    return (vertices - 1 - at) & 1 ? s->modulus - 1 : 1;
}

/* The column that owns the pivot without a record, that of an apparent pair, and the pivot's coefficient
 * there. */
static bool apparent_column(const worker *w, rips_entry pivot, rips_entry *tau, uint32_t *coefficient) {
    const shared *sh = w->sh;
    *tau = (rips_entry){.diameter = pivot.diameter, .coefficient = 1};
    if (!rips_apparent_facet(sh->s, pivot, sh->vertices + 1, &tau->index)) return false;
    *coefficient = coefficient_in(sh->s, pivot.index, sh->vertices + 1, tau->index);
    return true;
}

/* The pivot of a column that nothing has been added to, from its cofacets as they come: most need no more. */
static bool first_pivot(worker *w, rips_entry e, rips_entry *pivot, bool *zero) {
    rips_range all = {NOTHING, w->sh->s->threshold};
    if (!more_room(w, &w->batch, w->sh->s->n)) return false;
    const rips_entry *made = w->batch.items, *first = made;
    size_t found = rips_cofacets(w->sh->s, e, w->sh->vertices, all, w->batch.items);
    w->work.cofacets += found;
    for (size_t i = 1; i < found; i++)
        if (rips_before(made[i].diameter, made[i].index, first->diameter, first->index)) first = &made[i];
    *zero = !found;
    if (found) *pivot = *first;
    w->steps = found / STEP_COFACETS < MOST_STEPS ? 1 + (int)(found / STEP_COFACETS) : MOST_STEPS;
    clear(w, e.diameter);
    return true;
}

/* Takes the pivot away by adding a column to this one, or gives it to this one and goes on with the one that
 * had it; *column is then that one. False: there is nothing left to do, or it failed. */
static bool resolve(worker *w, uint32_t *column, rips_entry pivot) {
    const record *other, *lost;
    rips_entry tau;
    uint32_t coefficient;
    if (apparent_column(w, pivot, &tau, &coefficient)) {
        w->least = w->least < pivot.diameter ? pivot.diameter : w->least;
        return (w->bound >= 0 || raise_bound(w)) &&
               add_simplex(w, tau, against(w->sh->s, pivot, coefficient)) && flush_batch(w);
    }
    if (claim(w, *column, pivot, &other, &lost)) {
        if (!lost) return false;
        *column = lost->column;
        clear(w, w->sh->columns[*column].diameter);
        return add_record(w, lost, 1);
    }
    if (!other || other->column >= *column) return false;
    w->work.additions++;
    w->least = w->least < pivot.diameter ? pivot.diameter : w->least;
    return (w->bound >= 0 || raise_bound(w)) &&
           add_record(w, other, against(w->sh->s, pivot, other->pivot_coefficient));
}

static void reduce_column(worker *w, uint32_t column) {
    shared *sh = w->sh;
    rips_entry e = sh->columns[column], pivot = e;
    bool zero;
    for (bool fine = first_pivot(w, e, &pivot, &zero) && add_simplex(w, e, 1); fine && !stopped(w, column);
         fine = find_pivot(w, &pivot, &zero)) {
        if (zero) {
            note_death(sh, column, sh->final ? publishable(w, column, 0) : NULL,
                       (rips_death){RIPS_ESSENTIAL, INFINITY});
            return;
        }
        if (!resolve(w, &column, pivot)) return;
    }
}

static void run_worker(void *workers, size_t which) {
    worker *w = (worker *)workers + which;
    for (uint32_t column; !atomic_load(&w->sh->status);) {
        if ((column = atomic_fetch_add(&w->sh->next, 1)) >= w->sh->count) return;
        reduce_column(w, column);
    }
}

/* ---- all columns ------------------------------------------------------------------------------- */

static void count_work(const worker *w, rips_work *work) {
    work->additions += w->work.additions;
    work->cofacets += w->work.cofacets;
    work->bytes += w->record_bytes + rips_head_bytes(&w->head) +
                   (w->batch.room + w->spare.room + w->terms.room) * sizeof(rips_entry);
    for (int b = 0; b < BUCKETS; b++) work->bytes += w->buckets[b].room * sizeof(rips_entry);
}

static void worker_free(worker *w) {
    for (record *r = w->records, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    for (int b = 0; b < BUCKETS; b++) free(w->buckets[b].items);
    free(w->batch.items);
    free(w->spare.items);
    free(w->terms.items);
    rips_head_free(&w->head);
}

static void shared_free(shared *sh) {
    for (int i = 0; sh->workers && i < sh->threads; i++) worker_free(&sh->workers[i]);
    free(sh->workers);
    free(sh->slots);
    free(sh->final);
}

glshape_status rips_reduce(error *err, const rips_space *s, int vertices, const rips_entry *columns,
                           uint32_t count, int threads, bool (*go_on)(void *user, double fraction),
                           void *user, rips_cocycle cocycle, void *cocycle_user, rips_death *deaths,
                           rips_work *work) {
    OWNED_BY(shared_free) shared sh = {s, vertices, columns, count, deaths, .go_on = go_on, .user = user};
    for (sh.log2_slots = 4; (size_t)1 << sh.log2_slots < 2 * (size_t)count;) sh.log2_slots++;
    sh.threads = cocycle ? 1 : threads_count(threads);
    TRY(allocate(err, &sh.slots, (size_t)1 << sh.log2_slots, sizeof *sh.slots, "pivots"));
    if (cocycle) TRY(allocate(err, &sh.final, count, sizeof(record *), "cocycles"));
    TRY(allocate(err, &sh.workers, (size_t)sh.threads, sizeof *sh.workers, "the threads' columns"));
    for (int i = 0; i < sh.threads; i++)
        sh.workers[i] =
            (worker){.sh = &sh, .first = !i, .head.modulus = s->modulus, .steps = 1, .current = BUCKETS - 1};
    threads_run(sh.threads, (size_t)sh.threads, run_worker, sh.workers);
    work->bytes += sizeof(slot) << sh.log2_slots;
    for (int i = 0; i < sh.threads; i++) count_work(&sh.workers[i], work);
    int status = atomic_load(&sh.status);
    if (status == GLSHAPE_CANCELLED) return fail(err, GLSHAPE_CANCELLED, "cancelled");
    if (status)
        return fail(err, GLSHAPE_NO_MEMORY, "not enough memory to reduce the columns of dimension %d",
                    vertices - 1);
    for (uint32_t j = 0; cocycle && j < count; j++)
        cocycle(cocycle_user, j, sh.final[j]->terms, sh.final[j]->count);
    return GLSHAPE_OK;
}
