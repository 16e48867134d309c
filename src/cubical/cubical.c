/* glshape_cubical: the public call.
 *
 * Both constructions are computed on one: cubes between vertices. Of a field on vertices these are its own.
 * The cubes of a field on top cells are dual to those between the centers of its cells, in reversed order; an
 * outside that comes before all vertices stands for what lies around the grid. So where a field on vertices
 * has the pair (edge, square) of dimension 1, the field on top cells has the pair (dual of the square, dual
 * of the edge).
 *
 * Dimension 0 is a merge tree of the field, and the highest dimension one of the reversed field with the
 * outside, whose neighborhood is the other one: across sides for vertices and across corners for top cells,
 * or the other way round. (Bleile et al., "The persistent homology of dual digital image constructions",
 * 2022.) */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/edges.h"
#include "cubical/run.h"
#include "field/flat.h"
#include "gpu/context.h"
#include "persistence/reduce.h"
#include "place/place.h"

#define GPU_BYTES 10    /* of textures, a pixel: keys, basins, lists */
#define VOLUME_BYTES 16 /* the same, a vertex; noise takes up to ten times as much, if there is so much */

/* ---- options and shape ------------------------------------------------------------------------- */

static glshape_status take_options(error *err, const glshape_cubical_options *options, int dims,
                                   glshape_cubical_options *o) {
    *o = options ? *options : (glshape_cubical_options){0};
    if (!o->modulus) o->modulus = 2;
    TRY(error_check_choice(err, (int)o->construction, GLSHAPE_CUBICAL_VERTICES, "construction"));
    if (o->dim.is_set && !(o->dim.value >= 0 && o->dim.value <= dims && o->dim.value == floor(o->dim.value)))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "dimension %g: a field of %d dimensions has 0 to %d",
                    o->dim.value, dims, dims);
    if (o->threshold.is_set && isnan(o->threshold.value))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the threshold is NaN; it is a value");
    if (!(o->min_persistence >= 0))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "min_persistence is %g; persistence is not negative",
                    o->min_persistence);
    return persistence_check_modulus(err, o->modulus);
}

/* Sets which integers of 64 bits are beyond t. */
static void take_whole_threshold(cubical_run *run, double t) {
    bool above = run->o.superlevel, is_signed = run->field.type == GLSHAPE_I64;
    double last = above ? ceil(t) : floor(t);
    if (last < (is_signed ? -0x1p63 : 0)) run->beyond = above ? CUBICAL_NONE : CUBICAL_ALL;
    else if (last >= (is_signed ? 0x1p63 : 0x1p64)) run->beyond = above ? CUBICAL_ALL : CUBICAL_NONE;
    else if (is_signed) run->last_key = (uint64_t)(int64_t)last ^ (uint64_t)1 << 63;
    else run->last_key = (uint64_t)last;
}

static void take_threshold(cubical_run *run) {
    glshape_cubical_options *o = &run->o;
    bool whole = whole_is(&run->field) && o->threshold_is_whole;
    run->beyond = whole || o->threshold.is_set ? CUBICAL_SOME : CUBICAL_NONE;
    if (run->beyond == CUBICAL_NONE) return;
    if (whole)
        run->last_key =
            whole_key(&(glshape_field){.type = run->field.type, .values = &o->threshold_whole}, 0);
    else if (whole_is(&run->field)) take_whole_threshold(run, o->threshold.value);
    else if (run->field.type == GLSHAPE_F32) o->threshold.value = (double)(float)o->threshold.value;
}

static glshape_status take_shape(cubical_run *run) {
    const glshape_field *f = run->given;
    error *err = err_of(run);
    size_t n = 1;
    if (f->graph || f->neighborhood)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "cubical takes a grid, and its neighborhood is 0: cubes say what is "
                    "beside what");
    if (f->dims < 1 || f->dims > 3)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "a field of %d dimensions: 1, 2 and 3 are known; take slices of it", f->dims);
    run->field = *f;
    run->grid = (grid){.extent = {1, 1, 1}};
    for (int i = 0; i < f->dims; i++) {
        if (!f->shape[i])
            return fail(err, GLSHAPE_BAD_ARGUMENT, "extent %d of the field is 0: there are no values", i + 1);
        if (f->periodic[i] && f->shape[i] < 2)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "axis %d is periodic and has 1 value; it needs at least 2",
                        i + 1);
        n = times(n, f->shape[i]);
        if (n >= UINT32_MAX)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "the field has more than 2^32 - 2 values; coarsen it, or cut it into parts");
        run->grid.extent[f->dims - 1 - i] = (uint32_t)f->shape[i];
        run->grid.periodic |= (unsigned)f->periodic[i] << (f->dims - 1 - i);
    }
    if (!run->o.dry_run) TRY(matrix_check_values(err, f->type, f->values, n));
    if (f->dims == 1) { /* a row of an array */
        run->field.dims = 2;
        run->field.shape[0] = 1;
        run->field.shape[1] = f->shape[0];
        run->field.periodic[0] = false;
        run->field.periodic[1] = f->periodic[0];
    }
    run->r->n = n;
    run->r->dims = f->dims;
    return GLSHAPE_OK;
}

