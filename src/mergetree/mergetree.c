/* glshape_mergetree: the public call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/paths.h"
#include "field/basins_on_cpu.h"
#include "field/extremes.h"
#include "field/flat.h"
#include "field/narrow.h"
#include "gpu/context.h"
#include "mergetree/mergetree.h"
#include "mergetree/pairs.h"
#include "mergetree/regular.h"
#include "mergetree/together.h"
#include "mergetree/triplet.h"
#include "place/place.h"

#define PIECE 1024u /* branches that a thread lists at a time */
#define TRIPLET_BYTES (3 * sizeof(uint32_t))
#define VERTICES 65536u /* whose triplets a thread makes at a time */

/* ---- the options and the field ----------------------------------------------------------------- */

/* Returns the HOOD of glsl/field/grid.glsl, of three dimensions, that gives the neighborhood asked for; 0
 * if there is none. */
static int grid_neighborhood(int dims, int neighbors) {
    static const struct {
        int dims, neighbors, hood;
    } known[] = {{1, 0, 6}, {1, 2, 6}, {2, 0, 6},   {2, 4, 6},   {2, 8, 26}, {2, 6, 14},
                 {3, 0, 6}, {3, 6, 6}, {3, 14, 14}, {3, 18, 18}, {3, 26, 26}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].dims == dims && known[i].neighbors == neighbors) return known[i].hood;
    return 0;
}

/* Makes a field of one row a column: slabs are cut across the last axis. */
static void row_to_column(grid *d) {
    if (d->extent[1] > 1 || d->extent[2] > 1) return;
    d->extent[1] = d->extent[0];
    d->extent[0] = 1;
    d->periodic = (d->periodic & 4) | (d->periodic & 2) >> 1 | (d->periodic & 1) << 1;
}

static glshape_status check_shape(error *err, const glshape_field *f, grid *out) {
    size_t n = 1;
    *out = (grid){.extent = {1, 1, 1}, .hood = grid_neighborhood(f->dims, f->neighborhood)};
    if (f->dims < 1 || f->dims > 3)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a field of %d dimensions: 1, 2 and 3 are known", f->dims);
    if (!out->hood)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%d is no neighborhood of %d dimension%s: there %s",
                    f->neighborhood, f->dims, f->dims == 1 ? "" : "s",
                    f->dims == 1   ? "is 2"
                    : f->dims == 2 ? "are 4, 8 and freudenthal-6"
                                   : "are 6, 18, 26 and freudenthal-14");
    for (int i = 0; i < f->dims; i++) {
        if (!f->shape[i])
            return fail(err, GLSHAPE_BAD_ARGUMENT, "extent %d of the field is 0: there are no values", i + 1);
        n = times(n, f->shape[i]);
        if (f->shape[i] >= UINT32_MAX || n == SIZE_MAX)
            return fail(
                err, GLSHAPE_BAD_ARGUMENT,
                "the field has more than 2^32 - 2 vertices along extent %d, or 2^64 in all; coarsen it, or "
                "cut it into parts",
                i + 1);
        out->extent[f->dims - 1 - i] = (uint32_t)f->shape[i];
        out->periodic |= (unsigned)f->periodic[i] << (f->dims - 1 - i);
    }
    row_to_column(out);
    return GLSHAPE_OK;
}

static glshape_status check_graph(error *err, const glshape_graph *graph, grid *out) {
    *out = (grid){.hood = 6};
    if (graph->nodes && graph->nodes < UINT32_MAX) return dist_graph_check_shape(err, graph);
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "a field on a graph of %zu vertices: 1 to 2^32 - 2 can be numbered", graph->nodes);
}

static glshape_status check_options(error *err, const glshape_mergetree_options *o) {
    TRY(error_check_reserved(err, "options", o->reserved));
    TRY(error_check_choice(err, (int)o->method, GLSHAPE_MERGETREE_TRIPLET, "method"));
    if (o->simplify >= 0) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "simplify is %g; persistence is not negative", o->simplify);
}

/* ---- branches and triplets --------------------------------------------------------------------- */

typedef struct finder {
    gpu *g;
    const ranks *ranks; /* that share the work */
    const glshape_field *field;
    glshape_mergetree_options o;
    grid grid;
    order order;
    grid_field on_gpu;
    basins basins;
    slabs slabs;
    together_known known;
    bool wide;                       /* 32 bits do not number the vertices */
    bool free;                       /* the caller leaves it to us where the work is done */
    bool small, flat;                /* no device is used; neither are triplets */
    run_why why;                     /* the work is done there */
    uint32_t planes;                 /* of a slab; 0: the field in one piece */
    size_t saddle_edges, edges_left; /* between basins; by slabs */
    branches tree;
    uint32_t *saddle, *other; /* of the triplet method: other is a branch's number */
    grid_basins by_threads;   /* of a grid, without a device */
    glshape_mergetree_result *result;
    mergetree_on *on;           /* not NULL: in place of triplets */
    mergetree_pairs *pairs;     /* not NULL: in place of branches, where passes make them */
    threads_touching *touching; /* of the memory of the triplets */
    double since;               /* when the current stage began */
} finder;

