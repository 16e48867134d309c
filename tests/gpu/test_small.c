/* Small inputs: the processor and the device give the same bytes, what the processor does opens no device,
 * and a device that was named does all that it can. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/family.h"
#include "gpu/context.h"
#include "prim/bench.h"

static glshape_context *on_device, *closed;

/* The device's context is shared by the tests: what it has compiled stays. */
static void open_device(void) {
    glshape_options named = {.debug = true, .device = test_device()};
    ck_assert_int_eq(glshape_open(&named, &on_device), GLSHAPE_OK);
}

static void close_device(void) { ck_assert_int_eq(glshape_close(on_device), 0); }

static void open_closed(void) {
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &closed), GLSHAPE_OK);
}

static void close_closed(void) { ck_assert_int_eq(glshape_close(closed), 0); }

#define DONE(context, expr) ck_assert_msg((expr) == GLSHAPE_OK, "%s", glshape_last_error(context))
#define SAME(x, y, count) BENCH_CHECK(!memcmp((x), (y), (count) * sizeof *(x)))

/* ---- places ---------------------------------------------------------------------------------------- */

static int there; /* stages that ran on the device that was named */

/* What alone may keep a stage from a device that was named. */
static bool is_impossible(const char *why) {
    return !strcmp(why, "no passes do this") ||
           !strcmp(why, "these values, or so many, are more than its passes compute with") ||
           !strcmp(why, "passes have left what takes them too long, or more room than they have") ||
           !strcmp(why, "the device's driver is slow, or not trusted, with the numbers that this takes");
}

/* Of the last methods: where each stage ran. "rest": pairs that a search leaves, too few to search for. */
static void check_places(void) {
    glshape_stage_facts stages[40];
    int count = glshape_stages(on_device, stages, 40);
    ck_assert_int_gt(count, 0);
    for (int k = 0; k < count; k++) {
        const glshape_stage_facts *f = &stages[k];
        bool named = !strcmp(f->why, "the device was named");
        there += f->on_device;
        ck_assert_msg(f->on_device ? named : is_impossible(f->why) || !strcmp(f->stage, "rest"),
                      "%s on %s: %s; %s", f->stage, f->on_device ? "the device" : "the processors", f->why,
                      bench_place());
    }
    count = *glshape_renderer(closed) ? 0 : glshape_stages(closed, stages, 40);
    for (int k = 0; k < count; k++)
        ck_assert_msg(!stages[k].on_device, "%s on a device that is closed", stages[k].stage);
}

static void stays_closed(void) {
    ck_assert_msg(!*glshape_renderer(closed), "%s was opened", glshape_renderer(closed));
    ck_assert_int_gt(there, 0);
    there = 0;
}

/* ---- points ---------------------------------------------------------------------------------------- */

enum { UNIFORM, LATTICE, EQUAL_POINTS, LINE, CIRCLE, TINY, HUGE_VALUES, SPREAD, KINDS };
#define SOME_KINDS hunt(LINE, KINDS) /* the device has other programs for the others */

static double draw(int kind, size_t column, double along) {
    switch (kind) {
        case LATTICE:
            return bench_random() % 4;
        case EQUAL_POINTS:
            return 3;
        case LINE:
            return along * (double)(column + 1);
        case CIRCLE:
            return column ? (column == 1 ? sin(along) : 0) : cos(along);
        case TINY:
            return (double)(bench_random() % 64) * 0x1p-1074;
        case HUGE_VALUES:
            return ldexp((double)(bench_random() % 1000) - 500, 900);
        case SPREAD:
            return ldexp((double)bench_random(), (int)(bench_random() % 200) - 100);
        default:
            return (double)bench_random() / 4294967296.0;
    }
}

