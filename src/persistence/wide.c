#include "persistence/wide.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"

#define BUCKETS 16
#define GRAIN 32u /* terms that a thread takes at a time */
#define FEW 128u  /* cells that one thread adds up */

/* What one thread makes. */
typedef struct maker {
    cell_pile batch, terms;
    cell_pile buckets[BUCKETS];
    cell_pile taken; /* what it had made for the current bucket when the round began */
    uint64_t cofacets;
} maker;

/* The cells of the current bucket whose indices have a hash in some range. */
typedef struct portion {
    radix_item *items, *spare; /* each cell once, by index; those in no apparent pair */
    size_t count, room, spare_room;
} portion;

struct wide_column {
    const filtered_complex *k;
    int dim, threads;
    threads_team *team;
    cell_pile *terms;
    float from, bound, step; /* cofacets above `from` and up to the bound are in the buckets */
    float scale;             /* maps a value above `from` to its bucket */
    int current;             /* buckets before it are empty */
    maker *makers;
    portion *portions;
    size_t portion_count;
    radix_item *items, *spare; /* to add up terms */
    size_t room, spare_room;
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
    threads_team_share(m->w->team, (m->count + GRAIN - 1) / GRAIN, work_grain, m);
    return !atomic_load(&m->w->failed);
}

static bool make_of_term(making *m, maker *by, size_t i) {
    return make_cofacets(m->w, by, m->terms[i], m->wanted, UINT64_MAX);
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

static size_t portion_of(const wide_column *w, uint64_t index) {
    return (index * 0x9e3779b97f4a7c15u >> 32) * w->portion_count >> 32;
}

/* Appends what was taken for a portion, by index. Returns how many. */
static size_t gather(wide_column *w, size_t which) {
    portion *p = &w->portions[which];
    size_t count = p->count;
    for (int t = 0; t < w->threads; t++) {
        const cell_pile *taken = &w->makers[t].taken;
        for (size_t i = 0; i < taken->count; i++) {
            if (portion_of(w, taken->items[i].index) != which) continue;
            if (memory_reserve(NULL, &p->items, &p->room, count + 1, sizeof *p->items, NULL)) {
                atomic_store(&w->failed, true);
                return 0;
            }
            p->items[count++] = item_of(&taken->items[i]);
        }
    }
    if (memory_reserve(NULL, &p->spare, &p->spare_room, count, sizeof *p->spare, NULL)) {
        atomic_store(&w->failed, true);
        return 0;
    }
    radix_sort(p->items + p->count, p->spare, count - p->count);
    return count - p->count;
}

/* If the cell is in an apparent pair, adds the column of its facet, which cancels it. */
static bool cancel(wide_column *w, maker *by, const radix_item *item) {
    cell c = cell_of(item), facet = {.value = c.value};
    uint32_t coefficient;
    if (!w->k->apparent_facet ||
        !w->k->apparent_facet(w->k->space, c, w->dim + 1, &facet.index, &coefficient))
        return false;
    facet.coefficient =
        (uint32_t)((uint64_t)(w->k->modulus - c.coefficient) * w->k->inverse[coefficient] % w->k->modulus);
    if (!reserve(w, &by->terms, 1)) return true;
    by->terms.items[by->terms.count++] = facet;
    make_cofacets(w, by, facet, (cell_range){-1, w->bound}, c.index);
    return true;
}

/* Adds what was taken to a portion, and cancels cells in apparent pairs. */
static bool work_portion(void *user, uint64_t which, int thread) {
    wide_column *w = user;
    portion *p = &w->portions[which];
    size_t kept = 0, fresh = gather(w, which);
    radix_item *known = p->items, *end = known + p->count, *next = end, *last = end + fresh;
    while (known < end || next < last) {
        bool old = known < end && (next == last || known->at <= next->at);
        radix_item e = old ? *known++ : *next++;
        while (next < last && next->at == e.at) e.a = (e.a + next++->a) % w->k->modulus;
        if (e.a && (old || !cancel(w, &w->makers[thread], &e))) p->spare[kept++] = e;
    }
    *p = (portion){p->spare, p->items, kept, p->spare_room, p->room};
    return !atomic_load(&w->failed);
}

/* Takes what the threads made for the current bucket. Returns how many cells. */
static size_t take_made(wide_column *w) {
    size_t count = 0;
    for (maker *m = w->makers; m < w->makers + w->threads; m++) {
        cell_pile made = m->buckets[w->current];
        m->taken.count = 0;
        m->buckets[w->current] = m->taken;
        m->taken = made;
        count += made.count;
    }
    return count;
}

/* Takes the facets whose columns were added. */
static bool take_terms(wide_column *w) {
    for (maker *m = w->makers; m < w->makers + w->threads; m++) {
        if (!reserve(w, w->terms, m->terms.count)) return false;
        if (m->terms.count)
            memcpy(w->terms->items + w->terms->count, m->terms.items,
                   m->terms.count * sizeof *m->terms.items);
        w->terms->count += m->terms.count;
        m->terms.count = 0;
    }
    return true;
}

/* Adds up and cancels until no thread makes cells of the current bucket. */
static bool clear_bucket(wide_column *w) {
    for (size_t count; (count = take_made(w));) {
        if (count >= FEW) threads_team_share(w->team, w->portion_count, work_portion, w);
        else
            for (size_t k = 0; k < w->portion_count; k++) work_portion(w, k, 0);
        if (atomic_load(&w->failed) || !take_terms(w)) return false;
    }
    return true;
}

/* ---- the column ---------------------------------------------------------------------------------- */

/* Adds up equal terms. */
static bool add_up_terms(wide_column *w) {
    cell_pile *p = w->terms;
    size_t kept = 0;
    if (memory_reserve(NULL, &w->items, &w->room, p->count, sizeof *w->items, NULL) ||
        memory_reserve(NULL, &w->spare, &w->spare_room, p->count, sizeof *w->spare, NULL))
        return false;
    for (size_t i = 0; i < p->count; i++) w->items[i] = item_of(&p->items[i]);
    radix_sort(w->items, w->spare, p->count);
    for (size_t i = 0; i < p->count;) {
        radix_item e = w->items[i++];
        while (i < p->count && w->items[i].at == e.at) e.a = (e.a + w->items[i++].a) % w->k->modulus;
        if (e.a) p->items[kept++] = cell_of(&e);
    }
    p->count = kept;
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
                .wanted = {w->from, w->bound},
                .work = make_of_term};
    return work_all(&m);
}