/* The end of a range of values. */
typedef struct range_end {
    uint64_t vertex;
    double value;
} range_end;

/* Of several ranks: the first, or the last, of the ends of each one's range. Of equal values that is on the
 * first rank, or the last. */
static glshape_status share_end(const finder *f, uint32_t v, bool last, range_end *end) {
    error *err = run_error(run_of(f->g));
    uint64_t turn = last ? UINT64_MAX : 0;
    uint64_t at = (order_of(&f->order, v) >> 32 << 32 | (uint32_t)f->ranks->rank) ^ turn;
    TRY(ranks_least(f->ranks, err, &at));
    return ranks_broadcast_from(f->ranks, err, end, sizeof *end, (int)(uint32_t)(at ^ turn));
}

static glshape_status find_range(finder *f) {
    const order *o = &f->order;
    glshape_mergetree_result *r = f->result;
    range_end ends[2] = {{o->origin + o->least, 0}, {o->origin + o->greatest, 0}};
    for (int k = 0; k < 2; k++) {
        ends[k].value = order_value(f->field, ends[k].vertex);
        if (f->ranks->size > 1) TRY(share_end(f, k ? o->greatest : o->least, k, &ends[k]));
    }
    const range_end *least = &ends[f->o.superlevel], *greatest = &ends[!f->o.superlevel];
    r->least_vertex = least->vertex;
    r->least = least->value;
    r->greatest_vertex = greatest->vertex;
    r->greatest = greatest->value;
    return GLSHAPE_OK;
}

/* Of a graph 0. */
static int hood_of(const finder *f) { return f->field->graph ? 0 : f->grid.hood; }

/* *why stays, if it is for the device, where the driver computes the passes of the method rightly. */
static glshape_status trust_passes(const finder *f, run_why *why) {
    bool narrow; /* grid_field_look() asks again */
    TRY(f->o.method == GLSHAPE_MERGETREE_TRIPLET
            ? triplets_are_for_passes(f->g, hood_of(f), why)
            : basins_are_for_passes(f->g, hood_of(f), !f->o.branches_only, why));
    if (!run_why_device(*why) && *why != RUN_NOT_YET) return GLSHAPE_OK;
    return narrow_is_for_passes(f->g, f->field, &narrow);
}

/* Ranks have no other way. */
static glshape_status check_passes(const finder *f) {
    run_why why = f->why;
    TRY(trust_passes(f, &why));
    return run_why_device(why)
               ? GLSHAPE_OK
               : fail(run_error(run_of(f->g)), GLSHAPE_GPU_ERROR,
                      "%s computes merge trees wrongly, and ranks compute them on devices only: take "
                      "another device, or one rank",
                      gpu_renderer(f->g));
}

/* Applies the elder rule to all edges between basins on the CPU. */
static glshape_status pair_on_cpu(finder *f, run_why why) {
    OWNED uint32_t *minimum = NULL;
    OWNED radix_item *edges = NULL;
    basins *b = &f->basins;
    run_begin_stage(run_of(f->g), "pairs", why);
    TRY(basins_minima(f->g, b, &minimum));
    TRY(basins_fetch(f->g, b, &edges));
    return branches_new(run_error(run_of(f->g)), &f->order, MOVE(minimum), b->minima, edges, b->edge_count,
                        &f->tree);
}

/* Whether the device keeps what it has found. Only the triplet method has minima elsewhere. */
static bool keeps(const finder *f) {
    return f->on->keep && !f->planes && !f->small && !f->other &&
           gpu_memory_left(f->g) / MERGETREE_KEPT >= f->result->n;
}

/* How branches come from the device. */
static pairs_form form_of_pairs(const finder *f) {
    if (f->o.simplify > 0 || f->o.simplify_whole) return PAIRS_NUMBERS | PAIRS_ARRAYS;
    if (f->o.branches_only) return f->pairs ? PAIRS_ITEMS : PAIRS_LIST;
    if (!f->on || f->field->graph || !keeps(f))
        return PAIRS_NUMBERS | PAIRS_LIST; /* a graph has no slabs to fall back to */
    return PAIRS_NUMBERS | PAIRS_SPANS | (f->on->lists ? PAIRS_LIST : 0);
}

static glshape_status find_by_basins(finder *f) {
    basins *b = &f->basins;
    TRY(basins_begin(f->g, &f->on_gpu, b));
    TRY(basins_edges(f->g, b));
    uint32_t count = b->edge_count;
    f->saddle_edges = count;
    f->result->seconds.basins += clock_lap(&f->since);
    pairs_form form = form_of_pairs(f);
    run_why why = place_by_size(f->g, PLACE_SADDLES, count);
    if (run_why_device(why)) why = f->why;
    TRY(pairs_are_for_passes(f->g, hood_of(f), form, &why));
    if (!run_why_device(why)) return pair_on_cpu(f, why);
    run_begin_stage(run_of(f->g), "pairs", why);
    TRY(pairs_find(f->g, b, form, &f->tree));
    return form & PAIRS_ITEMS ? pairs_bring(f->g, b, &f->tree) : GLSHAPE_OK;
}

