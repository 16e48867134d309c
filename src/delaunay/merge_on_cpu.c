/* Divide and conquer on the CPU, for coordinates that the device's integers do not hold. Big integers
 * decide where doubles are uncertain. The steps are those of glsl/delaunay/tangent.glsl and zip.glsl. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "delaunay/mesh.h"
#include "exact/predicates.h"

#define NONE UINT32_MAX
enum { STEPS_A_TICK = 1 << 14 };

typedef struct rings {
    const delaunay_order *o;
    exact_predicates points;
    uint32_t *next, *prev, *origin, *hull, first_free;
    double done; /* of all levels */
} rings;

/* ---- replaces ------------------------------------------------------------------------------------ */

static uint32_t least_row(const rings *w, uint32_t a, uint32_t b) {
    return w->o->row[a] < w->o->row[b] ? a : b;
}

/* Returns true if d, not a, makes the next triangle with the base l, r: d is inside the circle through a, l
 * and r. If all four are on one circle, rows decide as in zip.glsl; fan is l or r. */
static bool replaces(rings *w, uint32_t a, uint32_t l, uint32_t r, uint32_t d, uint32_t fan) {
    int s = exact_in_circle(&w->points, (const uint32_t[3]){a, l, r}, d);
    uint32_t least = least_row(w, least_row(w, a, d), least_row(w, l, r));
    return s ? s > 0 : least == d || least == fan;
}

/* ---- rings ------------------------------------------------------------------------------------- */

static uint32_t target(const rings *w, uint32_t e) { return w->origin[e ^ 1]; }

static void link_between(rings *w, uint32_t x, uint32_t e, uint32_t y) {
    w->next[x] = e;
    w->prev[e] = x;
    w->next[e] = y;
    w->prev[y] = e;
}

static uint32_t new_edge(rings *w, uint32_t from, uint32_t to) {
    uint32_t e = w->first_free;
    w->first_free = w->next[e];
    link_between(w, e, e, e);
    link_between(w, e + 1, e + 1, e + 1);
    w->origin[e] = from;
    w->origin[e + 1] = to;
    return e;
}

static void release_edge(rings *w, uint32_t pair) {
    w->origin[2 * pair] = w->origin[2 * pair + 1] = NONE;
    w->next[2 * pair] = w->first_free;
    w->first_free = 2 * pair;
}

static void delete_edge(rings *w, uint32_t edge) {
    for (uint32_t e = edge, i = 0; i < 2; i++, e ^= 1) {
        w->next[w->prev[e]] = w->next[e];
        w->prev[w->next[e]] = w->prev[e];
    }
    release_edge(w, edge / 2);
}

/* ---- merging ----------------------------------------------------------------------------------- */

static uint32_t find_tangent(rings *w, uint32_t left, uint32_t right) {
    uint32_t a = w->prev[w->hull[left]], b = w->hull[right];
    for (;;) {
        uint32_t l = w->origin[a], r = b == NONE ? right : w->origin[b];
        if (exact_orient2d(&w->points, r, l, target(w, a)) > 0) a = w->prev[a ^ 1];
        else if (b != NONE && exact_orient2d(&w->points, l, target(w, b), r) > 0) b = w->next[b ^ 1];
        else break;
    }
    uint32_t l = w->origin[a], e = new_edge(w, b == NONE ? right : w->origin[b], l);
    if (b != NONE) link_between(w, w->prev[b], e, b);
    link_between(w, a, e + 1, w->next[a]);
    return w->hull[l] = e + 1, e;
}

/* Returns the candidate on one side of the base; NONE if its end is not above the base. First deletes each
 * candidate whose circle with the base holds the end of the edge behind it. */
static uint32_t find_candidate(rings *w, uint32_t base, bool left) {
    uint32_t r = w->origin[base], l = target(w, base), e = left ? w->next[base ^ 1] : w->prev[base];
    if (exact_orient2d(&w->points, target(w, e), l, r) <= 0) return NONE;
    for (;;) {
        uint32_t next = left ? w->next[e] : w->prev[e], d = target(w, next);
        if (exact_orient2d(&w->points, d, l, r) <= 0 || !replaces(w, target(w, e), l, r, d, left ? r : l))
            return e;
        delete_edge(w, e);
        e = next;
    }
}

