/* Equal points are found by a hash table of coordinates. Then blocks are cut in two across their longer
 * side until pairs are left. Blocks of one level are independent of each other. */
#include "delaunay/order.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"

#define CHUNK 65536u      /* points of one item of work */
#define SERIAL_HALF 4096u /* below this size of a half, one thread cuts a block down to pairs */

/* ---- equal points ------------------------------------------------------------------------------ */

typedef struct table {
    const double *xy;
    uint32_t n, mask;
    atomic_uint *slot; /* row + 1 */
    uint32_t *same;
} table;

static void free_table(table *t) { free(t->slot); }

static uint64_t mix(uint64_t h) {
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (h ^ h >> 29) * 0xc2b2ae3d27d4eb4fu;
}

static uint32_t place_of(const table *t, uint32_t i) {
    uint64_t bits[2];
    memcpy(bits, t->xy + 2 * (size_t)i, sizeof bits);
    uint64_t h = mix(bits[0] + mix(bits[1] + 0x9e3779b97f4a7c15u));
    return (uint32_t)(h >> 32) & t->mask;
}

static bool equal(const table *t, uint32_t i, uint32_t j) {
    const double *a = t->xy + 2 * (size_t)i, *b = t->xy + 2 * (size_t)j;
    return a[0] == b[0] && a[1] == b[1];
}

/* Enters point i into the table: same[i] = the slot of its coordinates, for now. In the end a slot holds
 * the smallest of the equal points. */
static void insert(table *t, uint32_t i) {
    for (uint32_t at = place_of(t, i);; at = (at + 1) & t->mask) {
        unsigned was = 0;
        if (!atomic_compare_exchange_strong(&t->slot[at], &was, i + 1) && !equal(t, was - 1, i)) continue;
        while (was > i + 1 && !atomic_compare_exchange_weak(&t->slot[at], &was, i + 1)) {}
        t->same[i] = at;
        return;
    }
}

static void insert_chunk(void *user, size_t item) {
    table *t = user;
    for (uint32_t i = (uint32_t)item * CHUNK; i < t->n && i / CHUNK == item; i++) insert(t, i);
}

static void resolve_chunk(void *user, size_t item) {
    table *t = user;
    for (uint32_t i = (uint32_t)item * CHUNK; i < t->n && i / CHUNK == item; i++)
        t->same[i] = atomic_load_explicit(&t->slot[t->same[i]], memory_order_relaxed) - 1;
}

static glshape_status match_equal_points(error *err, const exact_points *p, uint32_t *same) {
    OWNED_BY(free_table) table t = {.xy = p->xy, .n = p->n, .mask = 1, .same = same};
    while (t.mask < p->n) t.mask = 2 * t.mask + 1;
    t.mask = 2 * t.mask + 1;
    TRY(allocate(err, &t.slot, (size_t)t.mask + 1, sizeof *t.slot, "the table of points"));
    size_t chunks = p->n / CHUNK + 1;
    threads_run(0, chunks, insert_chunk, &t);
    threads_run(0, chunks, resolve_chunk, &t);
    return GLSHAPE_OK;
}

/* ---- cutting ----------------------------------------------------------------------------------- */

typedef struct item {
    double x, y;
    uint32_t row;
} item;

typedef struct division {
    item *items;
    uint32_t n, half, *ends;
} division;

static inline bool before(const item *a, const item *b, bool rotated) {
    if (rotated) return a->y < b->y || (a->y == b->y && a->x > b->x);
    return a->x < b->x || (a->x == b->x && a->y < b->y);
}

static inline void swap(item *a, item *b) {
    item t = *a;
    *a = *b;
    *b = t;
}

/* The median of three items spread over [low, high]. */
static inline item middle(const item *v, uint32_t low, uint32_t high, bool rotated) {
    uint32_t step = (high - low) / 4;
    const item *a = v + low + step, *b = v + low + 2 * step, *c = v + high - step;
    if (before(b, a, rotated)) {
        const item *t = a;
        a = b;
        b = t;
    }
    return before(c, b, rotated) ? before(c, a, rotated) ? *a : *c : *b;
}

/* Moves the item of rank k to v[k], the items before it below, those after it above. (Hoare's selection;
 * the pivot is never the last item.) */
static inline void select_rank(item *v, uint32_t count, uint32_t k, bool rotated) {
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        item pivot = middle(v, low, high, rotated);
        uint32_t i = low, j = high;
        for (;; i++, j--) {
            while (before(&v[i], &pivot, rotated)) i++;
            while (before(&pivot, &v[j], rotated)) j--;
            if (i >= j) break;
            swap(&v[i], &v[j]);
        }
        if (k <= j) high = j;
        else low = j + 1;
    }
}