static glshape_status find_by_triplets(finder *f) {
    error *err = run_error(run_of(f->g));
    TRY(allocate(err, &f->saddle, f->order.n, sizeof *f->saddle, "the triplets"));
    TRY(allocate(err, &f->other, f->order.n, sizeof *f->other, "the triplets"));
    TRY(f->small ? triplet_find_on_cpu(run_of(f->g), &f->order, &f->grid, f->saddle, f->other)
                 : triplet_find(f->g, &f->on_gpu, f->saddle, f->other));
    f->result->seconds.basins += clock_lap(&f->since);
    return branches_of_triplets(err, &f->order, f->saddle, f->other, &f->tree);
}

static glshape_status find_flat(finder *f) {
    OWNED_BY(flat_graph_free) flat_graph low = {0};
    TRY(flat_find(run_error(run_of(f->g)), &f->order, &f->grid, &low, NULL));
    f->saddle_edges = low.edge_count;
    f->result->seconds.basins += clock_lap(&f->since);
    return branches_of_sorted(run_error(run_of(f->g)), &f->order, MOVE(low.extremum), low.count, low.edges,
                              low.edge_count, &f->tree);
}

/* A grid's branches, without a device. */
static glshape_status find_by_threads(finder *f) {
    error *err = run_error(run_of(f->g));
    grid_basins *b = &f->by_threads;
    TRY(grid_basins_find(run_of(f->g), &f->order, &f->grid, b));
    f->saddle_edges = b->edge_count;
    f->result->seconds.basins += clock_lap(&f->since);
    TRY(branches_of_sorted(err, &f->order, MOVE(b->minimum), b->paths.count, b->edges, b->edge_count,
                           &f->tree));
    free(MOVE(b->edges));
    return GLSHAPE_OK;
}

static glshape_status find_by_slabs(finder *f) {
    slabs *s = &f->slabs;
    TRY(slabs_edges(f->g, f->ranks, &f->order, &f->grid, f->planes, s, &f->edges_left));
    size_t own = f->edges_left;
    f->saddle_edges = s->found;
    TRY(ranks_sum(f->ranks, run_error(run_of(f->g)), &f->saddle_edges));
    TRY(ranks_sum(f->ranks, run_error(run_of(f->g)), &f->edges_left));
    TRY(together_find(s, own, f->wide, &f->known, &f->tree));
    f->result->seconds.basins += clock_lap(&f->since);
    return GLSHAPE_OK;
}

/* Returns a fraction of the range of values, also if the range overflows a double but the fraction does not.
 */
static double part_of_range(const finder *f, double part) {
    const glshape_mergetree_result *r = f->result;
    if (whole_is(f->field)) return part * (double)whole_gap(f->field, r->least_vertex, r->greatest_vertex);
    double range = r->greatest - r->least;
    return isinf(range) ? part * r->greatest - part * r->least : part * range;
}

static glshape_status simplify(finder *f) {
    branches_least least = {f->o.simplify, f->o.simplify_whole};
    if (least.whole) least.real = (double)least.whole;
    else if (f->o.relative) least.real = part_of_range(f, f->o.simplify);
    if (!(least.real > 0)) return GLSHAPE_OK;
    const together_known *known = &f->known;
    return known->births.values
               ? branches_simplify(run_error(run_of(f->g)), &f->tree, &known->births, &known->deaths, least)
               : branches_simplify(run_error(run_of(f->g)), &f->tree, f->field, NULL, least);
}

static glshape_status find_branches(finder *f) {
    bool triplets = f->small || f->o.method == GLSHAPE_MERGETREE_TRIPLET;
    TRY(f->flat                        ? find_flat(f)
        : f->planes                    ? find_by_slabs(f)
        : f->small && !f->field->graph ? find_by_threads(f)
        : triplets                     ? find_by_triplets(f)
                                       : find_by_basins(f));
    return f->ranks->rank ? GLSHAPE_OK : simplify(f);
}

static uint32_t vertex_of_end(uint64_t end) {
    return end == BRANCH_ESSENTIAL ? GLSHAPE_NO_VERTEX : (uint32_t)end;
}

/* The branch that begins at a minimum. */
static glshape_branch make_branch(const finder *f, uint32_t birth, uint64_t end, uint32_t parent) {
    return (glshape_branch){birth, vertex_of_end(end), parent, order_value(f->field, birth),
                            end == BRANCH_ESSENTIAL ? (double)INFINITY : order_value_of(&f->order, end)};
}

/* The same of branch m, where values are known by branch. */
static glshape_branch known_branch(const finder *f, uint32_t m, uint32_t parent) {
    const branches *t = &f->tree;
    bool ends = t->death[m] != BRANCH_ESSENTIAL;
    double death = ends ? order_value(&f->known.deaths, m) : (double)INFINITY;
    uint32_t vertex = ends && f->wide ? t->count + m : vertex_of_end(t->death[m]);
    return (glshape_branch){t->minimum[m], vertex, parent, order_value(&f->known.births, m), death};
}

