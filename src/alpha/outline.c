/* One shape, of a family that stays on the device: what comes down is the boundary, and the singular faces.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/family.h"
#include "alpha/passes.h"
#include "alpha/rings.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "gpu/context.h"
#include "prim/passes.h"

#define SAMPLE 1024u /* radii that are looked at together */
#define FEW_CLOSE 256u
#define GREATEST_OF 16384u /* ranks that a group of alpha/greatest takes */

typedef struct outliner {
    family *f;
    gpu *g;
    const glshape_alpha_choice *choice;
    glshape_alpha_outline *out;
    uint32_t rank, sides, components;
    gpu_texture state; /* two counters */
    gpu_texture label; /* of triangles: as glsl/alpha/inside.glsl has it */
    gpu_texture first; /* of triangles: the number of the first side */
    gpu_texture side, tally;
    prim_scratch scratch;
} outliner;

static void free_outliner(outliner *o) {
    gpu_texture *const all[] = {&o->state, &o->label, &o->first, &o->side, &o->tally};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_scratch_free(&o->scratch);
}

static glshape_status is_wrong(const outliner *o) {
    return fail(run_error(run_of(o->g)), GLSHAPE_GPU_ERROR,
                "the boundary of an alpha shape has sides that are not there: this driver computes something "
                "wrong; take another device (--device)");
}

void alpha_expect_outline(gpu *g) {
    gpu_soon(g, alpha_sample, .start = 0);
    gpu_soon(g, alpha_inside, .step = 0);
    gpu_soon(g, alpha_count_sides, .triangles = 0);
    gpu_soon(g, alpha_sides, .triangles = 0);
    gpu_soon(g, alpha_turn, .sides = 0);
    gpu_soon(g, alpha_singular, .n = 0);
    gpu_soon(g, alpha_list_singular, .n = 0);
    gpu_soon(g, alpha_greatest, .n = 0);
}

/* ---- radii ------------------------------------------------------------------------------------- */

/* A rank: the key of its radius, a face, and the corners of that. */
typedef struct sample {
    uint64_t key;
    uint32_t face, none, corner[4];
} sample;

/* Ranks first, first + stride, …; ranks begin with 1. */
static glshape_status take_samples(const outliner *o, uint32_t first, uint32_t stride, uint32_t count,
                                   sample *out) {
    family *f = o->f;
    OWNED_BY(gpu_texture_free) gpu_texture sampled = {0};
    TRY(gpu_texture_new(o->g, &sampled, "radii that are looked at", GPU_RGBA32UI, count, 2));
    TRY(gpu_run(o->g, alpha_sample, .radius = &f->radius, .chosen = &f->chosen,
                .vertex = &f->triangulation.vertex, .ends = &f->ends, .sampled = &sampled, .start = first - 1,
                .stride = stride, .edges = f->edges, .elements = count));
    TRY(gpu_download(o->g, &sampled, 0, count, out));
    for (uint32_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++)
            if (out[k].corner[c] >= f->points.n) return is_wrong(o);
    return GLSHAPE_OK;
}

static double radius_of(const outliner *o, uint64_t key) {
    return radii_of_key((int)(key >> 54), key & ((UINT64_C(1) << 54) - 1), o->f->points.exponent);
}

/* The radius of a rank, as glshape_alpha_result.radii has it: the greatest of those up to it. Rounding puts
 * close ones out of order, which lie side by side. Where a driver is tried, so is the pass for many. */
static glshape_status find_radius(const outliner *o, uint32_t rank, double *radius) {
    sample at[SAMPLE];
    OWNED uint64_t *keys = NULL;
    OWNED_BY(gpu_texture_free) gpu_texture found = {0};
    uint32_t few = rank < SAMPLE ? rank : SAMPLE;
    *radius = 0;
    if (o->f->close <= FEW_CLOSE && !gpu_is_checking(o->g)) {
        if (few) TRY(take_samples(o, rank - few + 1, 1, few, at));
        for (uint32_t k = 0; k < few; k++) *radius = fmax(*radius, radius_of(o, at[k].key));
        return GLSHAPE_OK;
    }
    uint32_t groups = rank / GREATEST_OF + (rank % GREATEST_OF != 0);
    TRY(allocate(run_error(run_of(o->g)), &keys, groups, sizeof *keys, "the spectrum"));
    TRY(gpu_texture_new(o->g, &found, "greatest radii", GPU_RG32UI, groups ? groups : 1, 1));
    TRY(gpu_run(o->g, alpha_greatest, .radius = &o->f->radius, .found = &found, .n = rank, .groups = groups));
    TRY(gpu_download(o->g, &found, 0, groups, keys));
    for (uint32_t k = 0; k < groups; k++) *radius = fmax(*radius, radius_of(o, keys[k]));
    return GLSHAPE_OK;
}

