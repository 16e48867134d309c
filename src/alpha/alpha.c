/* The public calls: glshape_alpha, and which rank a radius or an optimum is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/family.h"
#include "alpha/passes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "gpu/context.h"
#include "place/place.h"
#include "prim/passes.h"
#include "prim/sort.h"
#include "tree/union.h"

/* ---- the triangulation ------------------------------------------------------------------------- */

/* All distinct points are corners and the hull has no hole: V - E + F = 1 (Euler), also without triangles. */
static uint32_t count_edges(const delaunay_triangulation *t) {
    return t->distinct ? t->distinct + t->count - 1 : 0;
}

/* Moves the arrays of t into the result, and counts the edges. For points on a line, makes the edges from
 * the chain. */
static glshape_status move_triangulation(family *f, delaunay_triangulation *t) {
    glshape_alpha_result *r = f->result;
    r->vertices = t->distinct;
    r->triangle_count = f->triangles = t->count;
    r->edge_count = f->edges = count_edges(t);
    r->same = t->same;
    r->triangles = t->vertex;
    r->neighbors = t->neighbor;
    t->same = t->vertex = t->neighbor = NULL;
    if (f->triangles) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(f->g)), &r->edges, f->edges, 2 * sizeof *r->edges, "the edges"));
    for (size_t e = 0; e < f->edges; e++) {
        uint32_t a = t->chain[e], b = t->chain[e + 1];
        r->edges[2 * e] = a < b ? a : b;
        r->edges[2 * e + 1] = a < b ? b : a;
    }
    return GLSHAPE_OK;
}

#define RANK_BYTES 270 /* of textures, a point, at most, beside those of the triangulation */

static run_why choose_place(const family *f, alpha_way way) {
    if (way == ALPHA_ON_CPU) return RUN_NOT_OPTION;
    if (!exact_on_device(&f->points)) return RUN_NOT_LIMITS;
    if (way == ALPHA_ON_DEVICE) return gpu_why_passes(f->g);
    return place_by_size(f->g, PLACE_TRIANGULATION, f->points.n);
}

/* Why the triangulation is not on the device, which was to have it. */
static run_why why_no_textures(gpu *g, uint32_t triangles) {
    if (!triangles) return RUN_NOT_BY_PASSES;
    if (gpu_why_untrusted(g) == RUN_NOT_YET) return RUN_NOT_YET;
    run_why absent = gpu_why_absent(g);
    return absent == RUN_NOT_ROOM && !gpu_is_exact(g) ? RUN_NOT_EXACT : absent;
}

/* Drivers compile them while the points are triangulated. */
static void expect_programs(const family *f) {
    if (f->alone) alpha_expect_outline(f->g);
    gpu_soon(f->g, alpha_keys, .LIMBS = family_limbs(&f->points));
    gpu_soon(f->g, alpha_count_edges, .elements = 0);
    gpu_soon(f->g, alpha_edges, .n = 0);
    gpu_soon(f->g, alpha_close, .n = 0);
    gpu_soon(f->g, alpha_pick, .elements = 0);
    gpu_soon(f->g, alpha_put, .n = 0);
    gpu_soon(f->g, alpha_begins, .elements = 0);
    gpu_soon(f->g, alpha_ranks, .n = 0);
    gpu_soon(f->g, alpha_first_items, .n = 0);
    gpu_soon(f->g, alpha_edge_intervals, .edges = 0);
    gpu_soon(f->g, alpha_triangle_intervals, .edges = 0);
    gpu_soon(f->g, prim_compact, .COPY = 0);
}

/* A software renderer would do on the processors what these do faster themselves. */
static glshape_status triangulate(family *f, alpha_way way) {
    OWNED_BY(delaunay_triangulation_free) delaunay_triangulation t = {0};
    f->why = choose_place(f, way);
    bool device = run_why_device(f->why);
    bool there = false;
    f->triangulation.alone = f->alone;
    if (device) TRY(place_find(f->g, (uint64_t)RANK_BYTES * f->points.n, &there));
    if (there) expect_programs(f);
    TRY(delaunay_triangulate(f->g, &f->points, way == ALPHA_ON_CPU ? DELAUNAY_ON_CPU : DELAUNAY_AUTO, &t,
                             device ? &f->triangulation : NULL));
    bool found = f->triangulation.vertex.id;
    if (found) TRY(place_find(f->g, (uint64_t)RANK_BYTES * f->points.n, &found));
    if (device && !found) f->why = why_no_textures(f->g, t.count);
    if (found && way != ALPHA_ON_DEVICE) f->why = place_by_kind(f->g);
    f->on_device = run_why_device(f->why);
    if (f->on_device) TRY(family_trusts_keys(f, &f->on_device));
    if (run_why_device(f->why) && !f->on_device) f->why = gpu_why_untrusted(f->g);
    if (!f->on_device) delaunay_textures_free(&f->triangulation);
    if (!f->on_device && t.count && !t.vertex) { /* which is known too late */
        f->alone = false;
        return triangulate(f, way);
    }
    f->alone = f->alone && f->on_device;
    return move_triangulation(f, &t);
}