static glshape_branch one_branch(const finder *f, uint32_t m) {
    const branches *t = &f->tree;
    uint32_t parent = branches_survivor(t, t->parent[m]);
    if (f->known.births.values) return known_branch(f, m, t->minimum[parent]);
    return make_branch(f, t->minimum[m], t->death[m], t->minimum[parent]);
}

static void list_block(void *user, size_t item) {
    const finder *f = user;
    const branches *t = &f->tree;
    uint32_t first = (uint32_t)item * PIECE, end = t->count - first < PIECE ? t->count : first + PIECE;
    for (uint32_t k = first; k < end; k++) f->result->branches[k] = one_branch(f, t->falling[k]);
}

static glshape_status list_by_threads(finder *f) {
    glshape_mergetree_result *r = f->result;
    const branches *t = &f->tree;
    TRY(allocate(run_error(run_of(f->g)), &r->branches, t->count, sizeof *r->branches, "the branches"));
    if (!t->survivor) {
        threads_run(0, (t->count + PIECE - 1) / PIECE, list_block, f);
        r->count = t->count;
        return GLSHAPE_OK;
    }
    for (uint32_t k = 0; k < t->count; k++) {
        uint32_t m = t->falling[k];
        if (t->survivor[m] == m) r->branches[r->count++] = one_branch(f, m);
    }
    return GLSHAPE_OK;
}

static glshape_status take_branches(finder *f) {
    glshape_mergetree_result *r = f->result;
    branches *t = &f->tree;
    if (t->pairs) {
        *f->pairs = (mergetree_pairs){MOVE(t->pairs), t->count};
        return GLSHAPE_OK;
    }
    if (!t->list) return f->basins.span.id ? GLSHAPE_OK : list_by_threads(f);
    r->branches = MOVE(t->list);
    r->count = t->count;
    return GLSHAPE_OK;
}

static glshape_status list_branches(finder *f) {
    glshape_mergetree_result *r = f->result;
    run_begin_stage(run_of(f->g), "branches", RUN_NOT_BY_PASSES);
    TRY(take_branches(f));
    r->vertices = MOVE(f->known.vertices);
    r->extrema = f->tree.count;
    r->components = f->tree.essential;
    r->seconds.branches += clock_lap(&f->since);
    return GLSHAPE_OK;
}

/* Vertices of a grid, and what branches they are on. */
typedef struct climbing {
    const finder *f;
    uint32_t *on;
} climbing;

static void climb(void *user, size_t first, size_t end) {
    const climbing *c = user;
    const branches *t = &c->f->tree;
    const forest *paths = &c->f->by_threads.paths;
    uint32_t minimum = 0, number = forest_number(paths, 0); /* of the vertex before */
    for (size_t v = first; v < end; v++) {
        uint32_t here = forest_minimum(paths, (uint32_t)v);
        if (here != minimum) number = forest_number(paths, minimum = here);
        uint32_t on = branches_climb(t, number, order_of(&c->f->order, (uint32_t)v));
        c->on[v] = t->minimum[branches_survivor(t, on)];
    }
}

/* on[v] becomes the minimum, as a vertex, whose branch v lies on. */
static glshape_status find_regular(finder *f, uint32_t *on) {
    branches *t = &f->tree;
    if (f->planes) return slabs_regular(&f->slabs, t, on);
    if (f->by_threads.paths.n) {
        TRY(branches_find_jumps(run_error(run_of(f->g)), t));
        threads_ranges(f->order.n, climb, &(climbing){f, on});
        return GLSHAPE_OK;
    }
    if (!f->other) return basins_regular(f->g, &f->basins, t, on);
    for (uint32_t v = 0; v < f->order.n; v++) on[v] = t->minimum[branches_survivor(t, f->other[v])];
    return GLSHAPE_OK;
}

/* Vertices [first, end), and what branches they are on: in the last third of the triplets. */
typedef struct tripling {
    uint32_t (*triplets)[3], first, end;
    const uint32_t *on;
} tripling;

static void fill_triplets(void *user, size_t item) {
    const tripling *t = user;
    uint32_t from = t->first + (uint32_t)item * VERTICES,
             end = t->end - from < VERTICES ? t->end : from + VERTICES;
    for (uint32_t v = from; v < end; v++) {
        uint32_t to = t->on[v];
        t->triplets[v][0] = t->triplets[v][1] = v;
        t->triplets[v][2] = to;
    }
}

/* Threads share as many vertices at a time as have their triplets before the branches of the first of them;
 * the last ones are one thread's: it reads a branch before it writes over it. */
static void make_triplets(uint32_t (*triplets)[3], const uint32_t *on, uint32_t n) {
    for (tripling t = {triplets, 0, 0, on}; t.first < n; t.first = t.end) {
        t.end = (uint32_t)((2 * (uint64_t)n + t.first) / 3);
        if (n - t.first <= VERTICES) t.end = n;
        threads_run(0, (t.end - t.first - 1) / VERTICES + 1, fill_triplets, &t);
    }
}

