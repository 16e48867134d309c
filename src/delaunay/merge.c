/* Divide and conquer by passes. First each leaf gets its edge. Then, at each level, one pass finds the
 * common tangents of all pairs of blocks and one pass merges the pairs. An invocation does one merger and
 * touches its two blocks only. It stops after MOST_TURNS loop turns, and the pass is repeated until all
 * mergers are done. */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "delaunay/mesh.h"
#include "delaunay/passes.h"
#include "prim/passes.h"

/* Loop turns of an invocation. Together with those of exact predicates they are below GPU_TURNS. */
#define MOST_TURNS 20000u

enum { UNDONE, UNCERTAIN, STEPS, EXACT_SIGNS, COSTS }; /* glsl/delaunay/blocks.glsl */

typedef struct merging {
    gpu *g;
    delaunay_mesh *m;
    gpu_texture points, ends, hull, state, cost;
    uint32_t limbs; /* of a difference of coordinates */
    delaunay_cost *spent;
    double done; /* how much of all levels: 0 to 1 */
} merging;

static glshape_status make_textures(merging *w, const delaunay_order *o) {
    const struct {
        gpu_texture *t;
        const char *label;
        gpu_format format;
        uint32_t elements;
    } parts[] = {{&w->m->next, "edges around points", GPU_R32UI, 6 * o->n},
                 {&w->m->prev, "edges before edges", GPU_R32UI, 6 * o->n},
                 {&w->m->origin, "origins of edges", GPU_R32UI, 6 * o->n},
                 {&w->m->row, "rows of points", GPU_R32UI, o->n},
                 {&w->points, "points", GPU_RGBA32UI, o->n},
                 {&w->ends, "ends of blocks", GPU_RG32UI, o->n / 2 + 1},
                 {&w->hull, "edges of hulls", GPU_R32UI, o->n},
                 {&w->state, "mergers", GPU_RGBA32UI, o->n / 2 + 1},
                 {&w->cost, "cost of mergers", GPU_R32UI, COSTS}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(w->g, parts[i].t, parts[i].label, parts[i].format, parts[i].elements, 1));
    TRY(gpu_upload(w->g, &w->points, 0, o->n, o->xy));
    TRY(gpu_upload(w->g, &w->m->row, 0, o->n, o->row));
    TRY(gpu_upload(w->g, &w->ends, 0, o->n / 2 + 1, o->ends));
    return gpu_run(w->g, delaunay_leaf, .next = &w->m->next, .prev = &w->m->prev, .origin = &w->m->origin,
                   .hull = &w->hull, .state = &w->state, .n = o->n, .groups = delaunay_groups(o->n / 2 + 1));
}

/* `exact`: with exact predicates, in smaller groups. */
static glshape_status find_tangents(merging *w, bool exact, uint32_t half, uint32_t mergers, bool begin) {
    const gpu_pass *pass = exact ? &delaunay_tangent_exactly_pass : &delaunay_tangent_pass;
    delaunay_tangent_arguments with = {.points = &w->points,
                                       .ends = &w->ends,
                                       .next = &w->m->next,
                                       .prev = &w->m->prev,
                                       .origin = &w->m->origin,
                                       .hull = &w->hull,
                                       .state = &w->state,
                                       .cost = &w->cost,
                                       .half_size = half,
                                       .mergers = mergers,
                                       .begin = begin,
                                       .most_turns = MOST_TURNS,
                                       .limbs = w->limbs,
                                       .groups = (mergers - 1) / (uint32_t)pass->local + 1};
    return gpu_execute(w->g, pass, &with.job);
}

static glshape_status zip_blocks(merging *w, bool exact, uint32_t half, uint32_t mergers) {
    const gpu_pass *pass = exact ? &delaunay_zip_exactly_pass : &delaunay_zip_pass;
    delaunay_zip_arguments with = {.points = &w->points,
                                   .row = &w->m->row,
                                   .next = &w->m->next,
                                   .prev = &w->m->prev,
                                   .origin = &w->m->origin,
                                   .hull = &w->hull,
                                   .state = &w->state,
                                   .cost = &w->cost,
                                   .half_size = half,
                                   .mergers = mergers,
                                   .most_turns = MOST_TURNS,
                                   .limbs = w->limbs,
                                   .groups = (mergers - 1) / (uint32_t)pass->local + 1};
    return gpu_execute(w->g, pass, &with.job);
}