/* ---- the master list --------------------------------------------------------------------------- */

/* What is done with each threshold: it is put where its rank's next one goes (start[rank]++), or listed, and
 * in any case counted. */
typedef struct master {
    const glshape_alpha_result *r;
    size_t *start;
    glshape_alpha_entry *entry;
    radix_item *listed;
    size_t count;
} master;

static void enter(master *m, uint32_t rank, uint32_t face, uint8_t dim, uint8_t threshold) {
    if (!rank) return;
    if (m->listed) m->listed[m->count] = (radix_item){rank, face, (uint32_t)dim << 8 | threshold};
    else if (m->entry) m->entry[m->start[rank]++] = (glshape_alpha_entry){face, dim, threshold};
    else if (m->start) m->start[rank]++;
    m->count++;
}

/* Enters faces by dimension, number and threshold, which is their order within a rank. */
static void enter_all_faces(master *m) {
    const glshape_alpha_result *r = m->r;
    for (uint32_t v = 0; v < r->n; v++)
        for (int i = 0; r->same[v] == v && i < 2; i++)
            enter(m, r->vertex_ranks[3 * (size_t)v + i], v, 0, (uint8_t)(GLSHAPE_ALPHA_MU_LOW + i));
    for (uint32_t e = 0; e < r->edge_count; e++)
        for (int i = 0; i < 3; i++) enter(m, r->edge_ranks[3 * (size_t)e + i], e, 1, (uint8_t)i);
    for (uint32_t t = 0; t < r->triangle_count; t++) enter(m, r->triangle_ranks[t], t, 2, GLSHAPE_ALPHA_RHO);
}

/* How many thresholds each rank has becomes where the rank starts. */
static void add_up(size_t *start, size_t count) {
    size_t sum = 0;
    for (size_t k = 0; k < count; k++) {
        size_t here = start[k];
        start[k] = sum;
        sum += here;
    }
}

/* Sorts the thresholds by rank on the device. */
static glshape_status sort_thresholds(family *f) {
    OWNED radix_item *items = NULL;
    glshape_alpha_result *r = f->result;
    TRY(allocate(run_error(run_of(f->g)), &items, r->master_count, sizeof *items, "the master list"));
    enter_all_faces(&(master){.r = r, .listed = items});
    TRY(prim_sort(f->g, true, items, r->master_count, 32));
    for (size_t k = 0; k < r->master_count; k++) {
        r->master[k] = (glshape_alpha_entry){items[k].a, (uint8_t)(items[k].b >> 8), (uint8_t)items[k].b};
        r->master_start[items[k].at]++;
    }
    add_up(r->master_start, r->ranks + 2);
    return GLSHAPE_OK;
}

/* The same by a counting sort. Afterwards start[rank] is where the rank after it starts. */
static void count_thresholds(glshape_alpha_result *r) {
    size_t *start = r->master_start;
    enter_all_faces(&(master){.r = r, .start = start});
    add_up(start, r->ranks + 2);
    enter_all_faces(&(master){.r = r, .start = start, .entry = r->master});
    memmove(start + 1, start, (r->ranks + 1) * sizeof *start);
    start[0] = 0;
}

/* Lists the thresholds by rank. */
static glshape_status list_thresholds(family *f) {
    glshape_alpha_result *r = f->result;
    error *err = run_error(run_of(f->g));
    run_why why = f->why;
    master all = {.r = r};
    family_free_textures(f); /* the list takes as much */
    enter_all_faces(&all);
    r->master_count = all.count;
    TRY(prim_sorts(f->g, r->master_count, &why));
    run_begin_stage(run_of(f->g), "master", why);
    TRY(allocate(err, &r->master_start, r->ranks + 2, sizeof *r->master_start, "the master list"));
    TRY(allocate(err, &r->master, r->master_count, sizeof *r->master, "the master list"));
    if (run_why_device(why)) return sort_thresholds(f);
    count_thresholds(r);
    return GLSHAPE_OK;
}