/* Minima whose branches are left are on these. */
static void put_minima(void *user, size_t first, size_t end) {
    const finder *f = user;
    for (size_t k = first; k < end; k++) {
        uint32_t birth = f->result->branches[k].birth;
        f->on->on[birth] = birth;
    }
}

/* What the device has found stays there. */
static glshape_status keep_on(gpu *g, basins *b, const branches *t, mergetree_on *on) {
    TRY(basins_regular(g, b, t, NULL));
    on->branches = t->count;
    gpu_texture_swap(&on->on_gpu, &b->basin);
    gpu_texture_swap(&on->span, &b->span);
    return GLSHAPE_OK;
}

static glshape_status list_on(finder *f) {
    size_t n = f->result->n;
    if (f->basins.span.id || keeps(f)) {
        TRY(keep_on(f->g, &f->basins, &f->tree, f->on));
        gpu_texture_swap(&f->on->key, &f->on_gpu.key);
        f->on->kind = order_kind(&f->order);
        f->on->flip = f->order.flip;
        f->on->key_bits = f->on_gpu.key_bits;
        f->on->grid = f->grid;
        return GLSHAPE_OK;
    }
    f->on->why = !run_why_device(f->why) ? f->why : f->other ? RUN_NOT_BY_PASSES : RUN_NOT_ROOM;
    TRY(allocate(run_error(run_of(f->g)), &f->on->on, n, sizeof *f->on->on, "the branches of vertices"));
    threads_touch(f->on->on, n * sizeof *f->on->on);
    TRY(find_regular(f, f->on->on));
    threads_ranges(f->result->count, put_minima, f);
    return GLSHAPE_OK;
}

static glshape_status new_triplets(finder *f) {
    return allocate(run_error(run_of(f->g)), &f->result->triplets, f->result->n, TRIPLET_BYTES,
                    "the triplets");
}

/* The memory of the triplets gets its pages while passes find them. */
static glshape_status begin_triplets(finder *f) {
    if (f->o.branches_only || f->on || f->planes || f->small) return GLSHAPE_OK;
    TRY(new_triplets(f));
    f->touching = threads_touch_aside(
        (threads_block[THREADS_BLOCKS]){{f->result->triplets, f->result->n * TRIPLET_BYTES}});
    return GLSHAPE_OK;
}

/* A minimum whose branch is left has the triplet (minimum, saddle, parent); every other vertex v is regular
 * and has (v, v, minimum of its branch). */
static glshape_status list_triplets(finder *f) {
    glshape_mergetree_result *r = f->result;
    uint32_t n = (uint32_t)r->n, (*triplets)[3];
    run_begin_stage(run_of(f->g), "triplets", f->planes || !f->other ? f->why : RUN_NOT_BY_PASSES);
    if (f->on) return list_on(f);
    if (!r->triplets) TRY(new_triplets(f));
    threads_touched(&f->touching);
    triplets = (uint32_t(*)[3])(void *)r->triplets;
    uint32_t *on = r->triplets + 2 * (size_t)n; /* the last third: read before it is overwritten */
    TRY(find_regular(f, on));
    if (f->ranks->rank) return GLSHAPE_OK;
    make_triplets(triplets, on, n);
    for (size_t k = 0; k < r->count; k++) {
        const glshape_branch *b = &r->branches[k];
        triplets[b->birth][1] = b->death == GLSHAPE_NO_VERTEX ? b->birth : b->death;
        triplets[b->birth][2] = b->parent;
    }
    r->seconds.triplets += clock_lap(&f->since);
    return GLSHAPE_OK;
}

/* ---- attempts ---------------------------------------------------------------------------------- */

static void free_work(finder *f) {
    threads_touched(&f->touching); /* of the result, which is freed later */
    basins_free(&f->basins);
    grid_field_free(&f->on_gpu);
    slabs_free(&f->slabs);
    branches_free(&f->tree);
    free(f->saddle);
    free(f->other);
    grid_basins_free(&f->by_threads);
    together_known_free(&f->known);
    f->saddle = f->other = NULL;
}

/* Computes everything in one attempt: in one piece, or in slabs of f->planes planes. */
static glshape_status attempt(finder *f) {
    glshape_mergetree_result *r = f->result;
    if (!f->small) TRY(gpu_need(f->g));
    if (f->ranks->size > 1) TRY(check_passes(f));
    run_begin_stage(run_of(f->g), "basins", f->why);
    if (!f->planes && !f->small) TRY(grid_field_look(f->g, &f->order, &f->grid, &f->on_gpu));
    TRY(order_settle(run_error(run_of(f->g)), &f->order, true));
    TRY(find_range(f));
    if (f->on) f->on_gpu.turned = f->on->turned;
    r->seconds.upload += clock_lap(&f->since);
    TRY(begin_triplets(f));
    TRY(find_branches(f));
    if (!f->ranks->rank) TRY(list_branches(f));
    if (!f->o.branches_only) TRY(list_triplets(f));
    r->gpu_bytes = gpu_recent_bytes(f->g);
    if (!f->small) run_fact(run_of(f->g), (double)f->saddle_edges, "edges between basins");
    if (!f->small) run_fact(run_of(f->g), f->planes, "planes in a slab");
    if (f->planes) run_fact(run_of(f->g), (double)f->edges_left, "edges left by slabs");
    return run_tick(run_of(f->g), 1);
}