static inline void cut_along(item *v, uint32_t count, uint32_t half, bool rotated, uint32_t *ends) {
    select_rank(v, count, half, rotated);
    const item *last = v;
    for (uint32_t i = 1; i < half; i++)
        if (before(last, &v[i], rotated)) last = &v[i];
    ends[0] = last->row;
    ends[1] = v[half].row;
}

/* Cuts the block of up to 2·half points at v across its longer side. Sets ends[0] and ends[1] to rows, for
 * now. */
static void cut(item *v, uint32_t count, uint32_t half, uint32_t *ends) {
    double least[2] = {v->x, v->y}, most[2] = {v->x, v->y};
    for (uint32_t i = 1; i < count; i++) {
        if (v[i].x < least[0]) least[0] = v[i].x;
        if (v[i].x > most[0]) most[0] = v[i].x;
        if (v[i].y < least[1]) least[1] = v[i].y;
        if (v[i].y > most[1]) most[1] = v[i].y;
    }
    if (most[1] / 2 - least[1] / 2 > most[0] / 2 - least[0] / 2) cut_along(v, count, half, true, ends);
    else cut_along(v, count, half, false, ends);
}

static void cut_block(void *user, size_t block) {
    const division *d = user;
    uint32_t start = (uint32_t)block * 2 * d->half, left = d->n - start;
    uint32_t count = left < 2 * d->half ? left : 2 * d->half;
    if (count > d->half) cut(d->items + start, count, d->half, d->ends + start + d->half);
}

static void cut_to_pairs(void *user, size_t block) {
    const division *d = user;
    uint32_t start = (uint32_t)block * 2 * d->half,
             end = d->n - start < 2 * d->half ? d->n : start + 2 * d->half;
    for (uint32_t half = d->half; half > 1; half /= 2)
        for (uint32_t at = start; at < end; at += 2 * half) {
            uint32_t count = end - at < 2 * half ? end - at : 2 * half;
            if (count > half) cut(d->items + at, count, half, d->ends + at + half);
        }
}

static void divide(item *items, uint32_t n, uint32_t *ends) {
    division d = {.items = items, .n = n, .half = 2, .ends = ends};
    while (2 * d.half < n) d.half *= 2;
    for (; d.half > SERIAL_HALF; d.half /= 2) threads_run(0, (n - 1) / (2 * d.half) + 1, cut_block, &d);
    if (n > 2) threads_run(0, (n - 1) / (2 * d.half) + 1, cut_to_pairs, &d);
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Fills o from the items. place, of all points, is working space. */
static void unpack(const item *items, uint32_t *place, delaunay_order *o) {
    for (uint32_t i = 0; i < o->n; i++) {
        o->xy[2 * (size_t)i] = items[i].x;
        o->xy[2 * (size_t)i + 1] = items[i].y;
        o->row[i] = items[i].row;
        place[items[i].row] = i;
    }
    for (uint32_t m = 2; m <= o->n; m++) o->ends[m] = place[o->ends[m]];
}

glshape_status delaunay_order_new(error *err, const exact_points *p, uint32_t *same, delaunay_order *out) {
    OWNED item *items = NULL;
    OWNED uint32_t *place = NULL;
    OWNED_BY(delaunay_order_free) delaunay_order o = {.rows = p->n};
    TRY(match_equal_points(err, p, same));
    for (uint32_t i = 0; i < p->n; i++) o.n += same[i] == i;
    TRY(allocate(err, &items, o.n, sizeof *items, "the points in order"));
    TRY(allocate(err, &place, p->n, sizeof *place, "places of points"));
    TRY(allocate(err, &o.xy, 2 * (size_t)o.n, sizeof *o.xy, "the points in order"));
    TRY(allocate(err, &o.row, o.n, sizeof *o.row, "rows of points"));
    TRY(allocate(err, &o.ends, (size_t)o.n + 2, sizeof *o.ends, "ends of blocks"));
    uint32_t filled = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (same[i] == i) items[filled++] = (item){p->xy[2 * (size_t)i], p->xy[2 * (size_t)i + 1], i};
    if (o.n) divide(items, o.n, o.ends);
    unpack(items, place, &o);
    *out = MOVE(o);
    return GLSHAPE_OK;
}

uint32_t delaunay_order_least(const delaunay_order *o) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < o->n; i++) {
        const double *a = o->xy + 2 * (size_t)i, *b = o->xy + 2 * (size_t)least;
        if (a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])) least = i;
    }
    return least;
}

void delaunay_order_free(delaunay_order *o) {
    free(o->xy);
    free(o->row);
    free(o->ends);
    *o = (delaunay_order){0};
}