bool cubical_wants(const cubical_run *run, int dim) {
    return dim <= run->given->dims && (!run->o.dim.is_set || run->o.dim.value == dim);
}

static int periodic_axes(const cubical_run *run) { return __builtin_popcount(run->grid.periodic); }

/* Returns the dimension whose classes that never end are found by their absence, or -1 if there are none: of
 * loops around axes of top cells, and of surfaces around two axes of three (in 2 dimensions loops around one
 * of two). Merge trees do not know them, and edges are no columns for them. */
static int balanced_dimension(const cubical_run *run) {
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    int dims = run->given->dims, axes = periodic_axes(run);
    if (dims == 3 && axes && !vertices) return 1;
    return dims > 1 && axes == dims ? dims - 1 : -1;
}

/* Returns true if this dimension has to be computed. */
static bool needs(const cubical_run *run, int dim) {
    int balanced = balanced_dimension(run);
    return cubical_wants(run, dim) || (balanced >= 0 && cubical_wants(run, balanced));
}

void cubical_begin_part(cubical_run *run, double share) {
    run_set_span(run_of(run->g), run->done, run->done + share);
    run->done += share;
}

/* ---- merge trees ------------------------------------------------------------------------------- */

static int sides_only(const cubical_run *run) { return run->field.dims == 2 ? 4 : 6; }
static int corners_too(const cubical_run *run) { return run->field.dims == 2 ? 8 : 26; }

static cubical_ends ends_of(const glshape_mergetree_result *tree) {
    _Static_assert(sizeof *tree->branches % sizeof(uint32_t) == 0, "branches are arrays of words");
    const glshape_branch *first = tree->branches;
    return (cubical_ends){&first->birth, &first->death, sizeof *first / sizeof(uint32_t), tree->count};
}

static void pairs_free(mergetree_pairs *p) { free(p->items); }

/* Adds the pairs of dimension 0 of the field. */
static glshape_status add_components(cubical_run *run) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result tree = {0};
    OWNED_BY(pairs_free) mergetree_pairs pairs = {0};
    bool sides = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    glshape_field f = run->field;
    const glshape_mergetree_options o = {.superlevel = run->o.superlevel, .branches_only = true};
    f.neighborhood = sides ? sides_only(run) : corners_too(run);
    TRY(mergetree_compute_pairs(run->g, &f, &o, &tree, &pairs));
    run_begin_stage(run_of(run->g), "pairs of vertices", RUN_NOT_BY_PASSES);
    if (pairs.items) return cubical_take_pairs(run, CUBICAL_LOW, MOVE(pairs.items), pairs.count);
    const cubical_ends ends = ends_of(&tree);
    return cubical_add_components(run, &ends);
}

/* Adds the pairs of the highest dimension, from the side, which is reversed. */
static glshape_status add_voids(cubical_run *run) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result tree = {0};
    OWNED_BY(pairs_free) mergetree_pairs pairs = {0};
    const glshape_mergetree_options o = {.branches_only = true};
    const side *s = &run->side;
    bool sides = run->o.construction == GLSHAPE_CUBICAL_TOP_CELLS;
    run_begin_stage(run_of(run->g), "sides", RUN_NOT_BY_PASSES);
    TRY(cubical_need_keys(run));
    glshape_field f = {.type = GLSHAPE_U32, .values = s->key, .dims = run->field.dims};
    for (int i = 0; i < f.dims; i++) {
        f.shape[i] = s->extent[f.dims - 1 - i];
        f.periodic[i] = run->field.periodic[i];
    }
    f.neighborhood = sides ? sides_only(run) : corners_too(run);
    TRY(mergetree_compute_pairs(run->g, &f, &o, &tree, &pairs));
    run_begin_stage(run_of(run->g), "pairs of vertices", RUN_NOT_BY_PASSES);
    if (pairs.items) return cubical_take_pairs(run, CUBICAL_HIGH, MOVE(pairs.items), pairs.count);
    const cubical_ends ends = ends_of(&tree);
    return cubical_add_side_components(run, &ends);
}

/* ---- classes that never end -------------------------------------------------------------------- */

/* Every cube is in a pair, or begins a class that never ends. So where the cubes of a vertex and those in
 * known pairs do not balance, such classes begin. */

typedef struct star_counter {
    cubical_run *run;
    cubes cubes;
} star_counter;

