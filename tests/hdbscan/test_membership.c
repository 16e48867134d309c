#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "dist/source.h"
#include "prim/bench.h"
#include "reference/knn.h"
#include "reference/soft.h"
#include "suites.h"

/* Memberships and the index DBCV, beside the reference. */

static glshape_context *shared;

static glshape_context *context(void) {
    if (!shared) ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &shared), GLSHAPE_OK);
    return shared;
}

static void done(glshape_status status) {
    ck_assert_msg(!status, "%s: %s", bench_place(), glshape_last_error(context()));
}

static double uniform(void) { return bench_random() * 0x1p-32; }
static uint32_t below(uint32_t most) { return bench_random() % most; }

enum { UNIFORM, CLUSTERS, LATTICE, COPIES, KINDS };

static double value_of(int kind, size_t v, size_t c) {
    if (kind == LATTICE) return below(6);
    if (kind == COPIES) return (double)below(4) * 0.37;
    return kind == CLUSTERS ? (double)(v % 4 * (c + 1)) + 0.5 * uniform() : uniform();
}

/* n + more points; the last ones are new, some of them at a point's place. */
static double *any_points(int kind, uint32_t n, uint32_t more, uint32_t columns, double unit, double offset) {
    double *x = bench_memory((size_t)(n + more) * columns, sizeof *x);
    for (size_t k = 0; k < (size_t)(n + more) * columns; k++) {
        size_t v = k / columns, from = v >= n && v % 3 == 0 ? (v * 7) % n : v;
        x[k] = from == v ? value_of(kind, v, k % columns) * unit + offset : x[from * columns + k % columns];
    }
    return x;
}

static double lambda_of(const glshape_hdbscan_result *r, uint32_t v) {
    for (size_t k = 0; k < r->row_count; k++)
        if (r->rows[k].child == v) return r->rows[k].lambda;
    return NAN;
}

/* ---- membership -------------------------------------------------------------------------------- */

typedef struct drawn {
    uint32_t n, more, columns;
    double *x;
    glshape_source source;
    glshape_hdbscan_result r;
} drawn;

/* The mutual reachability of a new point and the point that it joins, which is the least of all. */
static double joined_at(const drawn *d, const double *distance, uint32_t nearest) {
    double least[64], best = INFINITY;
    int within = d->r.options.min_samples - 1, count = 0;
    for (uint32_t v = 0; v < d->n; v++) {
        int at = count < within ? count++ : within;
        for (; at && distance[v] < least[at - 1]; at--)
            if (at < within) least[at] = least[at - 1];
        if (at < within) least[at] = distance[v];
    }
    double core = within ? least[within - 1] : 0, reach = 0;
    for (uint32_t v = 0; v < d->n; v++) {
        double to = fmax(distance[v], fmax(core, d->r.core[v]));
        if (v == nearest) reach = to;
        best = fmin(best, to);
    }
    BENCH_CHECK(bench_near(reach, best, 1e-12));
    return 1 / reach;
}

/* distance and want: room for a number of each point, and of each cluster. */
static void check_row(const drawn *d, const glshape_membership *m, uint32_t q, bool is_new, double *distance,
                      double *want) {
    double noise, sum = 0;
    uint32_t point = is_new ? m->nearest[q] : q, own = is_new ? d->n + q : q;
    for (uint32_t v = 0; v < d->n; v++)
        distance[v] = ref_distance(d->source.metric, d->x + (size_t)own * d->columns,
                                   d->x + (size_t)v * d->columns, d->columns);
    double lambda = lambda_of(&d->r, point);
    if (is_new) lambda = fmin(lambda, joined_at(d, distance, point));
    ref_membership(&d->r, distance, point, lambda, is_new, want, &noise);
    BENCH_CHECK(fabs(m->noise[q] - noise) < 1e-9);
    for (size_t c = 0; c < d->r.clusters; c++) {
        double got = m->strength[q * d->r.clusters + c];
        BENCH_CHECK(fabs(got - want[c]) < 1e-7 && got >= 0 && got <= 1 + 1e-9);
        sum += got;
    }
    BENCH_CHECK(fabs(sum + m->noise[q] - 1) < 1e-9);
}

