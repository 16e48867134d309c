#include "persistence/wide.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/threads.h"

#define BUCKETS 64
#define GRAIN 64u      /* terms that a thread takes at a time */
#define FEW 1024u      /* terms that one thread does before others have begun */
#define FEW_ITEMS 256u /* are sorted by qsort */
#define MOST_THREADS 64

/* What one thread makes. */
typedef struct maker {
    cell_pile batch, terms;
    cell_pile buckets[BUCKETS];
    uint64_t cofacets;
} maker;

struct wide_column {
    const filtered_complex *k;
    int dim, threads;
    cell_pile *terms;
    float from, bound, step; /* cofacets above `from` and up to the bound are in the buckets */
    float scale;             /* maps a value above `from` to its bucket */
    int current;             /* buckets before it are empty */
    maker *makers;
    radix_item *items, *spare; /* cells of the current bucket; of each once, those in no apparent pair */
    size_t count, room, spare_room;
    bool mixed; /* the items are not added up */
    atomic_bool failed;
};

static bool reserve(wide_column *w, cell_pile *p, size_t more) {
    if (!memory_reserve(NULL, &p->items, &p->room, p->count + more, sizeof *p->items, NULL)) return true;
    atomic_store(&w->failed, true);
    return false;
}

/* ---- cofacets ---------------------------------------------------------------------------------- */

static int bucket_of(const wide_column *w, float value) {
    float at = (value - w->from) * w->scale;
    int bucket = at < 0 ? 0 : at < BUCKETS - 1 ? (int)at : BUCKETS - 1;
    return bucket < w->current ? w->current : bucket;
}

/* Puts the cofacets of e of the values wanted into the buckets of a thread, but for the one called without.
 */
static bool make_cofacets(wide_column *w, maker *m, cell e, cell_range wanted, uint64_t without) {
    m->batch.count = 0;
    if (!reserve(w, &m->batch, w->k->most_cofacets)) return false;
    size_t found = w->k->cofacets(w->k->space, e, w->dim, wanted, m->batch.items);
    m->cofacets += found;
    for (size_t i = 0; i < found; i++) {
        cell c = m->batch.items[i];
        cell_pile *p = &m->buckets[bucket_of(w, c.value)];
        if (c.index == without) continue;
        if (p->count == p->room && !reserve(w, p, 1)) return false;
        p->items[p->count++] = c;
    }
    return true;
}

typedef struct making {
    wide_column *w;
    const cell *terms;
    size_t count;
    uint32_t factor;
    cell_range wanted;
    bool (*work)(struct making *, maker *, size_t);
} making;

static bool work_grain(void *user, uint64_t grain, int thread) {
    making *m = user;
    size_t end = (grain + 1) * GRAIN < m->count ? (grain + 1) * GRAIN : m->count;
    for (size_t i = grain * GRAIN; i < end; i++)
        if (!m->work(m, &m->w->makers[thread], i)) return false;
    return true;
}

static bool work_all(making *m) {
    threads_share(m->count < FEW ? 1 : m->w->threads, (m->count + GRAIN - 1) / GRAIN, work_grain, m);
    return !atomic_load(&m->w->failed);
}

static bool make_of_term(making *m, maker *by, size_t i) {
    cell e = m->terms[i];
    e.coefficient = (uint32_t)((uint64_t)e.coefficient * m->factor % m->w->k->modulus);
    return make_cofacets(m->w, by, e, m->wanted, UINT64_MAX);
}

/* ---- the current bucket -------------------------------------------------------------------------- */

static float value_of(const radix_item *i) {
    float value;
    memcpy(&value, &i->b, sizeof value);
    return value;
}

static radix_item item_of(const cell *c) {
    radix_item i = {.at = c->index, .a = c->coefficient};
    memcpy(&i.b, &c->value, sizeof i.b);
    return i;
}

static cell cell_of(const radix_item *i) { return (cell){i->at, value_of(i), i->a}; }

static int by_index(const void *a, const void *b) {
    const radix_item *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Takes what the threads made for the current bucket. */
static bool gather(wide_column *w) {
    size_t more = 0;
    for (int t = 0; t < w->threads; t++) more += w->makers[t].buckets[w->current].count;
    if (!more) return true;
    w->mixed = true;
    if (memory_reserve(NULL, &w->items, &w->room, w->count + more, sizeof *w->items, NULL)) return false;
    for (int t = 0; t < w->threads; t++) {
        cell_pile *p = &w->makers[t].buckets[w->current];
        for (size_t i = 0; i < p->count; i++) w->items[w->count++] = item_of(&p->items[i]);
        p->count = 0;
    }
    return true;
}

/* Adds up equal cells. */
static bool add_up(wide_column *w) {
    size_t kept = 0;
    w->mixed = false;
    if (memory_reserve(NULL, &w->spare, &w->spare_room, w->count, sizeof *w->spare, NULL)) return false;
    if (w->count < FEW_ITEMS) qsort(w->items, w->count, sizeof *w->items, by_index);
    else radix_sort(w->items, w->spare, w->count);
    for (size_t i = 0; i < w->count;) {
        radix_item e = w->items[i++];
        while (i < w->count && w->items[i].at == e.at) e.a = (e.a + w->items[i++].a) % w->k->modulus;
        if (e.a) w->items[kept++] = e;
    }
    w->count = kept;
    return true;
}

/* If item i is in an apparent pair, adds the column of its facet, which cancels it. */
static bool cancel_item(making *m, maker *by, size_t i) {
    wide_column *w = m->w;
    radix_item *item = &w->items[i];
    cell c = cell_of(item), facet = {.value = c.value};
    uint32_t coefficient;
    if (!w->k->apparent_facet ||
        !w->k->apparent_facet(w->k->space, c, w->dim + 1, &facet.index, &coefficient))
        return true;
    item->a = 0;
    facet.coefficient =
        (uint32_t)((uint64_t)(w->k->modulus - c.coefficient) * w->k->inverse[coefficient] % w->k->modulus);
    if (!reserve(w, &by->terms, 1)) return false;
    by->terms.items[by->terms.count++] = facet;
    return make_cofacets(w, by, facet, m->wanted, c.index);
}

static bool cancel_items(wide_column *w) {
    size_t kept = 0;
    making m = {.w = w, .count = w->count, .wanted = {-1, w->bound}, .work = cancel_item};
    if (!work_all(&m)) return false;
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].a) w->items[kept++] = w->items[i];
    w->count = kept;
    for (int t = 0; t < w->threads; t++) {
        cell_pile *p = &w->makers[t].terms;
        if (!reserve(w, w->terms, p->count)) return false;
        if (p->count) memcpy(w->terms->items + w->terms->count, p->items, p->count * sizeof *p->items);
        w->terms->count += p->count;
        p->count = 0;
    }
    return true;
}