static glshape_matrix make_points(int kind, size_t n, size_t columns) {
    double *x = bench_memory(n * columns + 1, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double along = (double)(bench_random() % 1000);
        for (size_t c = 0; c < columns; c++) x[i * columns + c] = draw(kind, c, along);
    }
    bench_where("points of kind %d, %zu x %zu", kind, n, columns);
    return (glshape_matrix){GLSHAPE_F64, n, columns, x};
}

static const size_t sizes[] = {2, 3, 5, 17, 64, 120};
#define SIZES (sizeof sizes / sizeof *sizes)

/* ---- knn, linkage ------------------------------------------------------------------------------------ */

static void compare_knn(const glshape_matrix *m, const glshape_knn_options *o) {
    glshape_knn_result a, b;
    glshape_status status = glshape_knn(on_device, m, o, &a);
    ck_assert_int_eq(glshape_knn(closed, m, o, &b), status);
    if (status) {
        ck_assert_str_eq(glshape_last_error(on_device), glshape_last_error(closed));
        return;
    }
    check_places();
    size_t all = a.start ? a.start[a.n] : a.n * (size_t)a.n_neighbors;
    SAME(a.index, b.index, all);
    SAME(a.distance, b.distance, all);
    glshape_knn_free(&a);
    glshape_knn_free(&b);
}

START_TEST(knn) {
    static const size_t columns[] = {1, 3, 20, 130};
    for (int kind = 0; kind < SOME_KINDS; kind++)
        for (size_t k = 0; k < SIZES; k++) {
            size_t n = sizes[k];
            size_t c = columns[bench_random() % 4];
            glshape_matrix m = make_points(kind, n, c), queries = make_points(kind, n / 2 + 1, c);
            glshape_knn_options o = {
                .n_neighbors = (int)(1 + bench_random() % (hunt(0, 1) || n < 5 ? n - 1 : 4)),
                .metric = (glshape_metric)(bench_random() % 2)};
            if (hunt((kind + (int)k) % 2, 1)) compare_knn(&m, &o);
            o.queries = &queries;
            if (hunt((kind + (int)k) % 2 == 0, 1)) compare_knn(&m, &o);
            bench_clear();
        }
    glshape_matrix m = make_points(UNIFORM, 100, 20);
    for (int metric = 0; metric <= GLSHAPE_METRIC_CORRELATION; metric++)
        compare_knn(&m, &(glshape_knn_options){.n_neighbors = 7, .metric = (glshape_metric)metric});
    stays_closed();
    bench_clear();
}
END_TEST

static void compare_linkage(const glshape_source *source) {
    glshape_linkage_result a, b;
    DONE(on_device, glshape_linkage(on_device, source, NULL, &a));
    DONE(closed, glshape_linkage(closed, source, NULL, &b));
    check_places();
    SAME(a.merges, b.merges, 4 * (a.n - 1));
    SAME(a.edges, b.edges, 2 * (a.n - 1));
    glshape_linkage_free(&a);
    glshape_linkage_free(&b);
}

static bool read_distances(void *user, uint32_t first, uint32_t count, float *out, char *message,
                           size_t size) {
    const glshape_matrix *m = user;
    const double *x = m->data;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++)
        for (size_t j = 0; j < m->rows; j++) *out++ = fabsf((float)x[i * m->cols] - (float)x[j * m->cols]);
    return true;
}

START_TEST(linkage) {
    static const size_t columns[] = {1, 3, 20, 130};
    for (int kind = 0; kind < SOME_KINDS; kind++)
        for (size_t k = 0; k < SIZES; k++) {
            size_t n = sizes[k];
            glshape_matrix m = make_points(kind, n, columns[bench_random() % 4]);
            compare_linkage(&(glshape_source){.points = &m, .metric = (glshape_metric)(bench_random() % 2)});
            if (kind != HUGE_VALUES && kind != SPREAD)
                compare_linkage(&(glshape_source){.reader = read_distances, .user = &m, .n = n});
            bench_clear();
        }
    stays_closed();
    bench_clear();
}
END_TEST