/* The greatest of all, in order. */
static void check_top(const drawn *d, const glshape_membership *all, const glshape_membership *top) {
    for (size_t q = 0; q < all->n; q++) {
        const double *strength = all->strength + q * d->r.clusters;
        for (size_t k = 0; k < top->width; k++) {
            uint32_t c = top->cluster[q * top->width + k];
            size_t before = 0;
            for (uint32_t o = 0; o < d->r.clusters; o++)
                before += strength[o] > strength[c] || (strength[o] == strength[c] && o < c);
            BENCH_CHECK(before == k && top->strength[q * top->width + k] == strength[c]);
        }
        BENCH_CHECK(all->noise[q] == top->noise[q]);
    }
}

static size_t check_memberships(drawn *d, bool is_new) {
    glshape_matrix queries = {GLSHAPE_F64, d->more, d->columns, d->x + (size_t)d->n * d->columns};
    glshape_membership_options o = {.queries = is_new ? &queries : NULL};
    glshape_membership all, top;
    done(glshape_hdbscan_membership(context(), &d->source, &d->r, &o, &all));
    BENCH_CHECK(all.n == (is_new ? d->more : d->n) && all.width == d->r.clusters && !all.cluster);
    double *distance = bench_memory(d->n, sizeof *distance),
           *want = bench_memory(d->r.clusters + 1, sizeof *want);
    for (uint32_t q = 0; q < all.n; q++) check_row(d, &all, q, is_new, distance, want);
    o.top = 1 + below(4);
    done(glshape_hdbscan_membership(context(), &d->source, &d->r, &o, &top));
    BENCH_CHECK(top.width == (o.top < d->r.clusters ? o.top : d->r.clusters));
    check_top(d, &all, &top);
    glshape_membership_free(&all);
    glshape_membership_free(&top);
    return d->r.clusters;
}

START_TEST(test_membership) {
    static const double units[] = {1, 1, 1e-150, 1e150, 1e-9};
    size_t clusters = 0;
    int turns = hunt(80, 400);
    for (int turn = 0; turn < turns; turn++) {
        drawn d = {.n = 2 + below(90), .more = 1 + below(20), .columns = 1 + below(4)};
        int kind = (int)below(KINDS);
        double unit = units[below(5)];
        d.x = any_points(kind, d.n, d.more, d.columns, unit, unit == 1 ? below(2) * 1e4 : 0);
        glshape_matrix m = {GLSHAPE_F64, d.n, d.columns, d.x};
        d.source = (glshape_source){.points = &m, .metric = (glshape_metric)below(2)};
        if (turn % 5 == 0) d.source.metric = GLSHAPE_METRIC_CHEBYSHEV;
        glshape_hdbscan_options o = {.min_cluster_size = (int)(2 + below(6)),
                                     .min_samples = (int)(1 + below(d.n < 12 ? d.n : 12)),
                                     .selection = (glshape_hdbscan_selection)below(2),
                                     .epsilon = below(3) ? 0 : unit,
                                     .max_cluster_size = below(3) ? 0 : 1 + below(d.n),
                                     .allow_single_cluster = below(2)};
        bench_where("turn %d: %u + %u × %u, kind %d, unit %g, metric %d", turn, d.n, d.more, d.columns, kind,
                    unit, (int)d.source.metric);
        done(glshape_hdbscan(context(), &d.source, &o, &d.r));
        clusters += check_memberships(&d, false) + check_memberships(&d, true);
        glshape_hdbscan_free(&d.r);
        bench_clear();
    }
    ck_assert(80 * clusters > 100 * (size_t)turns);
}
END_TEST