/* A pass over a level must take a step or find a sign, and a level has at most 32n steps: there are at most
 * 3n edges before it and 3n after it; a step removes an edge, adds one, or is one of three between two such
 * steps. */
static glshape_status check_progress(const merging *w, const uint32_t cost[COSTS], uint64_t steps,
                                     uint32_t half) {
    if (!cost[UNDONE] || (cost[STEPS] + cost[EXACT_SIGNS] && steps <= 32 * (uint64_t)w->m->n))
        return GLSHAPE_OK;
    return fail(gpu_error(w->g), GLSHAPE_GPU_ERROR,
                "merging blocks of %u of %u points did not advance after %" PRIu64
                " steps, with %u mergers left: this "
                "driver computes something wrong; take another device (--device)",
                half, w->m->n, steps, cost[UNDONE]);
}

/* Repeats one pass until all mergers of the level are done. As soon as a sign is uncertain, the pass is the
 * exact one. */
static glshape_status merge_level(merging *w, uint32_t half, uint32_t mergers, bool zipping) {
    uint32_t cost[COSTS] = {1};
    uint64_t steps = 0;
    bool exact = false;
    for (bool begin = true; cost[UNDONE]; begin = false) {
        TRY(gpu_upload(w->g, &w->cost, 0, COSTS, (uint32_t[COSTS]){0}));
        if (zipping) TRY(zip_blocks(w, exact, half, mergers));
        else TRY(find_tangents(w, exact, half, mergers, begin));
        TRY(gpu_download(w->g, &w->cost, 0, COSTS, cost));
        steps += cost[STEPS];
        w->spent->rounds++;
        w->spent->tests += cost[STEPS];
        w->spent->exact += cost[EXACT_SIGNS];
        if (exact || !cost[UNCERTAIN]) TRY(check_progress(w, cost, steps, half));
        if (cost[UNCERTAIN]) exact = true;
        TRY(gpu_tick(w->g, w->done));
    }
    return GLSHAPE_OK;
}

static glshape_status merge_all(merging *w) {
    uint32_t n = w->m->n;
    for (uint32_t half = 2; half < n; half *= 2) {
        w->done = log2(half) / log2(n);
        uint32_t mergers = (n - 1 - half) / (2 * half) + 1;
        TRY(merge_level(w, half, mergers, false));
        TRY(merge_level(w, half, mergers, true));
    }
    return GLSHAPE_OK;
}

/* The edge of the hull that leaves the hull's first corner counter-clockwise has the outer face on its
 * right, so its reverse has it on its left. */
static glshape_status set_outer_edge(merging *w, const delaunay_order *o) {
    TRY(gpu_download(w->g, &w->hull, delaunay_order_least(o), 1, &w->m->outer));
    w->m->outer ^= 1;
    return GLSHAPE_OK;
}

static glshape_status order_by_row(merging *w, uint32_t rows, gpu_texture *by_row) {
    TRY(gpu_texture_new(w->g, by_row, "points by row", GPU_RGBA32UI, rows, 1));
    return gpu_run(w->g, delaunay_by_row, .points = &w->points, .row = &w->m->row, .by_row = by_row,
                   .n = w->m->n, .groups = delaunay_groups(w->m->n));
}

static void free_merging(merging *w) {
    gpu_texture *const own[] = {&w->points, &w->ends, &w->hull, &w->state, &w->cost};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) gpu_texture_free(own[i]);
}

glshape_status delaunay_merge_on_device(gpu *g, const delaunay_order *order, uint32_t limbs,
                                        delaunay_mesh *out, delaunay_cost *cost, gpu_texture *by_row) {
    OWNED_BY(delaunay_mesh_free) delaunay_mesh mesh = {.n = order->n};
    OWNED_BY(free_merging) merging w = {.g = g, .m = &mesh, .limbs = limbs, .spent = cost};
    TRY(make_textures(&w, order));
    TRY(merge_all(&w));
    TRY(set_outer_edge(&w, order));
    if (by_row) TRY(order_by_row(&w, order->rows, by_row));
    *out = MOVE(mesh);
    return GLSHAPE_OK;
}

void delaunay_mesh_free(delaunay_mesh *m) {
    gpu_texture *const all[] = {&m->next, &m->prev, &m->origin, &m->row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    *m = (delaunay_mesh){0};
}