/* ---- graphs ------------------------------------------------------------------------------------------ */

static void compare_mst(const glshape_edges *edges, bool maximum) {
    const glshape_mst_options o = {.maximum = maximum};
    glshape_mst_result a, b;
    DONE(on_device, glshape_mst(on_device, edges, &o, &a));
    DONE(closed, glshape_mst(closed, edges, &o, &b));
    check_places();
    BENCH_CHECK(a.count == b.count && a.components == b.components);
    SAME(&a.total, &b.total, 1);
    SAME(a.i, b.i, a.count);
    SAME(a.j, b.j, a.count);
    SAME(a.weight, b.weight, a.count);
    glshape_mst_free(&a);
    glshape_mst_free(&b);
}

/* A weight as its bits, or one of few. */
static float any_weight(bool wild) {
    uint32_t bits = bench_random();
    float weight;
    memcpy(&weight, &bits, sizeof weight);
    return !wild || isnan(weight) ? (float)(bits % 4) - 2 : weight;
}

START_TEST(graphs) {
    for (int turn = 0; turn < hunt(24, 300); turn++) {
        size_t n = 1 + bench_random() % 200, count = bench_random() % 600;
        uint32_t *ends = bench_memory(count + 1, 2 * sizeof *ends);
        float *weight = bench_memory(count + 1, sizeof *weight);
        for (size_t k = 0; k < 2 * count; k++) ends[k] = bench_random() % (uint32_t)n;
        for (size_t k = 0; k < count; k++) weight[k] = any_weight(turn % 2);
        bench_where("a graph of %zu nodes and %zu edges", n, count);
        compare_mst(&(glshape_edges){n, count, ends, ends + count, turn % 5 ? weight : NULL}, turn % 3 == 0);
        bench_clear();
    }
    stays_closed();
}
END_TEST

/* ---- fields ------------------------------------------------------------------------------------------ */

/* Values of few bits, so that many are equal, or of all that there are but NaN. */
static float any_value(bool wild) { return bench_random() % 9 ? any_weight(wild) : -0.0f; }

static void compare_mergetree(const glshape_field *f, const glshape_mergetree_options *o) {
    glshape_mergetree_result a, b;
    DONE(on_device, glshape_mergetree(on_device, f, o, &a));
    DONE(closed, glshape_mergetree(closed, f, o, &b));
    check_places();
    BENCH_CHECK(a.n == b.n && a.count == b.count && a.extrema == b.extrema && a.components == b.components);
    BENCH_CHECK(a.least_vertex == b.least_vertex && a.greatest_vertex == b.greatest_vertex);
    if (a.triplets) SAME(a.triplets, b.triplets, 3 * a.n);
    for (size_t k = 0; k < a.count; k++)
        BENCH_CHECK(a.branches[k].birth == b.branches[k].birth &&
                    a.branches[k].death == b.branches[k].death &&
                    a.branches[k].parent == b.branches[k].parent);
    glshape_mergetree_free(&a);
    glshape_mergetree_free(&b);
}

static void compare_contour(const glshape_field *f) {
    glshape_contour_result a, b;
    glshape_status status = glshape_contour(on_device, f, GLSHAPE_MERGETREE_AUTO, &a);
    ck_assert_int_eq(glshape_contour(closed, f, GLSHAPE_MERGETREE_AUTO, &b), status);
    if (status) {
        ck_assert_str_eq(glshape_last_error(on_device), glshape_last_error(closed));
        return;
    }
    check_places();
    BENCH_CHECK(a.count == b.count);
    for (size_t k = 0; k < a.count; k++)
        BENCH_CHECK(a.arcs[k].lower == b.arcs[k].lower && a.arcs[k].upper == b.arcs[k].upper);
    SAME(a.arc, b.arc, a.n);
    glshape_contour_free(&a);
    glshape_contour_free(&b);
}

