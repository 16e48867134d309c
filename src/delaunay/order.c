/* Equal points are found by a hash table of coordinates. The others are cut into blocks. */
#include "delaunay/order.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "delaunay/cut.h"

#define CHUNK 16384u /* points of one item of work */

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

static glshape_status match_equal_points(error *err, threads_team *team, const exact_points *p,
                                         uint32_t *same) {
    OWNED_BY(free_table) table t = {.xy = p->xy, .n = p->n, .mask = 1, .same = same};
    while (t.mask < p->n) t.mask = 2 * t.mask + 1;
    t.mask = 2 * t.mask + 1;
    TRY(allocate(err, &t.slot, (size_t)t.mask + 1, sizeof *t.slot, "the table of points"));
    size_t chunks = p->n / CHUNK + 1;
    threads_team_run(team, chunks, insert_chunk, &t);
    threads_team_run(team, chunks, resolve_chunk, &t);
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

typedef struct filling {
    const exact_points *p;
    const uint32_t *same;
    uint32_t *first; /* of each chunk of points: how many distinct ones; then the item of the first */
    delaunay_item *items;
    uint32_t *place; /* of all points */
    delaunay_order *o;
} filling;

static void count_distinct(void *user, size_t chunk) {
    filling *f = user;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < f->p->n && i / CHUNK == chunk; i++)
        f->first[chunk] += f->same[i] == i;
}

static void list_distinct(void *user, size_t chunk) {
    filling *f = user;
    delaunay_item *to = f->items + f->first[chunk];
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < f->p->n && i / CHUNK == chunk; i++)
        if (f->same[i] == i) *to++ = (delaunay_item){f->p->xy[2 * (size_t)i], f->p->xy[2 * (size_t)i + 1], i};
}

static void place_chunk(void *user, size_t chunk) {
    filling *f = user;
    for (uint32_t i = (uint32_t)chunk * CHUNK; i < f->o->n && i / CHUNK == chunk; i++) {
        f->o->xy[2 * (size_t)i] = f->items[i].x;
        f->o->xy[2 * (size_t)i + 1] = f->items[i].y;
        f->o->row[i] = f->items[i].row;
        f->place[f->items[i].row] = i;
    }
}

static void end_chunk(void *user, size_t chunk) {
    filling *f = user;
    for (uint32_t m = (uint32_t)chunk * CHUNK; m <= f->o->n && m / CHUNK == chunk; m++)
        if (m > 1) f->o->ends[m] = f->place[f->o->ends[m]];
}

glshape_status delaunay_order_new(error *err, threads_team *team, const exact_points *p, uint32_t *same,
                                  delaunay_order *out) {
    OWNED delaunay_item *items = NULL;
    OWNED uint32_t *place = NULL, *first = NULL;
    OWNED_BY(delaunay_order_free) delaunay_order o = {.rows = p->n};
    size_t chunks = p->n / CHUNK + 1;
    TRY(match_equal_points(err, team, p, same));
    TRY(allocate(err, &first, chunks, sizeof *first, "counts of points"));
    filling f = {.p = p, .same = same, .first = first, .o = &o};
    threads_team_run(team, chunks, count_distinct, &f);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        uint32_t here = first[chunk];
        first[chunk] = o.n;
        o.n += here;
    }
    TRY(allocate(err, &items, o.n, sizeof *items, "the points in order"));
    TRY(allocate(err, &place, p->n, sizeof *place, "places of points"));
    TRY(allocate(err, &o.xy, 2 * (size_t)o.n, sizeof *o.xy, "the points in order"));
    TRY(allocate(err, &o.row, o.n, sizeof *o.row, "rows of points"));
    TRY(allocate(err, &o.ends, (size_t)o.n + 2, sizeof *o.ends, "ends of blocks"));
    f.items = items;
    f.place = place;
    threads_team_run(team, chunks, list_distinct, &f);
    TRY(delaunay_cut(err, team, items, o.n, o.ends));
    threads_team_run(team, chunks, place_chunk, &f);
    threads_team_run(team, chunks, end_chunk, &f);
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