/* The same bytes however many threads, and for rows of any type. */
START_TEST(test_membership_threads) {
    enum { N = 5000, COLUMNS = 3 };
    double *x = any_points(CLUSTERS, N, 0, COLUMNS, 1, 0);
    float *single = bench_memory(N * COLUMNS, sizeof *single);
    for (size_t k = 0; k < N * COLUMNS; k++) x[k] = single[k] = (float)x[k];
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, x}, f = {GLSHAPE_F32, N, COLUMNS, single};
    glshape_source source = {.points = &m}, other = {.points = &f};
    glshape_hdbscan_result r;
    glshape_membership one, many;
    done(glshape_hdbscan(context(), &source, &(glshape_hdbscan_options){.min_cluster_size = 30}, &r));
    ck_assert_int_gt((int)r.clusters, 2);
    done(glshape_hdbscan_membership(context(), &source, &r, NULL, &many));
    setenv("GLSHAPE_THREADS", "1", 1);
    done(glshape_hdbscan_membership(context(), &other, &r, NULL, &one));
    unsetenv("GLSHAPE_THREADS");
    ck_assert(bench_same(one.strength, many.strength, 2 * N * r.clusters));
    ck_assert(bench_same(one.noise, many.noise, 2 * N));
    glshape_membership_free(&one);
    glshape_membership_free(&many);
    glshape_hdbscan_free(&r);
}
END_TEST

/* Many rows at a time, so that exemplars are left out: some of them beside the reference. */
START_TEST(test_membership_many) {
    enum { N = 4000 };
    for (int turn = 0; turn < hunt(6, 30); turn++) {
        drawn d = {.n = N, .columns = 1 + below(6)};
        double far = turn % 3 == 2 ? 1e7 : 0;
        d.x = any_points(CLUSTERS, N, 0, d.columns, turn % 2 ? 1e-3 : 40, far);
        glshape_matrix m = {GLSHAPE_F64, N, d.columns, d.x};
        d.source = (glshape_source){.points = &m};
        if (turn == 1 && d.columns > 1) d.source.metric = GLSHAPE_METRIC_COSINE;
        bench_where("turn %d: %d × %u", turn, N, d.columns);
        done(glshape_hdbscan(context(), &d.source, &(glshape_hdbscan_options){.min_cluster_size = 40}, &d.r));
        glshape_membership all;
        done(glshape_hdbscan_membership(context(), &d.source, &d.r, NULL, &all));
        double *distance = bench_memory(N, sizeof *distance),
               *want = bench_memory(d.r.clusters + 1, sizeof *want);
        for (int k = 0; k < 60; k++) check_row(&d, &all, below(N), false, distance, want);
        glshape_membership_free(&all);
        glshape_hdbscan_free(&d.r);
        bench_clear();
    }
}
END_TEST

/* ---- by passes ---------------------------------------------------------------------------------- */

static glshape_context *on_device(void) {
    static glshape_context *named;
    if (!named)
        ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &named), GLSHAPE_OK);
    return named;
}

static const char *place_of(glshape_context *c, const char *stage) {
    static glshape_stage_facts stages[32];
    int count = glshape_stages(c, stages, 32);
    for (int k = 0; k < count && k < 32; k++)
        if (!strcmp(stages[k].stage, stage)) return stages[k].why;
    return "";
}

/* The same bytes by passes and by threads. Returns how many rows passes found. */
static size_t check_passes(const drawn *d, size_t top) {
    glshape_membership here, there;
    glshape_membership_options o = {.top = top};
    done(glshape_hdbscan_membership(context(), &d->source, &d->r, &o, &here));
    BENCH_CHECK(!glshape_hdbscan_membership(on_device(), &d->source, &d->r, &o, &there));
    BENCH_CHECK(here.width == there.width && here.n == there.n);
    BENCH_CHECK(!top || bench_same(here.cluster, there.cluster, here.n * here.width));
    BENCH_CHECK(bench_same(here.strength, there.strength, 2 * here.n * here.width));
    BENCH_CHECK(bench_same(here.noise, there.noise, 2 * here.n));
    glshape_membership_free(&here);
    glshape_membership_free(&there);
    if (!strcmp(place_of(on_device(), "membership"), "no passes do this")) return 0;
    return d->n - (size_t)fact_of(on_device(), "rows whose memberships threads found");
}