/* A grid of up to 8 vertices along an axis. */
static glshape_field any_grid(int turn) {
    glshape_field f = {.type = GLSHAPE_F32, .dims = 2 + turn % 2};
    size_t n = 1;
    for (int axis = 0; axis < f.dims; axis++) {
        n *= f.shape[axis] = 1 + bench_random() % 8;
        f.periodic[axis] = bench_random() % 4 == 0;
    }
    float *v = bench_memory(n, sizeof *v);
    for (size_t k = 0; k < n; k++) v[k] = any_value(turn % 3 == 0);
    f.values = v;
    bench_where("a grid of %zu vertices, %d axes, turn %d", n, f.dims, turn);
    return f;
}

START_TEST(grids) {
    static const int hoods[2][4] = {{4, 8, 6, 0}, {6, 18, 26, 14}};
    for (int turn = 0; turn < hunt(48, 500); turn++) {
        glshape_field f = any_grid(turn);
        f.neighborhood = hoods[f.dims - 2][turn / 2 % 4];
        glshape_mergetree_options o = {
            .superlevel = turn % 5 == 0, .simplify = turn % 7 ? 0 : 1, .branches_only = turn % 3 == 0};
        compare_mergetree(&f, &o);
        if (turn % 4 == 0) compare_contour(&f);
        bench_clear();
    }
    stays_closed();
}
END_TEST

static void compare_cubical(const glshape_field *f, const glshape_cubical_options *o) {
    glshape_cubical_result a, b;
    DONE(on_device, glshape_cubical(on_device, f, o, &a));
    DONE(closed, glshape_cubical(closed, f, o, &b));
    check_places();
    BENCH_CHECK(a.count == b.count);
    for (size_t k = 0; k < a.count; k++) {
        const glshape_cubical_interval *x = &a.intervals[k], *y = &b.intervals[k];
        BENCH_CHECK(x->dim == y->dim && x->birth_vertex == y->birth_vertex &&
                    x->death_vertex == y->death_vertex && x->birth == y->birth && x->death == y->death);
    }
    glshape_cubical_free(&a);
    glshape_cubical_free(&b);
}

START_TEST(cubes) {
    for (int turn = 0; turn < hunt(48, 500); turn++) {
        glshape_field f = any_grid(turn % 4 ? 1 : 0);
        for (int axis = 0; axis < f.dims; axis++) f.periodic[axis] &= f.shape[axis] > 1;
        glshape_cubical_options o = {.construction = (glshape_cubical_construction)(turn / 2 % 2),
                                     .superlevel = turn % 5 == 0,
                                     .modulus = turn % 3 ? 2 : 3};
        compare_cubical(&f, &o);
        bench_clear();
    }
    stays_closed();
}
END_TEST

/* Images that several threads share. */
START_TEST(images) {
    static const int hoods[] = {4, 8, 6};
    for (int turn = 0; turn < hunt(3, 60); turn++) {
        size_t rows = turn % 3 == 2 ? 3 : 300, n = rows * 401;
        uint8_t *v = bench_memory(n, 1);
        for (size_t k = 0; k < n; k++) v[k] = (uint8_t)(bench_random() % (turn % 2 ? 255 : 3));
        glshape_field f = {.type = GLSHAPE_U8, .values = v, .dims = 2, .shape = {rows, 401}};
        f.periodic[turn % 2] = turn % 3 == 1;
        bench_where("an image of %zu rows, turn %d", rows, turn);
        compare_cubical(&f, &(glshape_cubical_options){.construction = turn / 3 % 2});
        f.neighborhood = hoods[turn % 3];
        compare_mergetree(&f, &(glshape_mergetree_options){.branches_only = true});
        bench_clear();
    }
    stays_closed();
}
END_TEST