static void count_plane(void *user, size_t z) {
    const star_counter *c = user;
    const side *s = &c->run->side;
    uint32_t plane = s->extent[0] * s->extent[1], first = (uint32_t)z * plane;
    bool odd = s->reversed && c->run->given->dims & 1; /* cubes of the field are dual to those of the side */
    for (uint32_t v = first; v < first + plane; v++) {
        uint32_t vertex = cubical_vertex_of(c->run, v);
        if (vertex == GLSHAPE_NO_VERTEX) continue;
        int sum = cubes_star_sum(&c->cubes, v);
        c->run->balance[vertex] = (int8_t)(odd ? -sum : sum);
    }
}

/* Begins with all cubes of the side. */
static glshape_status begin_balance(cubical_run *run) {
    const side *s = &run->side;
    star_counter c = {.run = run};
    if (balanced_dimension(run) < 0 || !cubical_wants(run, balanced_dimension(run))) return GLSHAPE_OK;
    run_begin_stage(run_of(run->g), "sides", RUN_NOT_BY_PASSES);
    TRY(cubical_need_keys(run));
    c.cubes = cubical_side_cubes(run);
    TRY(allocate(err_of(run), &run->balance, run->order.n, 1, "the balance of the vertices"));
    threads_run(0, s->extent[2], count_plane, &c);
    return GLSHAPE_OK;
}