START_TEST(test_membership_by_passes) {
    static const double units[] = {1, 1, 1e-70, 1e70, 1e-9, 1e-120, 1e120};
    size_t by_passes = 0, all = 0;
    for (int turn = 0; turn < hunt(10, 100); turn++) {
        drawn d = {.n = 2 + below(turn % 4 ? 90 : 700), .columns = 1 + below(turn % 6 ? 5 : 70)};
        int kind = (int)below(KINDS);
        double unit = units[below(7)];
        d.x = any_points(kind, d.n, 0, d.columns, unit, unit == 1 ? below(2) * 1e4 : 0);
        glshape_matrix m = {GLSHAPE_F64, d.n, d.columns, d.x};
        d.source = (glshape_source){.points = &m};
        if (turn % 5 == 0 && d.columns > 1 && kind == UNIFORM) d.source.metric = GLSHAPE_METRIC_COSINE;
        glshape_hdbscan_options o = {.min_cluster_size = (int)(2 + below(6)),
                                     .min_samples = (int)(1 + below(d.n < 6 ? d.n : 6)),
                                     .selection = (glshape_hdbscan_selection)below(2),
                                     .allow_single_cluster = below(2)};
        size_t top = below(2) ? 1 : 3; /* for each a program is compiled */
        bench_where("turn %d: %u × %u, kind %d, unit %g, metric %d, top %zu", turn, d.n, d.columns, kind,
                    unit, (int)d.source.metric, top);
        done(glshape_hdbscan(context(), &d.source, &o, &d.r));
        if (d.r.clusters) all += d.n, by_passes += check_passes(&d, top);
        glshape_hdbscan_free(&d.r);
        bench_clear();
    }
    ck_assert_msg(by_passes > all / 2, "%zu of %zu rows by passes", by_passes, all);
}
END_TEST

/* Many rows, and a cluster of so many exemplars that it is cut to pieces; what passes do not compute. */
START_TEST(test_membership_by_passes_many) {
    enum { N = 6000 };
    for (int turn = 0; turn < 3; turn++) {
        drawn d = {.n = N, .columns = turn == 2 ? 4 : 2};
        d.x = any_points(turn == 1 ? LATTICE : CLUSTERS, N, 0, d.columns, 1, turn == 2 ? 1e5 : 0);
        glshape_matrix m = {GLSHAPE_F64, N, d.columns, d.x};
        d.source = (glshape_source){.points = &m};
        glshape_hdbscan_options o = {
            .min_cluster_size = turn ? 30 : N - 2, .min_samples = 5, .allow_single_cluster = !turn};
        bench_where("turn %d", turn);
        done(glshape_hdbscan(context(), &d.source, &o, &d.r));
        BENCH_CHECK(turn || d.r.clusters == 1);
        if (!turn) { /* a root whose points are exemplars */
            d.r.exemplar_start[1] = N;
            d.r.exemplars = realloc(d.r.exemplars, N * sizeof *d.r.exemplars);
            for (uint32_t v = 0; v < N; v++) d.r.exemplars[v] = v;
        }
        ck_assert_uint_ge(check_passes(&d, 2), turn == 1 ? 0 : N / 2);
        ck_assert_str_eq(place_of(on_device(), "membership"), "the device was named");
        check_passes(&d, 0);
        ck_assert(strstr(place_of(on_device(), "membership"), "more than its passes compute with"));
        d.source.metric = GLSHAPE_METRIC_MANHATTAN;
        check_passes(&d, 2);
        ck_assert_str_eq(place_of(on_device(), "membership"), "no passes do this");
        glshape_hdbscan_free(&d.r);
        bench_clear();
    }
}
END_TEST