static bool is_up_to(const outliner *o, const sample *s, double alpha) {
    double radius = radius_of(o, s->key);
    if (fabs(radius - alpha) > 1e-12 * alpha) return radius < alpha;
    const alpha_faces one = {&o->f->points, s->corner, s->corner, s->face < o->f->edges};
    OWNED_BY(radii_end) alpha_radii exact;
    radii_begin(&exact, &one);
    return radii_compare_alpha(&exact, 0, alpha) <= 0;
}

/* Sets o->rank to the greatest rank whose radius is at most α: those up to lo are at most α, those above hi
 * are not. */
static glshape_status find_rank(outliner *o, double alpha) {
    sample at[SAMPLE];
    uint32_t lo = 0, hi = (uint32_t)o->f->result->ranks;
    if (alpha == 0) hi = 0;
    else if (isinf(alpha)) lo = hi;
    while (lo < hi) {
        uint32_t count = hi - lo < SAMPLE ? hi - lo : SAMPLE, stride = (hi - lo) / count, below = 0,
                 above = count;
        TRY(take_samples(o, lo + stride, stride, count, at));
        while (below < above) {
            uint32_t middle = below + (above - below) / 2;
            if (is_up_to(o, &at[middle], alpha)) below = middle + 1;
            else above = middle;
        }
        if (below < count) hi = lo + (below + 1) * stride - 1;
        lo += below * stride;
    }
    o->rank = lo;
    return GLSHAPE_OK;
}

static glshape_status choose_rank(outliner *o) {
    const glshape_alpha_choice *c = o->choice;
    if (c->alpha.is_set) TRY(find_rank(o, c->alpha.value));
    else o->rank = c->rank;
    TRY(alpha_check_rank(run_error(run_of(o->g)), o->f->result, o->rank));
    TRY(find_radius(o, 1, &o->out->least_radius));
    TRY(find_radius(o, (uint32_t)o->f->result->ranks, &o->out->greatest_radius));
    o->out->shape.rank = o->rank;
    return find_radius(o, o->rank, &o->out->shape.radius);
}

/* ---- components -------------------------------------------------------------------------------- */

static glshape_status clear(outliner *o) {
    static const uint32_t zeros[2];
    return gpu_upload(o->g, &o->state, 0, 2, zeros);
}

static glshape_status step_inside(outliner *o, uint32_t step) {
    family *f = o->f;
    return gpu_run(o->g, alpha_inside, .rank = &f->rank, .neighbor = &f->triangulation.neighbor,
                   .label = &o->label, .state = &o->state, .edges = f->edges, .triangles = f->triangles,
                   .limit = o->rank, .step = step, .groups = alpha_groups(f->triangles));
}

/* Sets label: in rounds, while something joins. A round that joins nothing has nothing left to follow. */
static glshape_status find_components(outliner *o) {
    uint32_t state[2] = {1, 0};
    TRY(gpu_texture_new(o->g, &o->state, "counters of a shape", GPU_R32UI, 2, 1));
    TRY(gpu_texture_new(o->g, &o->label, "components", GPU_R32UI, o->f->triangles, 1));
    TRY(step_inside(o, 0));
    for (uint32_t left = 2 * o->f->triangles; state[0] || state[1]; left--) {
        if (!left) return is_wrong(o);
        bool farther = state[1];
        TRY(clear(o));
        if (!farther) TRY(step_inside(o, 1));
        TRY(step_inside(o, 2));
        TRY(gpu_download(o->g, &o->state, 0, 2, state));
        if (farther && !state[1]) state[0] = 1;
    }
    return GLSHAPE_OK;
}

/* ---- sides ------------------------------------------------------------------------------------- */