/* ---- all of it --------------------------------------------------------------------------------- */

#define TEAM_POINTS 100000u /* from so many on, a team is worth its start */

static glshape_status rank_faces(family *f) {
    glshape_alpha_result *r = f->result;
    double start = wall_seconds();
    if (f->points.n >= TEAM_POINTS) f->team = threads_team_new(0);
    run_begin_stage(run_of(f->g), "edges", f->why);
    if (f->triangles) TRY(f->on_device ? family_edges(f) : family_edges_on_cpu(f));
    r->seconds.edges += clock_lap(&start);
    TRY(run_tick(run_of(f->g), 0.1));
    TRY(f->on_device ? family_spectrum(f) : family_spectrum_on_cpu(f));
    return run_tick(run_of(f->g), 0.9);
}

glshape_status family_begin(family *f, const glshape_matrix *points, alpha_way way) {
    glshape_alpha_result *r = f->result;
    double start = wall_seconds();
    run_begin_stage(run_of(f->g), "points", RUN_NOT_BY_PASSES);
    TRY(allocate(run_error(run_of(f->g)), &r->exact, 1, sizeof *r->exact, "the points"));
    TRY(exact_points_new(run_error(run_of(f->g)), points, &r->exact->points));
    f->points = r->exact->points;
    r->n = f->points.n;
    run_set_span(run_of(f->g), 0, 0.5);
    place_may_wait(f->g, PLACE_WORK_ALPHA, f->points.n);
    TRY(triangulate(f, way));
    run_set_span(run_of(f->g), 0.5, 1);
    r->seconds.triangulate += clock_lap(&start);
    return rank_faces(f);
}

glshape_status family_find(gpu *g, const glshape_matrix *points, alpha_way way, bool wants_master,
                           glshape_alpha_result *r) {
    OWNED_BY(family_free) family f = {.g = g, .result = r};
    TRY(family_begin(&f, points, way));
    double start = wall_seconds();
    run_begin_stage(run_of(g), "intervals", f.why);
    TRY(family_intervals(&f));
    r->seconds.intervals += clock_lap(&start);
    if (wants_master) TRY(list_thresholds(&f));
    r->seconds.master += clock_lap(&start);
    r->gpu_bytes = gpu_recent_bytes(g);
    return run_tick(run_of(g), 1);
}

glshape_status glshape_alpha(glshape_context *context, const glshape_matrix *points,
                             const glshape_alpha_options *options, glshape_alpha_result *result) {
    gpu *g;
    *result = (glshape_alpha_result){0};
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    glshape_status status = family_find(g, points, ALPHA_AUTO, options && options->master, result);
    run_set_span(run_of(g), 0, 1);
    if (status) glshape_alpha_free(result);
    return context_end(context, status);
}

void glshape_alpha_free(glshape_alpha_result *r) {
    void *const all[] = {r->same,         r->triangles, r->neighbors,      r->triangle_edges,
                         r->edges,        r->radii,     r->triangle_ranks, r->edge_ranks,
                         r->vertex_ranks, r->master,    r->master_start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    if (r->exact) {
        exact_points_free(&r->exact->points);
        free(r->exact->face);
    }
    free(r->exact);
    *r = (glshape_alpha_result){0};
}

/* ---- ranks ------------------------------------------------------------------------------------- */

/* Returns the greatest rank whose radius is at most α, by bisection: radii of ranks up to lo are at most α,
 * radii of ranks above hi are not. */
static uint32_t greatest_rank_up_to(alpha_radii *exact, const glshape_alpha_result *r, double alpha) {
    uint32_t lo = 0, hi = (uint32_t)r->ranks;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo + 1) / 2;
        double radius = r->radii[middle];
        bool up_to = fabs(radius - alpha) > 1e-12 * alpha
                         ? radius < alpha
                         : radii_compare_alpha(exact, r->exact->face[middle - 1], alpha) <= 0;
        if (up_to) lo = middle;
        else hi = middle - 1;
    }
    return lo;
}

