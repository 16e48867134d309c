/* Divide and conquer by passes. First each leaf gets its edge. Then, at each level, one pass finds the
 * common tangents of all pairs of blocks and one pass merges the pairs. An invocation does one merger and
 * touches its two blocks only. It stops after MOST_TURNS loop turns, and the pass is repeated until all
 * mergers are done. Points on a curve have mergers as long as their blocks; these are left to the CPU. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/owned.h"
#include "delaunay/mesh.h"
#include "delaunay/passes.h"
#include "prim/passes.h"

/* Loop turns of an invocation. Together with those of exact predicates they are below GPU_TURNS. */
#define MOST_TURNS 20000u

/* The device hands over to the CPU once it has repeated passes so often, and besides once for each so many
 * points, whose edges have to be moved. A million points that are evenly spread take four such repetitions.
 */
#define MOST_REPEATED 16u
#define POINTS_A_REPETITION 200000u

enum { UNDONE, UNCERTAIN, STEPS, EXACT_SIGNS, COSTS }; /* glsl/delaunay/blocks.glsl */

typedef struct merging {
    gpu *g;
    delaunay_mesh *m;
    gpu_texture points, ends, hull, state, cost;
    uint32_t limbs; /* of a difference of coordinates */
    delaunay_cost *spent;
    double done;       /* how much of all levels: 0 to 1 */
    uint32_t repeated; /* passes that a level needed besides the first of its kind */
    bool distrusted;   /* signs are uncertain, and the driver is not trusted to decide them */
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

static bool is_handed_over(const merging *w) {
    return w->distrusted || w->repeated > MOST_REPEATED + w->m->n / POINTS_A_REPETITION;
}

/* Repeats one pass until all mergers of the level are done, or the CPU is to go on. As soon as a sign is
 * uncertain, the pass is the exact one. */
static glshape_status merge_level(merging *w, uint32_t half, uint32_t mergers, bool zipping) {
    uint32_t cost[COSTS] = {1};
    uint64_t steps = 0;
    bool exact = false, switched = false;
    for (bool begin = true; cost[UNDONE] && !is_handed_over(w); begin = false) {
        TRY(gpu_upload(w->g, &w->cost, 0, COSTS, (uint32_t[COSTS]){0}));
        if (zipping) TRY(zip_blocks(w, exact, half, mergers));
        else TRY(find_tangents(w, exact, half, mergers, begin));
        TRY(gpu_download(w->g, &w->cost, 0, COSTS, cost));
        steps += cost[STEPS];
        w->spent->rounds++;
        w->repeated += !begin && !switched;
        w->spent->tests += cost[STEPS];
        w->spent->limbs += cost[EXACT_SIGNS];
        if (exact || !cost[UNCERTAIN]) TRY(check_progress(w, cost, steps, half));
        switched = cost[UNCERTAIN] && !exact;
        if (switched) {
            TRY(delaunay_is_trusted(w->g, true, &exact));
            w->distrusted = !exact;
        }
        TRY(gpu_tick(w->g, w->done));
    }
    return GLSHAPE_OK;
}

/* Sets *half to the size of the halves of the level that is left to the CPU, or to n or more. */
static glshape_status merge_all(merging *w, uint32_t *half) {
    uint32_t n = w->m->n;
    for (*half = 2; *half < n; *half *= 2) {
        w->done = log2(*half) / log2(n);
        uint32_t mergers = (n - 1 - *half) / (2 * *half) + 1;
        TRY(merge_level(w, *half, mergers, false));
        TRY(merge_level(w, *half, mergers, true));
        if (is_handed_over(w)) break;
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

/* Copies a texture of the mesh to one of the three members of the edges. */
static glshape_status download_member(merging *w, gpu_texture *from, uint32_t *values, delaunay_edge *edge,
                                      size_t member) {
    uint32_t edges = 6 * w->m->n;
    TRY(gpu_download(w->g, from, 0, edges, values));
    for (uint32_t e = 0; e < edges; e++) *(uint32_t *)((char *)&edge[e] + member) = values[e];
    return GLSHAPE_OK;
}

static glshape_status hand_over(merging *w, const delaunay_order *o, uint32_t half, delaunay_rings *out) {
    OWNED_BY(delaunay_rings_free) delaunay_rings r = {.order = o, .half = half, .begun = true};
    OWNED uint32_t *values = NULL;
    uint32_t n = o->n;
    TRY(delaunay_rings_allocate(gpu_error(w->g), &r));
    TRY(allocate(gpu_error(w->g), &values, 6 * (size_t)n, sizeof *values, "edges"));
    TRY(download_member(w, &w->m->next, values, r.edge, offsetof(delaunay_edge, next)));
    TRY(download_member(w, &w->m->prev, values, r.edge, offsetof(delaunay_edge, prev)));
    TRY(download_member(w, &w->m->origin, values, r.edge, offsetof(delaunay_edge, origin)));
    for (uint32_t e = 0; e < 6 * n; e++) r.edge[e].left = UINT32_MAX;
    TRY(gpu_download(w->g, &w->hull, 0, n, r.hull));
    TRY(gpu_download(w->g, &w->state, 0, n / 2 + 1, r.state));
    *out = MOVE(r);
    return GLSHAPE_OK;
}

static void free_merging(merging *w) {
    gpu_texture *const own[] = {&w->points, &w->ends, &w->hull, &w->state, &w->cost};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) gpu_texture_free(own[i]);
}

glshape_status delaunay_merge_on_device(gpu *g, const delaunay_order *order, uint32_t limbs,
                                        delaunay_mesh *out, delaunay_rings *rest, delaunay_cost *cost) {
    OWNED_BY(delaunay_mesh_free) delaunay_mesh mesh = {.n = order->n};
    OWNED_BY(free_merging) merging w = {.g = g, .m = &mesh, .limbs = limbs, .spent = cost};
    uint32_t half;
    TRY(make_textures(&w, order));
    TRY(merge_all(&w, &half));
    if (half < order->n) return hand_over(&w, order, half, rest);
    TRY(set_outer_edge(&w, order));
    *out = MOVE(mesh);
    return GLSHAPE_OK;
}

void delaunay_mesh_free(delaunay_mesh *m) {
    gpu_texture *const all[] = {&m->next, &m->prev, &m->origin, &m->row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    *m = (delaunay_mesh){0};
}