/* Loops and edges that are given twice among them. */
START_TEST(fields_on_graphs) {
    for (int turn = 0; turn < hunt(16, 300); turn++) {
        uint32_t n = 1 + bench_random() % 60, count = bench_random() % 150, *ends, *to;
        size_t *start = bench_memory(n + 1, sizeof *start);
        float *v = bench_memory(n, sizeof *v);
        ends = bench_memory(count + 1, 2 * sizeof *ends), to = bench_memory(count + 1, 2 * sizeof *to);
        for (uint32_t k = 0; k < n; k++) v[k] = any_value(turn % 2);
        for (uint32_t k = 0; k < 2 * count; k++) ends[k] = bench_random() % n;
        for (uint32_t a = 0, at = 0; a < n; start[++a] = at)
            for (uint32_t k = 0; k < 2 * count; k++)
                if (ends[k] == a) to[at++] = ends[k ^ 1];
        glshape_field f = {.type = GLSHAPE_F32, .values = v, .graph = &(glshape_graph){n, start, to, NULL}};
        bench_where("a field on a graph of %u nodes and %u edges", n, count);
        compare_mergetree(&f, NULL);
        bench_clear();
    }
    stays_closed();
}
END_TEST

/* ---- rips -------------------------------------------------------------------------------------------- */

static void compare_rips(const glshape_source *source, const glshape_rips_options *o) {
    glshape_rips_result a, b;
    DONE(on_device, glshape_rips(on_device, source, o, &a));
    DONE(closed, glshape_rips(closed, source, o, &b));
    check_places();
    BENCH_CHECK(a.count == b.count && a.threshold == b.threshold);
    for (size_t i = 0; i < a.count; i++) {
        const glshape_interval *x = &a.intervals[i], *y = &b.intervals[i];
        BENCH_CHECK(x->dim == y->dim && x->birth == y->birth && x->death == y->death &&
                    x->birth_simplex == y->birth_simplex && x->death_simplex == y->death_simplex);
    }
    glshape_rips_free(&a);
    glshape_rips_free(&b);
}

/* Equal distances, pairs that never join, and distances next to the greatest float. */
static bool read_odd_distances(void *user, uint32_t first, uint32_t count, float *out, char *message,
                               size_t size) {
    static const float values[] = {1, 1, 2, 0, 3.3e38f, 3.1e38f, INFINITY, 0.5f};
    size_t n = *(const size_t *)user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++)
        for (uint32_t j = 0; j < n; j++) *out++ = i == j ? 0 : values[(i * j + 3 * (i + j)) % 8];
    return true;
}

START_TEST(rips_of_odd_distances) {
    double births[64];
    for (int v = 0; v < 64; v++) births[v] = v % 5 / 2.0;
    for (size_t k = 0; k < SIZES && sizes[k] <= 64; k++) {
        size_t n = sizes[k];
        const glshape_source source = {.reader = read_odd_distances, .user = &n, .n = n};
        for (int dim = 0; dim < 3; dim++)
            compare_rips(&source, &(glshape_rips_options){.dim = GLSHAPE_SET(dim)});
        compare_rips(&source, &(glshape_rips_options){.births = births});
    }
    stays_closed();
}
END_TEST

START_TEST(rips) {
    static const int kinds[] = {UNIFORM, LATTICE, EQUAL_POINTS, LINE, CIRCLE};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t k = 0; k < SIZES; k++) {
            size_t n = sizes[k];
            glshape_matrix m = make_points(kinds[kind], n, 3);
            int dim = n > 64 ? 1 : n > 20 ? 2 : 4;
            compare_rips(&(glshape_source){.points = &m}, &(glshape_rips_options){.dim = GLSHAPE_SET(dim)});
            compare_rips(&(glshape_source){.points = &m},
                         &(glshape_rips_options){
                             .dim = GLSHAPE_SET(dim), .threshold = GLSHAPE_SET(0.5), .modulus = 3});
            compare_rips(&(glshape_source){.points = &m},
                         &(glshape_rips_options){
                             .dim = GLSHAPE_SET(dim), .threshold = GLSHAPE_SET(0.4), .sparse = true});
            bench_clear();
        }
    stays_closed();
    bench_clear();
}
END_TEST

