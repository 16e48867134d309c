/* Divide and conquer by passes: leaves, then at each level the common tangents of all blocks with their
 * partners, then their mergers. An invocation does a merger and works on its own block alone; it stops after
 * MOST_TURNS, and the pass is repeated until all are done. */
#include <inttypes.h>
#include <math.h>

#include "alpha/mesh.h"
#include "alpha/passes.h"
#include "base/memory.h"
#include "prim/passes.h"

#define MOST_TURNS 20000u /* with those of exact predicates below GPU_TURNS */

enum { UNDONE, DOUBTFUL, TURNS, SIGNS, COSTS }; /* glsl/alpha/blocks.glsl */

typedef struct merging {
    gpu *g;
    alpha_mesh *m;
    gpu_texture points, ends, hull, state, cost;
    uint32_t words; /* of a difference of coordinates */
    alpha_cost *spent;
    double done; /* of all levels */
} merging;

static glshape_status make(merging *w, const alpha_order *o) {
    const struct {
        gpu_texture *t;
        const char *label;
        gpu_format format;
        uint32_t elements;
    } parts[] = {{&w->m->around, "edges around points", GPU_R32UI, 6 * o->n},
                 {&w->m->before, "edges before edges", GPU_R32UI, 6 * o->n},
                 {&w->m->origin, "origins of edges", GPU_R32UI, 6 * o->n},
                 {&w->m->name, "names of points", GPU_R32UI, o->n},
                 {&w->points, "points", GPU_RGBA32UI, o->n},
                 {&w->ends, "ends of blocks", GPU_RG32UI, o->n / 2 + 1},
                 {&w->hull, "edges of hulls", GPU_R32UI, o->n},
                 {&w->state, "mergers", GPU_RGBA32UI, o->n / 2 + 1},
                 {&w->cost, "cost of mergers", GPU_R32UI, COSTS}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(w->g, parts[i].t, parts[i].label, parts[i].format, parts[i].elements, 1));
    TRY(gpu_upload(w->g, &w->points, 0, o->n, o->xy));
    TRY(gpu_upload(w->g, &w->m->name, 0, o->n, o->name));
    TRY(gpu_upload(w->g, &w->ends, 0, o->n / 2 + 1, o->ends));
    return gpu_run_at(w->g, &alpha_passes[ALPHA_LEAF],
                      .textures = {&w->m->around, &w->m->before, &w->m->origin, &w->hull, &w->state},
                      .values = {GPU_U(o->n)}, .count = alpha_groups(o->n / 2 + 1));
}

static glshape_status meet(merging *w, bool exact, uint32_t half, uint32_t mergers, bool fresh) {
    const gpu_pass *pass = &alpha_passes[exact ? ALPHA_MEET_EXACTLY : ALPHA_MEET];
    return gpu_run_at(
        w->g, pass, .defines = pass->variants[0],
        .textures = {&w->points, &w->ends, &w->m->around, &w->m->before, &w->m->origin, &w->hull, &w->state,
                     &w->cost},
        .values = {GPU_U(half), GPU_U(mergers), GPU_U(fresh), GPU_U(MOST_TURNS), GPU_U(w->words)},
        .count = (mergers - 1) / (uint32_t)pass->local + 1);
}

static glshape_status zip(merging *w, bool exact, uint32_t half, uint32_t mergers) {
    const gpu_pass *pass = &alpha_passes[exact ? ALPHA_ZIP_EXACTLY : ALPHA_ZIP];
    return gpu_run_at(w->g, pass, .defines = pass->variants[0],
                      .textures = {&w->points, &w->m->name, &w->m->around, &w->m->before, &w->m->origin,
                                   &w->hull, &w->state, &w->cost},
                      .values = {GPU_U(half), GPU_U(mergers), GPU_U(MOST_TURNS), GPU_U(w->words)},
                      .count = (mergers - 1) / (uint32_t)pass->local + 1);
}

/* Every pass must get on, and there are at most 3n edges before a level and 3n after it: a turn removes one,
 * adds one, or is one of three between two of the others. */
static glshape_status look_after(const merging *w, const uint32_t cost[COSTS], uint64_t turns,
                                 uint32_t half) {
    if (!cost[UNDONE] || (cost[TURNS] + cost[SIGNS] && turns <= 32 * (uint64_t)w->m->n)) return GLSHAPE_OK;
    return fail(gpu_error(w->g), GLSHAPE_GPU_ERROR,
                "merging blocks of %u of %u points did not get on after %" PRIu64
                " turns, with %u mergers left: this "
                "driver computes something wrong; take another device (--device)",
                half, w->m->n, turns, cost[UNDONE]);
}

/* One pass, over and over until it says that all mergers are done; exactly, once it is in doubt. */
static glshape_status level(merging *w, uint32_t half, uint32_t mergers, bool zipping) {
    uint32_t cost[COSTS] = {1};
    uint64_t turns = 0;
    bool exact = false;
    for (bool fresh = true; cost[UNDONE]; fresh = false) {
        TRY(gpu_upload(w->g, &w->cost, 0, COSTS, (uint32_t[COSTS]){0}));
        if (zipping) TRY(zip(w, exact, half, mergers));
        else TRY(meet(w, exact, half, mergers, fresh));
        TRY(gpu_download(w->g, &w->cost, 0, COSTS, cost));
        turns += cost[TURNS];
        w->spent->rounds++;
        w->spent->tests += cost[TURNS];
        w->spent->exact += cost[SIGNS];
        if (exact || !cost[DOUBTFUL]) TRY(look_after(w, cost, turns, half));
        if (cost[DOUBTFUL]) exact = true;
        TRY(gpu_tick(w->g, w->done));
    }
    return GLSHAPE_OK;
}

static glshape_status merge(merging *w) {
    uint32_t n = w->m->n;
    for (uint32_t half = 2; half < n; half *= 2) {
        w->done = log2(half) / log2(n);
        uint32_t mergers = (n - 1 - half) / (2 * half) + 1;
        TRY(level(w, half, mergers, false));
        TRY(level(w, half, mergers, true));
    }
    return GLSHAPE_OK;
}

/* A counter-clockwise edge of the hull leaves its corner. */
static glshape_status find_outer(merging *w, const alpha_order *o) {
    TRY(gpu_download(w->g, &w->hull, alpha_order_least(o), 1, &w->m->outer));
    w->m->outer ^= 1;
    return GLSHAPE_OK;
}

glshape_status alpha_merge_on_device(gpu *g, const alpha_order *order, uint32_t words, alpha_mesh *out,
                                     alpha_cost *cost) {
    *out = (alpha_mesh){.n = order->n};
    merging w = {.g = g, .m = out, .words = words, .spent = cost};
    glshape_status status = make(&w, order);
    if (!status) status = merge(&w);
    if (!status) status = find_outer(&w, order);
    gpu_texture *const own[] = {&w.points, &w.ends, &w.hull, &w.state, &w.cost};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) gpu_texture_free(own[i]);
    if (status) alpha_mesh_free(out);
    return status;
}

void alpha_mesh_free(alpha_mesh *m) {
    gpu_texture *const all[] = {&m->around, &m->before, &m->origin, &m->name};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    *m = (alpha_mesh){0};
}