/* Frees what an attempt that ran out of memory has made. */
static void discard_attempt(finder *f) {
    glshape_mergetree_result *r = f->result;
    free_work(f);
    free(r->branches);
    free(r->triplets);
    free(r->vertices);
    r->branches = NULL;
    r->triplets = NULL;
    r->vertices = NULL;
    if (f->on) mergetree_on_free(f->on);
    r->count = 0;
}

/* Returns false if so many vertices and their basins cannot fit into GPU memory. Whether the rest fits shows
 * only when it is made. */
static bool may_fit(const finder *f, uint64_t vertices) {
    size_t bytes =
        vertices < UINT32_MAX ? gpu_texture_bytes(f->g, GPU_R32UI, (uint32_t)vertices, 1) : SIZE_MAX;
    size_t limit = gpu_memory_limit(f->g);
    return bytes != SIZE_MAX && (!limit || bytes <= limit / 2);
}

/* Adds to the sentence of the last attempt what the user can do. cut: that attempt was in slabs of one plane.
 */
static glshape_status refuse(const finder *f, bool cut) {
    error *err = run_error(run_of(f->g)), why = *err;
    const uint32_t *extent = f->grid.extent;
    if (f->field->graph)
        return fail(err, why.status, "%.600s; a graph is done in one piece: raise the limit", why.text);
    if (!cut)
        return fail(err, why.status,
                    "%.600s; the triplet method takes a field in one piece only, the basins method in slabs "
                    "as well",
                    why.text);
    bool solid = extent[2] > 1;
    uint32_t across = solid && extent[1] > extent[0] ? extent[1] : extent[0];
    return fail(
        err, why.status, "%.600s, even a %s at a time with those beside it: raise the limit%s", why.text,
        solid ? "plane" : "row",
        across > extent[solid ? 2 : 1] ? ", or turn the field so that its first axis is the longest" : "");
}

/* Several ranks: each in slabs of its planes, all in slabs of the same thickness, half as thick each time. */
static glshape_status find_together(finder *f) {
    uint32_t thick = (uint32_t)f->field->shape[0];
    uint64_t plane = f->result->n / thick;
    thick = (thick - 1) / (uint32_t)f->ranks->size + 1;
    for (;; thick = (thick + 1) / 2) {
        if (thick > 1 && plane * (thick + 2ull) >= UINT32_MAX) continue;
        f->planes = thick;
        glshape_status status = ranks_agree(f->ranks, run_error(run_of(f->g)), attempt(f));
        if (status != GLSHAPE_NO_GPU_MEMORY) return status;
        ranks_begin(f->ranks);
        if (thick == 1) return refuse(f, true);
        discard_attempt(f);
    }
}

/* Attempts the field in one piece if that may fit; else in slabs, half as thick each time. */
static glshape_status find_within_memory(finder *f) {
    const uint32_t *extent = f->grid.extent;
    bool cut = !f->field->graph && f->o.method != GLSHAPE_MERGETREE_TRIPLET;
    uint32_t thick = extent[2] > 1 ? extent[2] : extent[1];
    uint64_t plane = f->order.n / (thick ? thick : 1);
    glshape_status status = GLSHAPE_NO_GPU_MEMORY;
    if (f->ranks->size > 1) return find_together(f);
    if (f->small) return attempt(f);
    TRY(gpu_need(f->g));
    if (!cut || thick == 1 || may_fit(f, f->order.n)) status = attempt(f);
    while (status == GLSHAPE_NO_GPU_MEMORY && cut && thick > 1) {
        thick = (thick + 1) / 2;
        if (thick > 1 && !may_fit(f, plane * (thick + 2))) continue;
        discard_attempt(f);
        f->planes = thick;
        status = attempt(f);
    }
    return status == GLSHAPE_NO_GPU_MEMORY ? refuse(f, cut) : status;
}

static void finder_free(finder *f) {
    free_work(f);
    order_free(&f->order);
}

/* Whether ranks can share the field: a grid of enough planes, of values that are keys by themselves. */
static bool can_share(const glshape_field *field, const glshape_mergetree_options *o, const ranks *r) {
    return !field->graph && o->method != GLSHAPE_MERGETREE_TRIPLET && field->type != GLSHAPE_F64 &&
           !whole_is(field) && field->shape[0] >= 2 * (size_t)r->size;
}

/* ---- where ------------------------------------------------------------------------------------- */

bool mergetree_is_small(const gpu *g, size_t n) { return place_is_little(g, PLACE_FIELD, (double)n); }

#define THREADS_BYTES 24 /* a vertex: the field, and what threads make of it, at most */

/* Threads have a field in one piece. Passes have it in slabs: of a software renderer, too, where memory is
 * short. */