glshape_status alpha_check_radius(error *err, double alpha) {
    if (alpha >= 0) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "alpha is %g; a radius is at least 0", alpha);
}

glshape_status alpha_find_rank(error *err, const glshape_alpha_result *r, double alpha, uint32_t *rank) {
    const alpha_faces faces = {&r->exact->points, r->edges, r->triangles, (uint32_t)r->edge_count};
    OWNED_BY(radii_end) alpha_radii exact;
    radii_begin(&exact, &faces);
    TRY(alpha_check_radius(err, alpha));
    *rank = alpha == 0 ? 0 : isinf(alpha) ? (uint32_t)r->ranks : greatest_rank_up_to(&exact, r, alpha);
    return GLSHAPE_OK;
}

glshape_status glshape_alpha_rank(glshape_context *context, const glshape_alpha_result *r, double alpha,
                                  uint32_t *rank) {
    run *run;
    TRY(context_begin_run(context, &run));
    return context_end(context, alpha_find_rank(run_error(run), r, alpha, rank));
}

/* ---- the optimal rank ---------------------------------------------------------------------------------- */

/* Sorts triangles by rank. Those of rank r start at order[start[r]]; start has ranks + 2 entries. */
static void order_triangles(const glshape_alpha_result *r, uint32_t *start, uint32_t *order) {
    uint32_t sum = 0;
    for (size_t t = 0; t < r->triangle_count; t++) start[r->triangle_ranks[t] + 1]++;
    for (size_t k = 0; k < r->ranks + 2; k++) start[k] = sum += start[k];
    for (size_t t = r->triangle_count; t-- > 0;) order[--start[r->triangle_ranks[t] + 1]] = (uint32_t)t;
    for (size_t k = 0; k < r->ranks + 1; k++) start[k] = start[k + 1];
    start[r->ranks + 1] = (uint32_t)r->triangle_count;
}

/* Adds triangle t to the components. Returns by how many their number grows: 1, 0, -1 or -2. */
static int add_triangle(const glshape_alpha_result *r, uint32_t *parent, uint32_t t) {
    int more = 1;
    parent[t] = t;
    for (int k = 0; k < 3; k++) {
        uint32_t other = r->neighbors[3 * (size_t)t + k];
        if (other == GLSHAPE_NO_TRIANGLE || parent[other] == UINT32_MAX) continue;
        uint32_t a = union_find(parent, t), b = union_find(parent, other);
        more -= a != b;
        parent[a > b ? a : b] = a > b ? b : a;
    }
    return more;
}

/* Returns the least rank at which every vertex is a corner of a triangle. */
static uint32_t rank_that_covers_vertices(const glshape_alpha_result *r) {
    uint32_t least = 0;
    for (size_t v = 0; v < r->n; v++)
        if (r->vertex_ranks[3 * v + 2] > least) least = r->vertex_ranks[3 * v + 2];
    return least;
}

static glshape_status find_optimal(error *err, const glshape_alpha_result *r, size_t most, uint32_t *rank) {
    OWNED uint32_t *parent = NULL;
    uint32_t *start, *order;
    TRY(allocate(err, &parent, 2 * r->triangle_count + r->ranks + 2, sizeof *parent, "components"));
    order = parent + r->triangle_count;
    start = order + r->triangle_count;
    for (size_t t = 0; t < r->triangle_count; t++) parent[t] = UINT32_MAX;
    order_triangles(r, start, order);
    int64_t components = 0;
    uint32_t covering = rank_that_covers_vertices(r), at = 0;
    for (*rank = 0; *rank < covering || components > (int64_t)most;) {
        ++*rank;
        while (at < start[*rank + 1]) components += add_triangle(r, parent, order[at++]);
    }
    return GLSHAPE_OK;
}

glshape_status alpha_find_optimal(error *err, const glshape_alpha_result *r, size_t components,
                                  uint32_t *rank) {
    if (!components)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "0 components: the least that can be asked for is 1");
    if (!r->triangle_count)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "all points are on one line: no alpha shape of them has an inside, so none is optimal");
    return find_optimal(err, r, components < INT64_MAX ? components : INT64_MAX, rank);
}

glshape_status glshape_alpha_optimal(glshape_context *context, const glshape_alpha_result *r,
                                     size_t components, uint32_t *rank) {
    run *run;
    TRY(context_begin_run(context, &run));
    return context_end(context, alpha_find_optimal(run_error(run), r, components, rank));
}