wide_column *wide_new(const filtered_complex *k, int dim, threads_team *team, cell_pile *terms, float value,
                      float step) {
    wide_column *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->k = k;
    w->dim = dim;
    w->team = team;
    w->threads = threads_team_size(team);
    w->terms = terms;
    w->bound = nextafterf(value, -1);
    w->step = step;
    w->current = BUCKETS;
    w->portion_count = 2 * (size_t)w->threads; /* about equal ones: two are enough for any thread */
    w->makers = calloc((size_t)w->threads, sizeof *w->makers);
    w->portions = calloc(w->portion_count, sizeof *w->portions);
    if (w->makers && w->portions) return w;
    free(w->makers);
    free(w->portions);
    free(w);
    return NULL;
}

/* Appends the cells of the current bucket. */
static bool list_items(wide_column *w, cell_pile *left) {
    for (const portion *p = w->portions; p < w->portions + w->portion_count; p++) {
        if (!reserve(w, left, p->count)) return false;
        for (size_t i = 0; i < p->count; i++) left->items[left->count++] = cell_of(&p->items[i]);
    }
    return true;
}

bool wide_left(wide_column *w, cell_pile *left) {
    for (size_t had = left->count;; w->current++) {
        while (w->current == BUCKETS) {
            if (w->bound >= w->k->threshold) return true;
            if (!raise_bound(w)) return false;
        }
        if (!clear_bucket(w) || !list_items(w, left)) return false;
        if (left->count > had) return true;
    }
}

bool wide_add(wide_column *w, const cell *terms, size_t count) {
    making m = {.w = w, .terms = terms, .count = count, .wanted = {w->from, w->bound}, .work = make_of_term};
    if (!reserve(w, w->terms, count)) return false;
    memcpy(w->terms->items + w->terms->count, terms, count * sizeof *terms);
    w->terms->count += count;
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
        cells += w->makers[t].batch.room + w->makers[t].terms.room + w->makers[t].taken.room;
        for (int b = 0; b < BUCKETS; b++) cells += w->makers[t].buckets[b].room;
    }
    for (size_t k = 0; k < w->portion_count; k++) cells += w->portions[k].room + w->portions[k].spare_room;
    return (cells + w->room + w->spare_room) * sizeof(cell);
}

void wide_free(wide_column *w) {
    for (int t = 0; t < w->threads; t++) {
        free(w->makers[t].batch.items);
        free(w->makers[t].terms.items);
        free(w->makers[t].taken.items);
        for (int b = 0; b < BUCKETS; b++) free(w->makers[t].buckets[b].items);
    }
    for (size_t k = 0; k < w->portion_count; k++) {
        free(w->portions[k].items);
        free(w->portions[k].spare);
    }
    free(w->makers);
    free(w->portions);
    free(w->items);
    free(w->spare);
    free(w);
}