/* ---- delaunay, alpha ----------------------------------------------------------------------------------- */

static void compare_delaunay(const glshape_matrix *m) {
    glshape_delaunay_result a, b;
    DONE(on_device, glshape_delaunay(on_device, m, &a));
    DONE(closed, glshape_delaunay(closed, m, &b));
    check_places();
    BENCH_CHECK(a.count == b.count && a.distinct == b.distinct && !a.chain == !b.chain);
    SAME(a.same, b.same, a.n);
    if (a.chain) SAME(a.chain, b.chain, a.distinct);
    if (a.count) SAME(a.triangles, b.triangles, 3 * a.count);
    if (a.count) SAME(a.neighbors, b.neighbors, 3 * a.count);
    glshape_delaunay_free(&a);
    glshape_delaunay_free(&b);
}

/* The device that was named against the context that was closed. */
static void compare_families(const glshape_matrix *m, alpha_way way) {
    const glshape_alpha_options o = {.master = true};
    glshape_alpha_result a, b = {0};
    gpu *g;
    DONE(on_device, glshape_alpha(on_device, m, &o, &a));
    DONE(closed, context_begin_closed(closed, &g));
    DONE(closed, context_end(closed, family_find(g, m, way, true, &b)));
    check_places();
    BENCH_CHECK(a.triangle_count == b.triangle_count && a.edge_count == b.edge_count && a.ranks == b.ranks &&
                a.vertices == b.vertices && a.master_count == b.master_count);
    SAME(a.edges, b.edges, 2 * a.edge_count);
    SAME(a.edge_ranks, b.edge_ranks, 3 * a.edge_count);
    SAME(a.vertex_ranks, b.vertex_ranks, 3 * a.n);
    SAME(a.radii, b.radii, a.ranks + 1);
    SAME(a.master_start, b.master_start, a.ranks + 2);
    for (size_t k = 0; k < a.master_count; k++) {
        const glshape_alpha_entry *x = &a.master[k], *y = &b.master[k];
        BENCH_CHECK(x->face == y->face && x->dim == y->dim && x->threshold == y->threshold);
    }
    if (a.triangle_count) {
        SAME(a.triangles, b.triangles, 3 * a.triangle_count);
        SAME(a.neighbors, b.neighbors, 3 * a.triangle_count);
        SAME(a.triangle_edges, b.triangle_edges, 3 * a.triangle_count);
        SAME(a.triangle_ranks, b.triangle_ranks, a.triangle_count);
    }
    glshape_alpha_free(&a);
    glshape_alpha_free(&b);
}

static void compare_alpha(const glshape_matrix *m) { compare_families(m, ALPHA_AUTO); }

START_TEST(plane) {
    for (int turn = 0; turn < hunt(1, 100); turn++)
        for (int kind = 0; kind < SOME_KINDS; kind++)
            for (size_t k = 0; k < SIZES; k++) {
                size_t n = sizes[k];
                glshape_matrix m = make_points(kind, n, 2);
                compare_delaunay(&m);
                compare_alpha(&m);
                bench_clear();
            }
    stays_closed();
    bench_clear();
}
END_TEST

/* ---- devices ------------------------------------------------------------------------------------------- */

/* What is not small opens the device, once, in the middle of a call; results are the same. */
START_TEST(opens_when_needed) {
    glshape_matrix m = make_points(UNIFORM, 9000, 2), few = make_points(UNIFORM, 50, 2);
    compare_alpha(&few);
    stays_closed();
    compare_families(&m, ALPHA_ON_DEVICE);
    ck_assert_str_eq(glshape_renderer(closed), glshape_renderer(on_device));
    compare_alpha(&few);
    compare_alpha(&m);
    bench_clear();
}
END_TEST