glshape_status mergetree_choose(gpu *g, const glshape_field *field, size_t n, place_work work, run_why *why) {
    bool room = times(n, THREADS_BYTES) < memory_of_machine();
    TRY(place_choose_any(g, 0, why));
    if (*why == RUN_NOT_SOFTWARE && !room) *why = gpu_why_passes(g);
    if (run_why_device(*why))
        place_may_wait_for_field(g, work, room ? (double)n : 0, gpu_can_wait(g) ? field_extremes(field) : 0);
    return GLSHAPE_OK;
}

/* Whether the processor can go by rows (flat.h). */
static bool goes_by_rows(const finder *f) {
    return f->free && !f->field->graph && f->field->dims < 3 && f->o.branches_only &&
           f->result->n <= FLAT_MOST;
}

static void choose_place(finder *f) {
    size_t n = f->result->n;
    f->free = f->ranks->size == 1 && f->o.method == GLSHAPE_MERGETREE_AUTO && place_may_stay_closed(f->g);
    f->flat = goes_by_rows(f) && place_is_little(f->g, PLACE_FLAT_BRANCHES, (double)n);
    f->small = f->flat || (f->free && mergetree_is_small(f->g, n));
    f->why = f->small                                ? RUN_NOT_SMALL
             : f->o.method == GLSHAPE_MERGETREE_AUTO ? gpu_why_passes(f->g)
                                                     : RUN_FOR_OPTION;
}

/* The work of the caller, of which this may be the first part: contour trees keep the tree on the device,
 * intervals take pairs. */
static place_work work_of(const finder *f) {
    if (f->on) return PLACE_WORK_CONTOUR;
    return f->pairs && f->field->dims == 3 ? PLACE_WORK_VOLUME : PLACE_WORK_BRANCHES;
}

/* Opens the device of a field that is not small. Where there is none, where it is a software renderer, which
 * is the same processors and slower, or where its driver computes something wrong, processors do the work. */
static glshape_status find_device(finder *f) {
    if (f->small) return GLSHAPE_OK;
    TRY(f->free ? mergetree_choose(f->g, f->field, f->result->n, work_of(f), &f->why) : gpu_need(f->g));
    if (run_why_device(f->why)) TRY(trust_passes(f, &f->why));
    f->small = !run_why_device(f->why);
    f->flat = f->small && goes_by_rows(f);
    return GLSHAPE_OK;
}

/* Opens the device, and makes the order: where the whole field goes there, values are looked at on their way.
 * What is wrong with the field comes before a failure to open the device. */
static glshape_status order_alone(finder *f) {
    error *err = run_error(run_of(f->g)), failed;
    uint32_t n = (uint32_t)f->result->n;
    run_begin_stage(run_of(f->g), "order", RUN_NOT_BY_PASSES);
    glshape_status found = find_device(f);
    if (found) {
        failed = *err;
        TRY(order_new(err, f->field, n, f->o.superlevel, &f->order));
        *err = failed;
        return found;
    }
    if (!f->small) return order_new_later(err, f->field, n, f->o.superlevel, &f->order);
    TRY(order_new(err, f->field, n, f->o.superlevel, &f->order));
    return find_range(f);
}

/* The same of several ranks: each makes the order of its own. */
static glshape_status order_together(finder *f) {
    size_t n = f->result->n, planes = f->field->shape[0];
    size_t first = slabs_plane_of_rank(f->ranks, (uint32_t)planes, f->ranks->rank) * (n / planes);
    size_t end = slabs_plane_of_rank(f->ranks, (uint32_t)planes, f->ranks->rank + 1) * (n / planes);
    run_begin_stage(run_of(f->g), "order", RUN_NOT_BY_PASSES);
    TRY(order_new_part(run_error(run_of(f->g)), f->field, first, (uint32_t)(end - first), f->o.superlevel,
                       &f->order));
    return find_range(f);
}

#define MOST_IN_PLANE ((size_t)1 << 29) /* vertices: basins.h numbers those of two planes below 2^30 */

/* Refuses a field whose vertices 32 bits do not number, unless ranks share it and branches are all that is
 * asked for. */
static glshape_status check_wide(const finder *f) {
    error *err = run_error(run_of(f->g));
    size_t n = f->result->n, most = MATRIX_MOST_VERTICES, planes = f->field->shape[0], plane = n / planes;
    int ranks = f->ranks->size;
    if (ranks == 1)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "the field has %zu vertices, and one process numbers %zu; share it among ranks of MPI (values "
            "of at most 32 bits, not the triplet method), coarsen it, or cut it into parts",
            n, most);
    if (!f->o.branches_only)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "the field has %zu vertices, and triplets number %zu; ask for branches only, coarsen it, or "
            "cut it into parts",
            n, most);
    if (plane > MOST_IN_PLANE)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "the field has planes of %zu vertices, more than 2^29; turn it so that its first axis is "
                    "the longest",
                    plane);
    if ((planes - 1) / (size_t)ranks + 1 <= most / plane) return GLSHAPE_OK;
    return fail(
        err, GLSHAPE_BAD_ARGUMENT,
        "the field has %zu vertices, and each of %d ranks numbers %zu; start more ranks, or coarsen it", n,
        ranks, most);
}