/* ---- the column ---------------------------------------------------------------------------------- */

/* Adds up equal terms. No item is in use. */
static bool add_up_terms(wide_column *w) {
    cell_pile *p = w->terms;
    if (memory_reserve(NULL, &w->items, &w->room, p->count, sizeof *w->items, NULL)) return false;
    for (size_t i = 0; i < p->count; i++) w->items[i] = item_of(&p->items[i]);
    w->count = p->count;
    if (!add_up(w)) return false;
    for (size_t i = 0; i < w->count; i++) p->items[i] = cell_of(&w->items[i]);
    p->count = w->count;
    w->count = 0;
    return true;
}

/* Makes the cofacets above the bound and up to the next. */
static bool raise_bound(wide_column *w) {
    if (!add_up_terms(w)) return false;
    float next = w->bound + w->step, end = w->k->threshold;
    w->from = w->bound;
    w->bound = next < end && next > w->from ? next : end;
    w->scale = BUCKETS / (w->bound - w->from);
    if (!(w->scale < INFINITY)) w->scale = 0;
    w->current = 0;
    making m = {.w = w,
                .terms = w->terms->items,
                .count = w->terms->count,
                .factor = 1,
                .wanted = {w->from, w->bound},
                .work = make_of_term};
    return work_all(&m);
}

wide_column *wide_new(const filtered_complex *k, int dim, int threads, cell_pile *terms, float value,
                      float step) {
    wide_column *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->k = k;
    w->dim = dim;
    w->threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    w->terms = terms;
    w->bound = nextafterf(value, -1);
    w->step = step;
    w->current = BUCKETS;
    w->makers = calloc((size_t)w->threads, sizeof *w->makers);
    if (w->makers) return w;
    free(w);
    return NULL;
}

bool wide_pivot(wide_column *w, cell *pivot, bool *zero) {
    for (;; w->current++) {
        while (w->current == BUCKETS) {
            if ((*zero = w->bound >= w->k->threshold)) return true;
            if (!raise_bound(w)) return false;
        }
        for (;;) {
            if (!gather(w)) return false;
            if (!w->mixed) break;
            if (!add_up(w) || !cancel_items(w)) return false;
        }
        if (!w->count) continue;
        const radix_item *first = w->items;
        for (size_t i = 1; i < w->count; i++)
            if (cell_before(value_of(&w->items[i]), w->items[i].at, value_of(first), first->at))
                first = &w->items[i];
        *pivot = cell_of(first);
        *zero = false;
        return true;
    }
}

bool wide_add(wide_column *w, const cell *terms, size_t count, uint32_t factor) {
    making m = {.w = w,
                .terms = terms,
                .count = count,
                .factor = factor,
                .wanted = {w->from, w->bound},
                .work = make_of_term};
    if (!reserve(w, w->terms, count)) return false;
    for (size_t i = 0; i < count; i++) {
        cell e = terms[i];
        e.coefficient = (uint32_t)((uint64_t)e.coefficient * factor % w->k->modulus);
        w->terms->items[w->terms->count++] = e;
    }
    return work_all(&m);
}

uint64_t wide_cofacets(const wide_column *w) {
    uint64_t all = 0;
    for (int t = 0; t < w->threads; t++) all += w->makers[t].cofacets;
    return all;
}

size_t wide_bytes(const wide_column *w) {
    size_t cells = 0;
    for (int t = 0; t < w->threads; t++) {
        cells += w->makers[t].batch.room + w->makers[t].terms.room;
        for (int b = 0; b < BUCKETS; b++) cells += w->makers[t].buckets[b].room;
    }
    return (cells + w->room + w->spare_room) * sizeof(cell);
}

void wide_free(wide_column *w) {
    for (int t = 0; t < w->threads; t++) {
        free(w->makers[t].batch.items);
        free(w->makers[t].terms.items);
        for (int b = 0; b < BUCKETS; b++) free(w->makers[t].buckets[b].items);
    }
    free(w->makers);
    free(w->items);
    free(w->spare);
    free(w);
}