/* A device without room: for the triangulation, or only for it. One that is named refuses. */
START_TEST(beyond_memory) {
    glshape_matrix m = make_points(UNIFORM, 9000, 2);
    static const size_t bytes[] = {32, 128};
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(glshape_close(closed), 0);
        glshape_options o = {.when_needed = true, .gpu_memory = bytes[k] * m.rows};
        ck_assert_int_eq(glshape_open(&o, &closed), GLSHAPE_OK);
        compare_families(&m, ALPHA_ON_DEVICE);
        ck_assert_str_eq(glshape_renderer(closed), glshape_renderer(on_device));
        ck_assert_uint_le(glshape_peak_gpu_bytes(closed), o.gpu_memory);
        glshape_context *named;
        glshape_alpha_result r;
        o.device = test_device();
        ck_assert_int_eq(glshape_open(&o, &named), GLSHAPE_OK);
        ck_assert_int_eq(glshape_alpha(named, &m, NULL, &r), GLSHAPE_NO_GPU_MEMORY);
        ck_assert_int_eq(glshape_close(named), 0);
    }
    bench_clear();
}
END_TEST

/* Points for several items of the work of threads: with few equal radii, with many, with some that only look
 * equal. */
START_TEST(planes_by_threads) {
    for (int kind = UNIFORM; kind <= LATTICE; kind++) {
        glshape_matrix m = make_points(kind, 9000, 2);
        compare_families(&m, ALPHA_ON_CPU);
    }
    glshape_matrix m = make_points(UNIFORM, 9000, 2);
    for (size_t k = 0; k < 2 * m.rows; k++)
        ((double *)m.data)[k] = 0.1 * (double)(k % 2 ? k / 200 : k / 2 % 100);
    compare_families(&m, ALPHA_ON_CPU);
    stays_closed();
    bench_clear();
}
END_TEST

/* Few pairs of radii that keys leave open: those of triangles that are equal, or nearly. */
START_TEST(few_close_pairs) {
    for (int turn = 0; turn < hunt(3, 50); turn++) {
        glshape_matrix m = make_points(UNIFORM, 9000, 2);
        double *x = m.data;
        for (size_t t = 0; t < 20; t++)
            for (size_t k = 0; k < 3; k++) {
                double *p = x + 2 * (t * 450 + k), shear = t % 4 == 3 ? 0x1p-40 : 0;
                p[0] = (double)(t + 2) * 1024 + (k == 1 ? 4 : k == 2 ? 1 + shear : 0);
                p[1] = (double)(turn + 2) * 1024 * (double)(t % 3) + (k == 2 ? 3 : 0);
            }
        compare_families(&m, ALPHA_ON_DEVICE);
        glshape_fact facts[32];
        for (int k = glshape_facts(closed, facts, 32); k-- > 0;)
            BENCH_CHECK(strcmp(facts[k].name, "exact comparisons on the GPU"));
        bench_clear();
    }
}
END_TEST

#define COUNTS 8192u /* bytes that a stage may send or bring beside what it works on */

/* What the last method worked on has gone up to the device in one stage, and its answer has come down in one;
 * all other stages work on what is there. */
static void check_transfers(const char *method, uint64_t up, uint64_t down) {
    glshape_stage_facts stages[40];
    uint64_t all_up = 0, all_down = 0;
    int count = glshape_stages(on_device, stages, 40), large_up = 0, large_down = 0;
    for (int k = 0; k < count; k++) {
        all_up += stages[k].bytes_up;
        all_down += stages[k].bytes_down;
        large_up += stages[k].bytes_up > COUNTS;
        large_down += stages[k].bytes_down > COUNTS;
    }
    ck_assert_msg(large_up == 1 && all_up >= up && all_up < up + COUNTS,
                  "%s: %llu bytes up in %d stages, not %llu", method, (unsigned long long)all_up, large_up,
                  (unsigned long long)up);
    ck_assert_msg(large_down == 1 && all_down < down + COUNTS,
                  "%s: %llu bytes down in %d stages, more than %llu", method, (unsigned long long)all_down,
                  large_down, (unsigned long long)down);
}