static glshape_status compute(gpu *g, const ranks *r, const glshape_field *field,
                              const glshape_mergetree_options *o, glshape_mergetree_result *result,
                              mergetree_on *on, mergetree_pairs *pairs) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result made = {0};
    OWNED_BY(finder_free)
    finder f = {.g = g,
                .ranks = r,
                .field = field,
                .result = &made,
                .on = on,
                .pairs = pairs,
                .since = wall_seconds()};
    const glshape_graph *graph = field->graph;
    const uint32_t *extent = f.grid.extent;
    error *err = run_error(run_of(g));
    *result = (glshape_mergetree_result){0};
    if (o) f.o = *o;
    TRY(check_options(err, &f.o));
    TRY(graph ? check_graph(err, graph, &f.grid) : check_shape(err, field, &f.grid));
    if (r->size > 1 && !can_share(field, &f.o, r)) {
        if (!ranks_go_alone(r)) return GLSHAPE_OK;
        f.ranks = &ranks_alone;
    }
    made.n = graph ? graph->nodes : (size_t)extent[0] * extent[1] * extent[2];
    f.wide = made.n > MATRIX_MOST_VERTICES;
    if (f.wide) TRY(check_wide(&f));
    TRY(matrix_check_values(err, field->type, field->values, made.n));
    choose_place(&f);
    TRY(f.ranks->size == 1 ? order_alone(&f) : order_together(&f));
    made.seconds.upload += clock_lap(&f.since);
    TRY(find_within_memory(&f));
    if (!f.ranks->rank) *result = MOVE(made);
    return GLSHAPE_OK;
}

glshape_status mergetree_compute_on(gpu *g, const glshape_field *field, const glshape_mergetree_options *o,
                                    glshape_mergetree_result *result, mergetree_on *on) {
    return compute(g, &ranks_alone, field, o, result, on, NULL);
}

glshape_status mergetree_compute_pairs(gpu *g, const glshape_field *field, const glshape_mergetree_options *o,
                                       glshape_mergetree_result *result, mergetree_pairs *pairs) {
    *pairs = (mergetree_pairs){0};
    return compute(g, &ranks_alone, field, o, result, NULL, pairs);
}

glshape_status mergetree_pairs_of_keys(gpu *g, gpu_texture *key, uint32_t key_bits, const grid *d,
                                       gpu_texture *pairs, uint32_t *count) {
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(branches_free) branches tree = {0};
    uint32_t n = d->extent[0] * d->extent[1] * d->extent[2];
    grid_field f = {.grid = *d, .n = n, .key_bits = key_bits, .total = n, .hi = d->extent[2], .key = *key};
    run_why why = gpu_why_passes(g);
    *count = 0;
    TRY(basins_are_for_passes(g, d->hood, false, &why));
    TRY(pairs_are_for_passes(g, d->hood, PAIRS_ITEMS, &why));
    if (!run_why_device(why)) return GLSHAPE_OK;
    TRY(basins_begin(g, &f, &b));
    TRY(basins_edges(g, &b));
    run_fact(run_of(g), b.edge_count, "edges between basins");
    TRY(pairs_find(g, &b, PAIRS_ITEMS, &tree));
    *pairs = MOVE(b.items);
    *count = tree.count;
    return GLSHAPE_OK;
}

static glshape_status split_of(gpu *g, grid_field *f, mergetree_on *split) {
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(branches_free) branches tree = {0};
    run_begin_stage(run_of(g), "basins", gpu_why_passes(g));
    TRY(basins_begin(g, f, &b));
    TRY(basins_edges(g, &b));
    run_fact(run_of(g), b.edge_count, "edges between basins");
    run_begin_stage(run_of(g), "pairs", gpu_why_passes(g));
    TRY(pairs_find(g, &b, PAIRS_NUMBERS | PAIRS_SPANS, &tree));
    run_begin_stage(run_of(g), "triplets", gpu_why_passes(g));
    TRY(keep_on(g, &b, &tree, split));
    return run_tick(run_of(g), 1);
}

glshape_status mergetree_split_on(gpu *g, gpu_texture *key, uint32_t key_bits, const grid *d,
                                  mergetree_on *split) {
    OWNED_BY(grid_field_free) grid_field f = {0};
    TRY(grid_field_turn(g, key, key_bits, d, &f));
    return split_of(g, &f, split);
}

glshape_status glshape_mergetree(glshape_context *context, const glshape_field *field,
                                 const glshape_mergetree_options *options, glshape_mergetree_result *result) {
    *result = (glshape_mergetree_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    glshape_status status =
        context_agree(context, compute(g, run_ranks(run_of(g)), field, options, result, NULL, NULL));
    if (status) glshape_mergetree_free(result);
    return context_end(context, status);
}

void mergetree_on_free(mergetree_on *on) {
    free(on->on);
    on->on = NULL;
    gpu_texture_free(&on->on_gpu);
    gpu_texture_free(&on->key);
    gpu_texture_free(&on->span);
}

void glshape_mergetree_free(glshape_mergetree_result *result) {
    free(result->triplets);
    free(result->branches);
    free(result->vertices);
    *result = (glshape_mergetree_result){0};
}