#define REFUSED(status, call, words)                                                                      \
    do {                                                                                                  \
        ck_assert_int_eq(call, status);                                                                   \
        ck_assert_msg(strstr(glshape_last_error(context()), words), "%s", glshape_last_error(context())); \
    } while (0)

START_TEST(test_membership_refusals) {
    enum { N = 60 };
    double *x = any_points(CLUSTERS, N, 2, 2, 1, 0);
    glshape_matrix m = {GLSHAPE_F64, N, 2, x}, few = {GLSHAPE_F64, N - 1, 2, x},
                   wide = {GLSHAPE_F64, 1, 3, x}, bad = {GLSHAPE_F64, 1, 2, (double[]){NAN, 0}};
    glshape_source source = {.points = &m}, other = {.points = &few};
    glshape_hdbscan_result r;
    glshape_membership out;
    done(glshape_hdbscan(context(), &source, NULL, &r));
    ck_assert_int_eq((int)r.clusters, 4);
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_membership(context(), &other, &r, NULL, &out),
            "the 60 points");
    REFUSED(GLSHAPE_BAD_INPUT,
            glshape_hdbscan_membership(context(), &source, &r,
                                       &(glshape_membership_options){.queries = &wide}, &out),
            "3 columns");
    REFUSED(GLSHAPE_BAD_INPUT,
            glshape_hdbscan_membership(context(), &source, &r, &(glshape_membership_options){.queries = &bad},
                                       &out),
            "row 1, column 1");
    uint32_t kept = r.exemplars[1];
    r.exemplars[1] = N;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_membership(context(), &source, &r, NULL, &out), "entry 1");
    r.exemplars[1] = kept;
    r.clusters = 3;
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_membership(context(), &source, &r, NULL, &out),
            "there are 3");
    r.clusters = 4;
    glshape_hdbscan_free(&r);
}
END_TEST

/* ---- the spanning tree ------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* Every edge joins the two clusters of its merge, at their height. */
static void check_edges(const glshape_hdbscan_result *r, const double *x) {
    uint32_t *parent = bench_memory(r->n, sizeof *parent), *node = bench_memory(r->n, sizeof *node);
    for (uint32_t v = 0; v < r->n; v++) parent[v] = node[v] = v;
    for (uint32_t k = 0; k + 1 < r->n; k++) {
        uint32_t a = r->edges[2 * k], b = r->edges[2 * k + 1], i = root_of(parent, a), j = root_of(parent, b);
        const double *merge = r->merges + 4 * (size_t)k;
        double reach = ref_distance(GLSHAPE_METRIC_EUCLIDEAN, x + 2 * (size_t)a, x + 2 * (size_t)b, 2);
        reach = fmax(reach, fmax(r->core[a], r->core[b]));
        BENCH_CHECK(i != j && bench_near(reach, merge[2], 1e-12));
        BENCH_CHECK((node[i] == merge[0] && node[j] == merge[1]) ||
                    (node[i] == merge[1] && node[j] == merge[0]));
        parent[i] = j;
        node[j] = (uint32_t)r->n + k;
    }
}