/* Points go up once, and what comes down is the answer: of alpha less than the points, of delaunay 24 bytes
 * for each triangle, of linkage 40 for each merge, of cubical 32 for each interval. */
START_TEST(up_and_down_once) {
    enum { N = 6000 };
    glshape_matrix plane = make_points(UNIFORM, N, 2), space = make_points(UNIFORM, N, 3);
    glshape_alpha_outline alpha;
    glshape_delaunay_result delaunay;
    glshape_linkage_result linkage;
    glshape_cubical_result cubical;
    const glshape_alpha_choice first = {.rank = 1};
    DONE(on_device, glshape_alpha_outline_of(on_device, &plane, &first, &alpha));
    check_transfers("alpha", 16 * N, 16 * N);
    DONE(on_device, glshape_delaunay(on_device, &plane, &delaunay));
    check_transfers("delaunay", 16 * N, 2 * 12 * (uint64_t)delaunay.count);
    DONE(on_device, glshape_linkage(on_device, &(glshape_source){.points = &space}, NULL, &linkage));
    check_transfers("linkage", 24 * N, 40 * N);
    glshape_field image = {.type = GLSHAPE_F32, .values = plane.data, .shape = {N / 60, 120}, .dims = 2};
    float *values = plane.data;
    for (size_t k = 0; k < 2 * N; k++) values[k] = (float)(bench_random() % 100000);
    DONE(on_device, glshape_cubical(on_device, &image, NULL, &cubical));
    check_transfers("cubical", 4 * 2 * N, 32 * (uint64_t)cubical.count);
    glshape_alpha_outline_free(&alpha);
    glshape_delaunay_free(&delaunay);
    glshape_linkage_free(&linkage);
    glshape_cubical_free(&cubical);
    bench_clear();
}
END_TEST

/* A device that is named is asked for however small the input, again and again. */
START_TEST(absent) {
    glshape_context *c;
    glshape_alpha_result r;
    glshape_matrix m = make_points(UNIFORM, 100, 2);
    glshape_options o = {.device = "no such renderer", .when_needed = true};
    ck_assert_int_eq(glshape_open(&o, &c), GLSHAPE_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(glshape_alpha(c, &m, NULL, &r), GLSHAPE_NO_DEVICE);
        ck_assert(strstr(glshape_last_error(c), "no such renderer"));
        ck_assert(!*glshape_renderer(c) && !glshape_is_software(c) && !glshape_peak_gpu_bytes(c));
    }
    glshape_timing timing;
    ck_assert_int_eq(glshape_timings(c, &timing, 1), 0);
    ck_assert_int_eq(glshape_close(c), 0);
    bench_clear();
}
END_TEST

Suite *gpu_small_suite(void) {
    Suite *s = suite_create("gpu/small");
    TCase *t = tcase_create("small");
    tcase_add_unchecked_fixture(t, open_device, close_device);
    tcase_add_checked_fixture(t, open_closed, close_closed);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, knn);
    tcase_add_test(t, linkage);
    tcase_add_test(t, graphs);
    tcase_add_test(t, grids);
    tcase_add_test(t, fields_on_graphs);
    tcase_add_test(t, cubes);
    tcase_add_test(t, images);
    tcase_add_test(t, rips);
    tcase_add_test(t, rips_of_odd_distances);
    tcase_add_test(t, plane);
    tcase_add_test(t, opens_when_needed);
    tcase_add_test(t, beyond_memory);
    tcase_add_test(t, planes_by_threads);
    tcase_add_test(t, few_close_pairs);
    tcase_add_test(t, up_and_down_once);
    tcase_add_test(t, absent);
    suite_add_tcase(s, t);
    return s;
}