static glshape_status list_sides(outliner *o) {
    gpu *g = o->g;
    uint32_t n = o->f->triangles, counted[2];
    OWNED_BY(gpu_texture_free) gpu_texture count = {0}, root = {0}, number = {0};
    TRY(gpu_texture_new(g, &count, "sides of triangles", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(g, &root, "first triangles of components", GPU_R32UI, n, 1));
    TRY(gpu_run(g, alpha_count_sides, .neighbor = &o->f->triangulation.neighbor, .label = &o->label,
                .count = &count, .root = &root, .triangles = n, .groups = alpha_groups(n)));
    TRY(gpu_texture_new(g, &o->first, "first sides", GPU_R32UI, n, 1));
    TRY(gpu_texture_new(g, &number, "numbers of components", GPU_R32UI, n, 1));
    TRY(prim_scan(g, &o->scratch, &count, n, &o->first, &o->state, 0));
    TRY(prim_scan(g, &o->scratch, &root, n, &number, &o->state, 1));
    TRY(gpu_download(g, &o->state, 0, 2, counted));
    o->sides = counted[0];
    o->components = counted[1];
    if (o->sides > 3 * (uint64_t)n || o->components > n || !o->sides != !o->components) return is_wrong(o);
    if (!o->sides) return GLSHAPE_OK;
    TRY(gpu_texture_new(g, &o->side, "sides", GPU_RGBA32UI, o->sides, 1));
    TRY(gpu_texture_new(g, &o->tally, "triangles of components", GPU_R32UI, o->components, 1));
    TRY(gpu_run(g, prim_fill, .filled = &o->tally, .elements = o->components));
    return gpu_run(g, alpha_sides, .vertex = &o->f->triangulation.vertex,
                   .neighbor = &o->f->triangulation.neighbor, .label = &o->label, .first = &o->first,
                   .number = &number, .side = &o->side, .tally = &o->tally, .triangles = n,
                   .groups = alpha_groups(n));
}

static glshape_status turn_sides(outliner *o) {
    uint32_t left = 1;
    for (uint32_t run = 0; left; run++) {
        if (run > o->f->triangles) return is_wrong(o);
        TRY(clear(o));
        TRY(gpu_run(o->g, alpha_turn, .neighbor = &o->f->triangulation.neighbor, .label = &o->label,
                    .first = &o->first, .side = &o->side, .state = &o->state, .sides = o->sides,
                    .groups = alpha_groups(o->sides)));
        TRY(gpu_download(o->g, &o->state, 0, 1, &left));
    }
    return GLSHAPE_OK;
}

/* Brings the sides, and the components with their numbers of triangles. */
static glshape_status take_sides(outliner *o, alpha_side **side) {
    error *err = run_error(run_of(o->g));
    OWNED uint32_t(*found)[4] = NULL, *tally = NULL;
    glshape_alpha_shape *s = &o->out->shape;
    TRY(allocate(err, &found, o->sides, sizeof *found, "the boundary"));
    TRY(allocate(err, &tally, o->components, sizeof *tally, "the components"));
    TRY(allocate(err, &s->component, o->components, sizeof *s->component, "the components"));
    TRY(allocate(err, side, o->sides, sizeof **side, "the boundary"));
    s->components = o->components;
    if (!o->sides) return GLSHAPE_OK;
    TRY(gpu_download(o->g, &o->side, 0, o->sides, found));
    TRY(gpu_download(o->g, &o->tally, 0, o->components, tally));
    for (uint32_t k = 0; k < o->sides; k++) (*side)[k] = (alpha_side){found[k][0], found[k][3], found[k][2]};
    for (uint32_t c = 0; c < o->components; c++) s->component[c].triangles = tally[c];
    return GLSHAPE_OK;
}

static glshape_status find_shape(outliner *o) {
    OWNED alpha_side *side = NULL;
    const exact_points *p = &o->f->points;
    TRY(find_components(o));
    TRY(list_sides(o));
    if (o->sides) TRY(turn_sides(o));
    TRY(take_sides(o, &side));
    const alpha_boundary b = {p->xy, p->n, p->exponent, side, o->sides};
    return alpha_rings(run_error(run_of(o->g)), &b, &o->out->shape);
}

/* ---- singular faces ---------------------------------------------------------------------------- */

/* Lists the singular edges, or points, by two numbers each. */
static glshape_status list_singular(outliner *o, bool points, size_t *count, uint32_t (**list)[2]) {
    uint32_t n = points ? o->f->points.n : o->f->edges, found;
    OWNED_BY(gpu_texture_free) gpu_texture flag = {0}, place = {0}, listed = {0};
    TRY(gpu_texture_new(o->g, &flag, "singular faces", GPU_R32UI, n, 1));
    TRY(gpu_run(o->g, alpha_singular, .edge_ranks = &o->f->edge_ranks, .low = &o->f->low, .flag = &flag,
                .n = n, .limit = o->rank, .points = points, .groups = alpha_groups(n)));
    TRY(gpu_texture_new(o->g, &place, "places of singular faces", GPU_R32UI, n, 1));
    TRY(prim_scan(o->g, &o->scratch, &flag, n, &place, &o->state, 0));
    TRY(gpu_download(o->g, &o->state, 0, 1, &found));
    if (found > n) return is_wrong(o);
    TRY(allocate(run_error(run_of(o->g)), list, found, sizeof **list, "the singular faces"));
    *count = found;
    if (!found) return GLSHAPE_OK;
    TRY(gpu_texture_new(o->g, &listed, "list of singular faces", GPU_RG32UI, found, 1));
    TRY(gpu_run(o->g, alpha_list_singular, .flag = &flag, .place = &place, .ends = &o->f->ends,
                .listed = &listed, .n = n, .points = points, .groups = alpha_groups(n)));
    TRY(gpu_download(o->g, &listed, 0, found, *list));
    for (uint32_t k = 0; k < found; k++)
        if ((*list)[k][0] >= o->f->points.n || (*list)[k][1] >= o->f->points.n) return is_wrong(o);
    return GLSHAPE_OK;
}

static glshape_status find_singular(outliner *o) {
    OWNED uint32_t(*point)[2] = NULL;
    glshape_alpha_outline *out = o->out;
    TRY(family_thresholds(o->f));
    TRY(list_singular(o, false, &out->singular_edges, &out->singular_edge));
    TRY(list_singular(o, true, &out->singular_points, &point));
    TRY(allocate(run_error(run_of(o->g)), &out->singular_point, out->singular_points,
                 sizeof *out->singular_point, "the singular points"));
    for (size_t k = 0; k < out->singular_points; k++) out->singular_point[k] = point[k][0];
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static void take_counts(const glshape_alpha_result *r, glshape_alpha_outline *out) {
    out->n = r->n;
    out->vertices = r->vertices;
    out->edge_count = r->edge_count;
    out->triangle_count = r->triangle_count;
    out->ranks = r->ranks;
    out->gpu_bytes = r->gpu_bytes;
    out->seconds.triangulate = r->seconds.triangulate;
    out->seconds.edges = r->seconds.edges;
    out->seconds.keys = r->seconds.keys;
    out->seconds.sort = r->seconds.sort;
    out->seconds.compare = r->seconds.compare;
    out->seconds.intervals = r->seconds.intervals;
}

static glshape_status outline_by_passes(family *f, const glshape_alpha_choice *choice,
                                        glshape_alpha_outline *out) {
    OWNED_BY(free_outliner) outliner o = {.f = f, .g = f->g, .choice = choice, .out = out};
    double since = wall_seconds();
    run_begin_stage(run_of(f->g), "shape", f->why);
    TRY(choose_rank(&o));
    TRY(find_shape(&o));
    if (!choice->regularized && !choice->boundary_only) TRY(find_singular(&o));
    take_counts(f->result, out);
    out->gpu_bytes = gpu_recent_bytes(f->g);
    out->seconds.shape = clock_lap(&since);
    return run_tick(run_of(f->g), 1);
}

/* In memory. */
static glshape_status finish(family *f) {
    double since = wall_seconds();
    run_begin_stage(run_of(f->g), "intervals", f->why);
    TRY(family_intervals(f));
    f->result->seconds.intervals += clock_lap(&since);
    f->result->gpu_bytes = gpu_recent_bytes(f->g);
    return run_tick(run_of(f->g), 1);
}

glshape_status alpha_outline_find(gpu *g, const glshape_matrix *points, alpha_way way,
                                  const glshape_alpha_choice *choice, glshape_alpha_result *r,
                                  glshape_alpha_outline *out, bool *done) {
    OWNED_BY(family_free) family f = {.g = g, .result = r, .alone = choice->alpha.is_set || !choice->optimal};
    if (choice->alpha.is_set) TRY(alpha_check_radius(run_error(run_of(g)), choice->alpha.value));
    TRY(family_begin(&f, points, way));
    *done = f.alone;
    if (f.alone) TRY(family_trusts_outline(&f, done));
    if (*done) return outline_by_passes(&f, choice, out);
    if (f.alone) { /* all arrays are wanted, after all */
        glshape_alpha_free(r);
        OWNED_BY(family_free) family again = {.g = g, .result = r};
        TRY(family_begin(&again, points, way));
        return finish(&again);
    }
    return finish(&f);
}

/* ---- of a family in memory --------------------------------------------------------------------- */

static glshape_status list_singular_faces(error *err, const glshape_alpha_result *r,
                                          glshape_alpha_outline *out) {
    const glshape_alpha_shape *s = &out->shape;
    size_t edges = 0, points = 0;
    for (size_t e = 0; e < r->edge_count; e++) edges += s->edge[e] == GLSHAPE_ALPHA_SINGULAR;
    for (size_t v = 0; v < r->n; v++) points += r->same[v] == v && s->vertex[v] == GLSHAPE_ALPHA_SINGULAR;
    TRY(allocate(err, &out->singular_edge, edges, sizeof *out->singular_edge, "the singular edges"));
    TRY(allocate(err, &out->singular_point, points, sizeof *out->singular_point, "the singular points"));
    for (size_t e = 0; e < r->edge_count; e++)
        if (s->edge[e] == GLSHAPE_ALPHA_SINGULAR)
            memcpy(out->singular_edge[out->singular_edges++], r->edges + 2 * e, sizeof *out->singular_edge);
    for (uint32_t v = 0; v < r->n; v++)
        if (r->same[v] == v && s->vertex[v] == GLSHAPE_ALPHA_SINGULAR)
            out->singular_point[out->singular_points++] = v;
    return GLSHAPE_OK;
}

static void free_classes(glshape_alpha_shape *s) {
    free(s->vertex);
    free(s->edge);
    free(s->triangle);
    free(s->component_of);
    s->vertex = s->edge = s->triangle = NULL;
    s->component_of = NULL;
}

glshape_status alpha_outline_of_family(error *err, const glshape_alpha_result *r,
                                       const glshape_alpha_choice *choice, glshape_alpha_outline *out) {
    uint32_t rank = choice->rank;
    double since = wall_seconds();
    if (choice->alpha.is_set) TRY(alpha_find_rank(err, r, choice->alpha.value, &rank));
    else if (choice->optimal) TRY(alpha_find_optimal(err, r, choice->optimal, &rank));
    TRY(alpha_find_shape(err, r, rank, choice->regularized, &out->shape));
    take_counts(r, out);
    out->least_radius = r->ranks ? r->radii[1] : 0;
    out->greatest_radius = r->radii[r->ranks];
    if (!choice->regularized && !choice->boundary_only) TRY(list_singular_faces(err, r, out));
    free_classes(&out->shape);
    out->seconds.shape = clock_lap(&since);
    return GLSHAPE_OK;
}

glshape_status glshape_alpha_outline_of(glshape_context *context, const glshape_matrix *points,
                                        const glshape_alpha_choice *choice, glshape_alpha_outline *outline) {
    gpu *g;
    OWNED_BY(glshape_alpha_free) glshape_alpha_result family = {0};
    bool done = false;
    *outline = (glshape_alpha_outline){0};
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    glshape_status status = alpha_outline_find(g, points, ALPHA_AUTO, choice, &family, outline, &done);
    run_set_span(run_of(g), 0, 1);
    if (!status && !done) {
        run_begin_stage(run_of(g), "shape", RUN_NOT_BY_PASSES);
        status = alpha_outline_of_family(run_error(run_of(g)), &family, choice, outline);
    }
    if (status) glshape_alpha_outline_free(outline);
    return context_end(context, status);
}

void glshape_alpha_outline_free(glshape_alpha_outline *o) {
    glshape_alpha_shape_free(&o->shape);
    free(o->singular_edge);
    free(o->singular_point);
    *o = (glshape_alpha_outline){0};
}