static glshape_status zip_blocks(gpu *g, rings *w, uint32_t base) {
    for (uint32_t step = 1;; step++) {
        if (step % STEPS_A_TICK == 0) TRY(gpu_tick(g, w->done));
        uint32_t a = find_candidate(w, base, true), b = find_candidate(w, base, false), e;
        uint32_t r = w->origin[base], l = target(w, base);
        if (a == NONE && b == NONE) break;
        if (a == NONE || (b != NONE && replaces(w, target(w, a), l, r, target(w, b), l))) {
            e = new_edge(w, target(w, b), l);
            link_between(w, w->prev[b ^ 1], e, b ^ 1);
            link_between(w, base ^ 1, e + 1, w->next[base ^ 1]);
        } else {
            e = new_edge(w, r, target(w, a));
            link_between(w, w->prev[base], e, base);
            link_between(w, a ^ 1, e + 1, w->next[a ^ 1]);
        }
        base = e;
    }
    w->hull[w->origin[base]] = base;
    return gpu_tick(g, w->done);
}

static glshape_status merge_all(gpu *g, rings *w) {
    uint32_t n = w->o->n;
    w->first_free = NONE;
    for (uint32_t pair = 3 * n; pair-- > 0;) release_edge(w, pair);
    for (uint32_t i = 0; i < n; i += 2) {
        w->hull[i] = i + 1 < n ? new_edge(w, i, i + 1) : NONE;
        if (i + 1 < n) w->hull[i + 1] = w->hull[i] + 1;
    }
    for (uint32_t half = 2; half < n; half *= 2)
        for (uint32_t middle = half; middle < n; middle += 2 * half) {
            w->done = log2(half) / log2(n);
            TRY(zip_blocks(g, w, find_tangent(w, w->o->ends[middle], w->o->ends[middle + 1])));
        }
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status allocate_rings(error *err, const delaunay_order *o, rings *w) {
    TRY(allocate(err, &w->next, 6 * (size_t)o->n, sizeof *w->next, "edges around points"));
    TRY(allocate(err, &w->prev, 6 * (size_t)o->n, sizeof *w->prev, "edges before edges"));
    TRY(allocate(err, &w->origin, 6 * (size_t)o->n, sizeof *w->origin, "origins of edges"));
    return allocate(err, &w->hull, o->n, sizeof *w->hull, "edges of hulls");
}

static glshape_status upload_mesh(gpu *g, const rings *w, delaunay_mesh *m) {
    uint32_t n = w->o->n;
    TRY(gpu_texture_new(g, &m->next, "edges around points", GPU_R32UI, 6 * n, 1));
    TRY(gpu_texture_new(g, &m->prev, "edges before edges", GPU_R32UI, 6 * n, 1));
    TRY(gpu_texture_new(g, &m->origin, "origins of edges", GPU_R32UI, 6 * n, 1));
    TRY(gpu_texture_new(g, &m->row, "rows of points", GPU_R32UI, n, 1));
    TRY(gpu_upload(g, &m->prev, 0, 6 * n, w->prev));
    TRY(gpu_upload(g, &m->origin, 0, 6 * n, w->origin));
    TRY(gpu_upload(g, &m->row, 0, n, w->o->row));
    m->outer = w->hull[delaunay_order_least(w->o)] ^ 1;
    return GLSHAPE_OK;
}

static void free_rings(rings *w) {
    exact_predicates_free(&w->points);
    free(w->next);
    free(w->prev);
    free(w->origin);
    free(w->hull);
}

glshape_status delaunay_merge_on_cpu(gpu *g, const delaunay_order *order, delaunay_mesh *out,
                                     delaunay_cost *cost) {
    OWNED_BY(free_rings) rings w = {.o = order};
    OWNED_BY(delaunay_mesh_free) delaunay_mesh mesh = {.n = order->n};
    TRY(exact_predicates_new(gpu_error(g), order->xy, order->n, &w.points));
    TRY(allocate_rings(gpu_error(g), order, &w));
    TRY(merge_all(g, &w));
    TRY(upload_mesh(g, &w, &mesh));
    cost->tests = w.points.tests;
    cost->exact = w.points.in_integers;
    *out = MOVE(mesh);
    return GLSHAPE_OK;
}