/* The same edges by threads and on the device, if they are asked for. */
START_TEST(test_spanning_tree) {
    enum { N = 3000 };
    glshape_context *on_device;
    ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &on_device), GLSHAPE_OK);
    for (int kind = 0; kind < KINDS; kind++) {
        double *x = any_points(kind, N, 0, 2, 1, 0);
        glshape_matrix m = {GLSHAPE_F64, N, 2, x};
        glshape_source source = {.points = &m};
        glshape_hdbscan_options o = {.min_samples = 4, .spanning_tree = true, .search = GLSHAPE_SEARCH_INDEX};
        glshape_hdbscan_result here, there, without;
        bench_where("kind %d", kind);
        done(glshape_hdbscan(context(), &source, &o, &here));
        ck_assert_int_eq(glshape_hdbscan(on_device, &source, &o, &there), GLSHAPE_OK);
        check_edges(&here, x);
        BENCH_CHECK(bench_same(here.edges, there.edges, 2 * (N - 1)));
        o.spanning_tree = false;
        done(glshape_hdbscan(context(), &source, &o, &without));
        BENCH_CHECK(!without.edges && bench_same(here.merges, without.merges, 8 * (N - 1)));
        glshape_hdbscan_free(&here);
        glshape_hdbscan_free(&there);
        glshape_hdbscan_free(&without);
        bench_clear();
    }
    ck_assert_int_eq(glshape_close(on_device), GLSHAPE_OK);
}
END_TEST

/* ---- DBCV -------------------------------------------------------------------------------------- */

static bool read_rows(void *user, uint32_t first, uint32_t count, double *rows, char *message, size_t size) {
    const drawn *d = user;
    (void)message, (void)size;
    for (size_t i = first; i < first + count; i++)
        for (size_t j = 0; j < d->n; j++)
            *rows++ =
                ref_distance(d->source.metric, d->x + i * d->columns, d->x + j * d->columns, d->columns);
    return true;
}

/* What computes with single precision asks for these. */
static bool read_floats(void *user, uint32_t first, uint32_t count, float *rows, char *message, size_t size) {
    (void)user, (void)first, (void)count, (void)rows, (void)message, (void)size;
    return false;
}

static void check_validity(const glshape_source *source, const int32_t *labels,
                           const glshape_validity_options *o, const glshape_validity *want) {
    glshape_validity got;
    done(glshape_hdbscan_validity(context(), source, labels, o, &got));
    BENCH_CHECK(got.clusters == want->clusters && fabs(got.index - want->index) < 1e-9);
    for (size_t c = 0; c < got.clusters; c++) {
        BENCH_CHECK(fabs(got.cluster[c] - want->cluster[c]) < 1e-9);
        BENCH_CHECK(bench_near(got.sparseness[c], want->sparseness[c], 1e-9));
        BENCH_CHECK(bench_near(got.separation[c], want->separation[c], 1e-9));
    }
    glshape_validity_free(&got);
}

/* Points of which at least two clusters have two; some clusters have one or none, some points are noise. */
static int32_t *any_labels(uint32_t n, size_t *clusters) {
    int32_t *labels = bench_memory(n, sizeof *labels), most = 0;
    for (uint32_t v = 0; v < n; v++)
        labels[v] = v < 4 ? (int32_t)v % 2 : (int32_t)below(5) - 1 + (v == 9 ? 2 : 0);
    for (uint32_t v = 0; v < n; v++) most = labels[v] > most ? labels[v] : most;
    *clusters = (size_t)most + 1;
    return labels;
}

START_TEST(test_validity) {
    for (int turn = 0; turn < hunt(60, 300); turn++) {
        drawn d = {.n = 5 + below(60), .columns = 1 + below(5)};
        int kind = (int)below(KINDS);
        bool raw =
            kind >= LATTICE || below(3) == 0; /* of ties, only distances that are exact have one answer */
        d.x = any_points(kind, d.n, 0, d.columns, turn % 4 ? 1 : 1e-30, 0);
        glshape_matrix m = {GLSHAPE_F64, d.n, d.columns, d.x};
        d.source = (glshape_source){.points = &m, .metric = (glshape_metric)below(2)};
        glshape_validity want = {.clusters = 0};
        int32_t *labels = any_labels(d.n, &want.clusters);
        double *distance = bench_memory((size_t)d.n * d.n, sizeof *distance);
        want.cluster = bench_memory(want.clusters, sizeof(double));
        want.sparseness = bench_memory(want.clusters, sizeof(double));
        want.separation = bench_memory(want.clusters, sizeof(double));
        read_rows(&d, 0, d.n, distance, NULL, 0);
        double dim = raw ? 0 : below(2) ? 1.5 : (double)d.columns;
        glshape_validity_options o = {.dim = dim, .raw = raw};
        bench_where("turn %d: %u × %u, kind %d, dim %g", turn, d.n, d.columns, kind, dim);
        ref_validity(d.n, distance, labels, dim, &want);
        check_validity(&d.source, labels, &o, &want);
        glshape_source given = {.reader = read_floats, .double_reader = read_rows, .user = &d, .n = d.n};
        check_validity(&given, labels, &o, &want);
        bench_clear();
    }
}
END_TEST