static glshape_status add_balance(cubical_run *run) {
    int dim = balanced_dimension(run);
    OWNED int8_t *balance = MOVE(run->balance);
    for (uint32_t v = 0; balance && v < run->order.n; v++)
        for (int left = dim & 1 ? -balance[v] : balance[v]; left > 0; left--)
            TRY(cubical_add_pair(run, dim, v, GLSHAPE_NO_VERTEX));
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Passes find the tree of the side where the device has its keys. */
static glshape_status add_tree(cubical_run *run) {
    double since = wall_seconds();
    bool done, reversed = run->side.reversed;
    cubical_begin_part(run, 0.3);
    TRY(cubical_add_tree_on_device(run, &done));
    if (!done) TRY(reversed ? add_voids(run) : add_components(run));
    run->r->seconds.trees += clock_lap(&since);
    return GLSHAPE_OK;
}

/* What of the field as it is: dimension 0, and of vertices dimension 1 of three. */
static glshape_status compute_upright(cubical_run *run) {
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    bool middle = vertices && run->given->dims == 3 && needs(run, 1);
    TRY(cubical_shape_side(run, false));
    if (middle) TRY(cubical_begin_keys(run));
    if (vertices) TRY(begin_balance(run));
    TRY(middle ? cubical_add_middle(run) : needs(run, 0) ? add_tree(run) : GLSHAPE_OK);
    cubical_drop_side(run);
    return GLSHAPE_OK;
}

/* What of the reversed field: the highest dimension, and of top cells dimension 1 of three. last: nothing of
 * the field as it is comes after. */
static glshape_status compute_reversed(cubical_run *run, bool last) {
    int dims = run->given->dims;
    bool top = (dims > 1 && needs(run, dims - 1)) || (periodic_axes(run) == dims && needs(run, dims));
    bool around =
        periodic_axes(run) == 3 && cubical_wants(run, 2); /* surfaces that never end are edges here */
    bool middle = run->o.construction == GLSHAPE_CUBICAL_TOP_CELLS && dims == 3 && (needs(run, 1) || around);
    if (!top && !middle) return GLSHAPE_OK;
    TRY(cubical_shape_side(run, true));
    TRY(cubical_reverse_on_device(run, last));
    if (middle) TRY(cubical_begin_keys(run));
    if (run->o.construction == GLSHAPE_CUBICAL_TOP_CELLS) TRY(begin_balance(run));
    TRY(middle ? cubical_add_middle(run) : add_tree(run));
    cubical_drop_side(run);
    grid_field_free(&run->side_on_gpu);
    return GLSHAPE_OK;
}

/* A field of two dimensions on the CPU. */
static glshape_status compute_flat(cubical_run *run) {
    double since = wall_seconds();
    run_begin_stage(run_of(run->g), "trees", run->why);
    if (balanced_dimension(run) >= 0) {
        bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
        TRY(cubical_shape_side(run, !vertices));
        TRY(begin_balance(run));
        cubical_drop_side(run);
    }
    TRY(cubical_add_flat(run, needs(run, 0), needs(run, 1) || (periodic_axes(run) == 2 && needs(run, 2))));
    run->r->seconds.trees += clock_lap(&since);
    return GLSHAPE_OK;
}

/* What is balanced begins first. Else the tree that dimension 1 does without comes first, and says which
 * squares its columns can leave out. */
static glshape_status compute_by_sides(cubical_run *run) {
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    bool tree_first = run->given->dims == 3 && !periodic_axes(run) && needs(run, 1);
    bool upright_first = vertices != tree_first;
    run->counts_ended = tree_first && needs(run, vertices ? 2 : 0);
    if (upright_first) TRY(compute_upright(run));
    TRY(compute_reversed(run, upright_first || !(vertices || needs(run, 0))));
    return upright_first ? GLSHAPE_OK : compute_upright(run);
}

/* Whether the field can be done by rows, on the CPU. */
static bool can_be_flat(const cubical_run *run) {
    return run->given->dims == 2 && place_may_stay_closed(run->g) && run->r->n <= FLAT_MOST;
}

/* Whether it is: passes do large images. */
static glshape_status choose_flat(cubical_run *run) {
    if (!can_be_flat(run)) return GLSHAPE_OK;
    size_t n = run->r->n;
    TRY(place_choose(run->g, PLACE_IMAGE, (double)n, true, times(n, GPU_BYTES), &run->why));
    run->flat = !run_why_device(run->why);
    return GLSHAPE_OK;
}

/* The keys and the textures of the larger side: the reversed one with the outside. */
static void forecast(cubical_run *run) {
    glshape_cubical_forecast *f = &run->r->forecast;
    bool flat = can_be_flat(run) && place_is_little(run->g, PLACE_IMAGE, (double)run->r->n);
    bool vertices = run->o.construction == GLSHAPE_CUBICAL_VERTICES;
    size_t n = 1;
    f->cells = 1;
    for (int axis = 0; axis < run->given->dims; axis++) {
        uint64_t extent = run->grid.extent[axis];
        bool periodic = run->grid.periodic >> axis & 1;
        f->cells = times(f->cells, periodic ? 2 * extent : vertices ? 2 * extent - 1 : 2 * extent + 1);
        n = times(n, extent + (periodic ? 0 : 2));
    }
    bool wide = run->field.type == GLSHAPE_F64 || whole_is(&run->field);
    f->host_bytes = times(n, flat ? FLAT_BYTES : sizeof(uint32_t));
    f->host_bytes += wide ? times(run->r->n, sizeof(uint32_t)) : 0;
    f->gpu_bytes = flat ? 0 : times(n, run->given->dims == 3 ? VOLUME_BYTES : GPU_BYTES);
}

static void cubical_run_free(cubical_run *run) {
    cubical_drop_side(run);
    cubical_drop_device(run);
    for (int dim = 0; dim < CUBICAL_DIMS; dim++) {
        free(run->dims[dim].pairs);
        gpu_texture_free(&run->dims[dim].kept);
    }
    free(run->balance);
    free(run->ended);
    gpu_texture_free(&run->ended_on_gpu);
    order_free(&run->order);
}

static glshape_status compute(gpu *g, const glshape_field *field, const glshape_cubical_options *options,
                              glshape_cubical_result *result) {
    OWNED_BY(glshape_cubical_free) glshape_cubical_result r = {0};
    OWNED_BY(cubical_run_free) cubical_run run = {.g = g, .given = field, .rows = RUN_NOT_BY_PASSES, .r = &r};
    error *err = run_error(run_of(g));
    double since = wall_seconds();
    TRY(take_shape(&run));
    TRY(take_options(err, options, field->dims, &run.o));
    take_threshold(&run);
    forecast(&run);
    if (run.o.dry_run) {
        *result = MOVE(r);
        return GLSHAPE_OK;
    }
    TRY(choose_flat(&run));
    run_begin_stage(run_of(g), "order", RUN_NOT_BY_PASSES);
    TRY(run.flat ? order_new(err, field, (uint32_t)r.n, run.o.superlevel, &run.order)
                 : cubical_send_field(&run, field->dims == 3 && needs(&run, 1)));
    r.least_vertex = run.o.superlevel ? run.order.greatest : run.order.least;
    r.greatest_vertex = run.o.superlevel ? run.order.least : run.order.greatest;
    r.least = order_value(field, r.least_vertex);
    r.greatest = order_value(field, r.greatest_vertex);
    r.seconds.upload += clock_lap(&since);
    TRY(run.flat ? compute_flat(&run) : compute_by_sides(&run));
    TRY(add_balance(&run));
    TRY(cubical_list_intervals(&run));
    r.gpu_bytes = gpu_recent_bytes(g);
    TRY(run_tick(run_of(g), 1));
    *result = MOVE(r);
    return GLSHAPE_OK;
}

glshape_status glshape_cubical(glshape_context *context, const glshape_field *field,
                               const glshape_cubical_options *options, glshape_cubical_result *result) {
    *result = (glshape_cubical_result){0};
    gpu *g;
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    return context_end(context, compute(g, field, options, result));
}

void glshape_cubical_free(glshape_cubical_result *result) {
    free(result->intervals);
    *result = (glshape_cubical_result){0};
}