/* A cluster whose tree all threads make is as if one made it. */
START_TEST(test_validity_large) {
    enum { N = 6000 };
    double *x = any_points(UNIFORM, N, 0, 2, 1, 0);
    int32_t *labels = bench_memory(N, sizeof *labels);
    for (int v = 0; v < N; v++) labels[v] = v % 6 == 0;
    glshape_matrix m = {GLSHAPE_F64, N, 2, x};
    glshape_validity one, many;
    done(glshape_hdbscan_validity(context(), &(glshape_source){.points = &m}, labels, NULL, &many));
    setenv("GLSHAPE_THREADS", "1", 1);
    done(glshape_hdbscan_validity(context(), &(glshape_source){.points = &m}, labels, NULL, &one));
    unsetenv("GLSHAPE_THREADS");
    ck_assert(one.index == many.index && one.sparseness[0] == many.sparseness[0]);
    ck_assert(one.index < 0); /* they are mixed */
    glshape_validity_free(&one);
    glshape_validity_free(&many);
}
END_TEST

START_TEST(test_validity_refusals) {
    double x[] = {0, 1, 5, 6, 9};
    glshape_matrix m = {GLSHAPE_F64, 5, 1, x};
    glshape_source source = {.points = &m},
                   given = {.reader = read_floats, .double_reader = read_rows, .user = NULL, .n = 5};
    int32_t one[] = {0, 0, 0, 1, -1}, large[] = {0, 0, 5, 1, 1}, fine[] = {0, 0, 1, 1, -1};
    glshape_validity out;
    REFUSED(GLSHAPE_BAD_INPUT, glshape_hdbscan_validity(context(), &source, one, NULL, &out),
            "1 cluster has");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_validity(context(), &source, large, NULL, &out), "row 3");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_validity(context(), &given, fine, NULL, &out),
            "dim is not given");
    REFUSED(GLSHAPE_BAD_ARGUMENT,
            glshape_hdbscan_validity(context(), &source, fine, &(glshape_validity_options){.dim = NAN}, &out),
            "dim is");
    REFUSED(GLSHAPE_BAD_ARGUMENT, glshape_hdbscan_validity(context(), &source, NULL, NULL, &out), "NULL");
    done(glshape_hdbscan_validity(context(), &source, fine, NULL, &out));
    ck_assert(out.separation[0] == 4 && out.sparseness[0] == 1 && out.cluster[0] == 0.75 &&
              fabs(out.index - 0.6) < 1e-15);
    glshape_validity_free(&out);
}
END_TEST

Suite *hdbscan_membership_suite(void) {
    Suite *s = suite_create("hdbscan/membership");
    TCase *t = bench_case(s, "membership");
    tcase_add_test(t, test_membership);
    tcase_add_test(t, test_membership_many);
    tcase_add_test(t, test_membership_threads);
    tcase_add_test(t, test_membership_refusals);
    tcase_add_test(t, test_spanning_tree);
    tcase_add_test(t, test_validity);
    tcase_add_test(t, test_validity_large);
    tcase_add_test(t, test_validity_refusals);
    t = bench_case(s, "passes");
    tcase_add_test(t, test_membership_by_passes);
    tcase_add_test(t, test_membership_by_passes_many);
    return s;
}
