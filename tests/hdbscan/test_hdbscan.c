#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/threads.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "hdbscan/hdbscan.h"
#include "io/read.h"
#include "prim/bench.h"
#include "reference/hdbscan.h"
#include "reference/knn.h"
#include "reference/linkage.h"

/* ---- running ----------------------------------------------------------------------------------- */

static glshape_context *shared;

static glshape_context *context(void) {
    if (!shared)
        ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &shared), GLSHAPE_OK);
    return shared;
}

/* The caller frees the result. */
static glshape_hdbscan_result compute(const glshape_source *source, const glshape_hdbscan_options *o) {
    glshape_hdbscan_result r;
    glshape_status status = glshape_hdbscan(context(), source, o, &r);
    ck_assert_msg(!status, "%s: %s", bench_place(), glshape_last_error(context()));
    return r;
}

/* ---- scikit-learn ------------------------------------------------------------------------------ */

enum { CASES = 5 };

typedef struct golden {
    char set[32], selection[8];
    int index, rows, columns, min_cluster_size, min_samples, single, clusters, noise, one_partition,
        one_answer, one_cut;
    double epsilon;
} golden;

static bool read_case(FILE *f, golden *c) {
    return fscanf(f, " %31[^,],%d,%d,%d,%d,%d,%7[^,],%lf,%d,%d,%d,%d,%d,%d", c->set, &c->index, &c->rows,
                  &c->columns, &c->min_cluster_size, &c->min_samples, c->selection, &c->epsilon, &c->single,
                  &c->clusters, &c->noise, &c->one_partition, &c->one_answer, &c->one_cut) == 14;
}

static void read_golden(const char *set, const char *what, glshape_matrix *out) {
    char path[128];
    error err = {0};
    snprintf(path, sizeof path, "tests/hdbscan/golden/%s%s.npy.gz", set, what);
    OK(&err, io_read_matrix(&err, path, IO_AUTO, out));
}

/* Labels, probabilities and the cut at 0.5, where they are the only answer. */
static void check_case(const golden *c, const glshape_matrix *points, const float *answers) {
    glshape_hdbscan_options o = {
        .min_cluster_size = c->min_cluster_size,
        .min_samples = c->min_samples,
        .epsilon = c->epsilon,
        .allow_single_cluster = c->single,
        .selection = c->selection[0] == 'l' ? GLSHAPE_HDBSCAN_LEAF : GLSHAPE_HDBSCAN_EOM};
    bench_where("%s, case %d", c->set, c->index);
    glshape_hdbscan_result r = compute(&(glshape_source){.points = points}, &o);
    int32_t *cut = bench_memory(r.n, sizeof *cut);
    size_t clusters;
    ck_assert_int_eq(glshape_hdbscan_dbscan(context(), &r, 0.5, 5, cut, &clusters), GLSHAPE_OK);
    for (size_t v = 0; v < r.n; v++) {
        const float *want = answers + v * 3 * CASES + c->index;
        if (c->one_cut) BENCH_CHECK(cut[v] == (int32_t)want[CASES]);
        if (c->one_partition) BENCH_CHECK(r.labels[v] == (int32_t)want[0]);
        if (c->one_answer) BENCH_CHECK(bench_near(r.probabilities[v], (double)want[2 * CASES], 1e-6));
    }
    BENCH_CHECK(!c->one_partition || (r.clusters == (size_t)c->clusters && r.noise == (size_t)c->noise));
    glshape_hdbscan_free(&r);
    bench_clear();
}

START_TEST(test_scikit_learn) {
    glshape_matrix points = {0}, answers = {0};
    FILE *f = fopen("tests/hdbscan/golden/cases.csv", "r");
    golden c;
    int cases = 0;
    ck_assert_msg(f && fscanf(f, "%*[^\n]") == 0, "tests/hdbscan/golden/cases.csv cannot be read");
    for (; read_case(f, &c); cases++) {
        if (c.index == 0) {
            io_matrix_free(&points);
            io_matrix_free(&answers);
            read_golden(c.set, "", &points);
            read_golden(c.set, "-answers", &answers);
        }
        /* Where ties leave the partition open, only the cut is compared. */
        if (c.one_partition || hunt(0, 1)) check_case(&c, &points, answers.data);
    }
    ck_assert_int_eq(cases, 11 * CASES);
    io_matrix_free(&points);
    io_matrix_free(&answers);
    fclose(f);
}
END_TEST

/* ---- the twin ---------------------------------------------------------------------------------- */

static double uniform(void) { return bench_random() * 0x1p-32; }
static uint32_t below(uint32_t most) { return bench_random() % most; }

enum { UNIFORM, LATTICE, COPIES, CLUSTERS, FAR, ONE_PLACE, KINDS };

static double value_of(int kind, size_t v, size_t c) {
    switch (kind) {
        case UNIFORM:
            return uniform();
        case LATTICE:
            return below(6);
        case COPIES:
            return (double)below(3) * 0.37;
        case CLUSTERS:
            return (double)(v % 4 * (c + 1)) + 0.2 * uniform();
        case FAR:
            return (v ? 0 : 1e12) + ldexp(uniform(), -(int)(v % 3 * 20));
        default:
            return 7;
    }
}

/* Any options that n points allow; epsilon may be a height of a lattice. */
static glshape_hdbscan_options any_options(uint32_t n) {
    static const double alphas[] = {1, 1, 1, 0.5, 2, 1.3}, distances[] = {0, 0, 0.05, 0.4, 1, 2, 3.7};
    return (glshape_hdbscan_options){.min_cluster_size = (int)(2 + below(6)),
                                     .min_samples = (int)(1 + below(n < 12 ? n : 12)),
                                     .selection = (glshape_hdbscan_selection)below(2),
                                     .epsilon = distances[below(7)],
                                     .max_epsilon = distances[below(7)],
                                     .max_cluster_size = below(3) ? 0 : 1 + below(n),
                                     .allow_single_cluster = below(2),
                                     .alpha = alphas[below(6)],
                                     .search = (glshape_search)below(3)};
}

static void check_exemplars(const glshape_hdbscan_result *r, const ref_clusters *want) {
    uint8_t *is = bench_memory(r->n + 1, 1);
    memset(is, 0, r->n);
    BENCH_CHECK(r->exemplar_start[0] == 0);
    for (size_t c = 0; c < r->clusters; c++)
        for (size_t e = r->exemplar_start[c]; e < r->exemplar_start[c + 1]; e++) {
            uint32_t v = r->exemplars[e];
            BENCH_CHECK(e == r->exemplar_start[c] || v > r->exemplars[e - 1]);
            BENCH_CHECK(r->labels[v] < 0 || r->labels[v] == (int32_t)c);
            is[v] = 1;
        }
    BENCH_CHECK(!r->clusters || !memcmp(is, want->exemplar, r->n));
}

/* The condensed tree holds every point once, and what its clusters say of themselves. */
static void check_rows(const glshape_hdbscan_result *r) {
    double *left = bench_memory(r->tree_clusters, sizeof *left);
    size_t points = 0;
    for (size_t c = 0; c < r->tree_clusters; c++) left[c] = r->tree[c].size;
    for (size_t k = 0; k < r->row_count; k++) {
        const glshape_hdbscan_row *row = &r->rows[k];
        const glshape_hdbscan_cluster *parent = &r->tree[row->parent - r->n];
        left[row->parent - r->n] -= row->size;
        points += row->child < r->n;
        BENCH_CHECK(row->lambda >= parent->birth && row->lambda <= parent->death);
        if (row->child < r->n) continue;
        BENCH_CHECK(row->child > row->parent && r->tree[row->child - r->n].birth == row->lambda);
        BENCH_CHECK(r->tree[row->child - r->n].size == row->size);
    }
    BENCH_CHECK(points == r->n);
    for (size_t c = 0; c < r->tree_clusters; c++) BENCH_CHECK(left[c] == 0);
}

/* The same bytes as the twin's. */
static void check_twin(const glshape_source *source, uint32_t n, const double *order, bool squares,
                       const glshape_hdbscan_options *o) {
    ref_clusters want;
    glshape_hdbscan_result r = compute(source, o);
    ref_hdbscan(n, order, squares, o, &want);
    BENCH_CHECK(bench_same(r.merges, want.merges, 8 * (n - 1)));
    BENCH_CHECK(bench_same(r.labels, want.labels, n));
    BENCH_CHECK(bench_same(r.probabilities, want.probabilities, 2 * n));
    BENCH_CHECK(bench_same(r.outlier_scores, want.outlier_scores, 2 * n));
    check_exemplars(&r, &want);
    check_rows(&r);
    ref_hdbscan_free(&want);
    glshape_hdbscan_free(&r);
}

START_TEST(test_twin) {
    for (int turn = 0; turn < hunt(40, 1000); turn++) {
        uint32_t n = 2 + below(70), columns = 1 + below(3), metric = below(2);
        int kind = (int)below(KINDS);
        double *x = bench_memory((size_t)n * columns, sizeof *x),
               *order = bench_memory((size_t)n * n, sizeof *order),
               *distance = bench_memory((size_t)n * n, sizeof *distance);
        for (size_t k = 0; k < (size_t)n * columns; k++) x[k] = value_of(kind, k / columns, k % columns);
        glshape_matrix m = {GLSHAPE_F64, n, columns, x};
        glshape_hdbscan_options o = any_options(n);
        ref_distances((glshape_metric)metric, x, n, columns, order, distance);
        bench_where("turn %d: %u × %u, kind %d, metric %u, sizes %d, %d, alpha %g, epsilon %g, search %d",
                    turn, n, columns, kind, metric, o.min_cluster_size, o.min_samples, o.alpha, o.epsilon,
                    (int)o.search);
        check_twin(&(glshape_source){.points = &m, .metric = (glshape_metric)metric}, n, order, metric == 0,
                   &o);
        bench_clear();
    }
}
END_TEST

/* Searches that the GPU does, with and without ties, and core distances that lists do not reach. */
START_TEST(test_many) {
    static const struct {
        int levels, min_samples;
        double alpha;
    } kinds[] = {{0, 5, 1}, {0, 5, 0.7}, {4, 9, 1}, {4, 3, 2}, {0, 200, 1}, {0, 1, 1}};
    enum { N = 700, COLUMNS = 300 };
    double *x = bench_memory(COLUMNS * N, sizeof *x), *order = bench_memory(N * N, sizeof *order),
           *distance = bench_memory(N * N, sizeof *distance);
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, x};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind += (size_t)hunt(2, 1)) {
        glshape_hdbscan_options o = {
            .min_cluster_size = 5, .min_samples = kinds[kind].min_samples, .alpha = kinds[kind].alpha};
        for (int k = 0; k < N * COLUMNS; k++)
            x[k] = (k % COLUMNS >= 3     ? 0
                    : kinds[kind].levels ? (double)below((uint32_t)kinds[kind].levels)
                                         : uniform()) +
                   9 * (k / COLUMNS % 5);
        bench_where("kind %zu", kind);
        ref_distances(GLSHAPE_METRIC_EUCLIDEAN, x, N, COLUMNS, order, distance);
        check_twin(&(glshape_source){.points = &m}, N, order, true, &o);
        /* The GPU searched, but for rounds of few points (many, where there are many processors); where alpha
         * rounds sums that tie, it certifies little. */
        double searched = fact_of(context(), "points searched for"),
               scanned = fact_of(context(), "points compared with all");
        BENCH_CHECK(searched >= N / 2 && (scanned < searched || threads_count(0) > 2));
    }
}
END_TEST

/* The same bytes by pairs and through an index, with core distances that lists reach, or do not. */
START_TEST(test_searches) {
    enum { N = 1500 };
    static const int columns[] = {1, 2, 3, 5}, samples[] = {1, 4, 17, 129, 130, 400};
    double *x = bench_memory(N * 5, sizeof *x);
    for (int turn = 0; turn < hunt(8, 40); turn++) {
        int kind = (int)below(KINDS), d = columns[below(4)];
        for (int k = 0; k < N * d; k++) x[k] = value_of(kind, (size_t)(k / d), (size_t)(k % d));
        glshape_matrix m = {GLSHAPE_F64, N, (size_t)d, x};
        glshape_source source = {.points = &m, .metric = (glshape_metric)below(2)};
        glshape_hdbscan_options o = {.min_samples = samples[turn % 6], .alpha = turn % 4 == 3 ? 1.7 : 1};
        bench_where("turn %d: %d columns, kind %d, min_samples %d", turn, d, kind, o.min_samples);
        o.search = GLSHAPE_SEARCH_PAIRS;
        glshape_hdbscan_result pairs = compute(&source, &o);
        o.search = GLSHAPE_SEARCH_INDEX;
        gpu_set_eager(context_gpu(context()), turn % 2);
        glshape_hdbscan_result indexed = compute(&source, &o);
        gpu_set_eager(context_gpu(context()), false);
        BENCH_CHECK(bench_same(pairs.merges, indexed.merges, 8 * (N - 1)));
        BENCH_CHECK(bench_same(pairs.core, indexed.core, 2 * N));
        BENCH_CHECK(hdbscan_same(&pairs, &indexed));
        glshape_hdbscan_free(&pairs);
        glshape_hdbscan_free(&indexed);
    }
}
END_TEST

/* Copies of 49 points whose distances single precision does not have, and points with many distances that
 * single precision cannot tell apart. */
START_TEST(test_beyond_floats) {
    enum { N = 1200, COLUMNS = 30 };
    double *x = bench_memory(COLUMNS * N, sizeof *x);
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, x};
    glshape_source source = {.points = &m};
    for (int turn = 0; turn < hunt(2, 4); turn++) {
        for (int k = 0; k < N * COLUMNS; k++)
            x[k] = turn % 2          ? k % COLUMNS < 16 ? below(4) + below(3) * 0x1p-26 : 0
                   : k % COLUMNS < 2 ? below(7) * 0x1p-1074
                                     : 0;
        glshape_hdbscan_options o = {.min_samples = turn < 2 ? 14 : 1 + (int)below(30),
                                     .alpha = turn % 4 == 1 ? 1.3 : 1};
        bench_where("turn %d: min_samples %d", turn, o.min_samples);
        o.search = GLSHAPE_SEARCH_PAIRS;
        glshape_hdbscan_result pairs = compute(&source, &o);
        o.search = GLSHAPE_SEARCH_INDEX;
        glshape_hdbscan_result indexed = compute(&source, &o);
        BENCH_CHECK(bench_same(pairs.merges, indexed.merges, 8 * (N - 1)));
        glshape_hdbscan_free(&pairs);
        glshape_hdbscan_free(&indexed);
    }
}
END_TEST

/* With a core distance of 0 the tree is that of linkage. */
START_TEST(test_linkage) {
    enum { N = 90 };
    double x[N * 3];
    for (int k = 0; k < N * 3; k++)
        x[k] = 1 + value_of(k % 2 ? LATTICE : UNIFORM, (size_t)k / 3, (size_t)k % 3);
    glshape_matrix m = {GLSHAPE_F64, N, 3, x};
    for (int metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_CORRELATION; metric++) {
        glshape_source source = {.points = &m, .metric = (glshape_metric)metric};
        glshape_linkage_result want;
        ck_assert_int_eq(glshape_linkage(context(), &source, NULL, &want), GLSHAPE_OK);
        glshape_hdbscan_result r = compute(&source, &(glshape_hdbscan_options){.min_samples = 1});
        bench_where("metric %d", metric);
        BENCH_CHECK(bench_same(r.merges, want.merges, 8 * (N - 1)));
        glshape_hdbscan_free(&r);
        glshape_linkage_free(&want);
    }
}
END_TEST

/* ---- matrices, sparse rows, graphs ------------------------------------------------------------- */

typedef struct square {
    size_t n;
    const double *d;
} square;

static bool read_square(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const square *s = user;
    (void)message, (void)size;
    for (size_t k = 0; k < count * s->n; k++) out[k] = (float)s->d[first * s->n + k];
    return true;
}

static bool read_square_double(void *user, uint32_t first, uint32_t count, double *out, char *message,
                               size_t size) {
    const square *s = user;
    (void)message, (void)size;
    memcpy(out, s->d + first * s->n, count * s->n * sizeof *out);
    return true;
}

/* Values of which single precision makes the same; the clusters at each height. */
START_TEST(test_doubles) {
    for (int turn = 0; turn < hunt(30, 100); turn++) {
        uint32_t n = 2 + below(50), levels = 2 + below(30);
        double *d = bench_memory((size_t)n * n, sizeof *d);
        glshape_hdbscan_options o = any_options(n);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < i; j++)
                d[i * n + j] = d[j * n + i] =
                    turn % 2 ? 1 + below(levels) * 0x1p-52 : (1 + below(levels)) / 100.0;
        square s = {n, d};
        bench_where("doubles, turn %d, %u points, %u levels", turn, n, levels);
        check_twin(
            &(glshape_source){.reader = read_square, .double_reader = read_square_double, .user = &s, .n = n},
            n, d, false, &o);
        bench_clear();
    }
}
END_TEST

START_TEST(test_matrices) {
    for (int turn = 0; turn < hunt(60, 200); turn++) {
        uint32_t n = 2 + below(60), levels = below(3) ? 1 + below(9) : 0;
        double *d = bench_memory((size_t)n * n, sizeof *d);
        glshape_hdbscan_options o = any_options(n);
        for (uint32_t i = 0; i < n; i++) {
            d[i * n + i] = turn % 3 ? 0 : 5; /* the diagonal does not count */
            for (uint32_t j = 0; j < i; j++)
                d[i * n + j] = d[j * n + i] = levels ? below(levels) : (double)(float)uniform();
        }
        square s = {n, d};
        bench_where("matrix %d of %u, %u levels", turn, n, levels);
        for (int keep = GLSHAPE_KEEP_RESIDENT; keep <= GLSHAPE_KEEP_PAGED; keep++)
            check_twin(
                &(glshape_source){.reader = read_square, .user = &s, .n = n, .keep = (glshape_keep)keep}, n,
                d, false, &o);
        bench_clear();
    }
}
END_TEST

/* Sparse rows of small numbers, and the same rows in dense form. */
START_TEST(test_sparse) {
    for (int turn = 0; turn < 12; turn++) {
        enum { COLUMNS = 12 };
        uint32_t n = 5 + below(60), *column = bench_memory(n * COLUMNS, sizeof *column);
        size_t *start = bench_memory(n + 1, sizeof *start), count = 0;
        float *value = bench_memory(n * COLUMNS, sizeof *value);
        double *x = bench_memory(n * COLUMNS, sizeof *x), *order = bench_memory((size_t)n * n, sizeof *order),
               *distance = bench_memory((size_t)n * n, sizeof *distance),
               *exact = bench_memory(n * COLUMNS, sizeof *exact);
        glshape_hdbscan_options o = any_options(n);
        o.alpha = 1;
        memset(start, 0, sizeof *start);
        for (uint32_t v = 0; v < n; v++) {
            for (uint32_t c = 0; c < COLUMNS; c++) {
                x[v * COLUMNS + c] = below(4) ? 0 : (1 + below(4)) / (turn & 2 ? 10.0 : 1.0);
                if (x[v * COLUMNS + c] == 0) continue;
                column[count] = c;
                exact[count] = x[v * COLUMNS + c];
                value[count++] = (float)x[v * COLUMNS + c];
            }
            start[v + 1] = count;
        }
        glshape_sparse m = {n, COLUMNS, start, column, value};
        ref_distances((glshape_metric)(turn % 2), x, n, COLUMNS, order, distance);
        bench_where("sparse rows, turn %d", turn);
        glshape_source source = {.sparse = &m, .metric = (glshape_metric)(turn % 2)};
        if (turn & 2) source.sparse_values = exact;
        check_twin(&source, n, distance, false, &o);
        bench_clear();
    }
}
END_TEST

typedef struct edges {
    size_t *start;
    uint32_t *to;
    float *weight;
} edges;

/* A random graph, some of its edges twice; order becomes the distances that it has. */
static edges any_graph(uint32_t n, double *order, uint32_t levels) {
    edges e = {bench_memory(n + 1, sizeof *e.start), bench_memory((size_t)2 * n * n, sizeof *e.to),
               bench_memory((size_t)2 * n * n, sizeof *e.weight)};
    double share = uniform() * uniform();
    size_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            order[i * n + j] = order[j * n + i] =
                i != j && uniform() < share ? 1 + (double)below(levels) : INFINITY;
    e.start[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (isinf(order[i * n + j])) continue;
            for (uint32_t twice = 0; twice <= ((i + j) % 5 == 0); twice++) {
                e.to[count] = j;
                e.weight[count++] = (float)order[i * n + j] + (float)(2 * twice);
            }
        }
        e.start[i + 1] = count;
    }
    return e;
}

START_TEST(test_graphs) {
    for (int turn = 0; turn < hunt(60, 200); turn++) {
        uint32_t n = 2 + below(50), levels = 1 + below(9);
        double *order = bench_memory((size_t)n * n, sizeof *order);
        edges e = any_graph(n, order, levels);
        glshape_graph graph = {n, e.start, e.to, e.weight};
        glshape_hdbscan_options o = any_options(n);
        bench_where("graph %d of %u", turn, n);
        check_twin(&(glshape_source){.graph = &graph}, n, order, false, &o);
        bench_clear();
    }
}
END_TEST

/* ---- new points -------------------------------------------------------------------------------- */

START_TEST(test_predict) {
    for (int turn = 0; turn < hunt(60, 200); turn++) {
        uint32_t n = 2 + below(60), columns = 1 + below(3), more = 1 + below(30);
        int kind = (int)below(KINDS);
        double *x = bench_memory((size_t)(n + more) * columns, sizeof *x),
               *probability = bench_memory(more, sizeof *x), *distance = bench_memory(n, sizeof *distance),
               want;
        int32_t *label = bench_memory(more, sizeof *label);
        for (size_t k = 0; k < (size_t)(n + more) * columns; k++)
            x[k] = value_of(kind, k / columns, k % columns);
        glshape_matrix m = {GLSHAPE_F64, n, columns, x},
                       queries = {GLSHAPE_F64, more, columns, x + n * columns};
        glshape_source source = {.points = &m, .metric = (glshape_metric)below(2)};
        glshape_hdbscan_options o = any_options(n);
        bench_where("turn %d: %u + %u × %u, kind %d", turn, n, more, columns, kind);
        glshape_hdbscan_result r = compute(&source, &o);
        ck_assert_int_eq(glshape_hdbscan_predict(context(), &source, &r, &queries, label, probability),
                         GLSHAPE_OK);
        for (uint32_t q = 0; q < more; q++) {
            for (uint32_t v = 0; v < n; v++)
                distance[v] = ref_distance(source.metric, x + (n + q) * columns, x + v * columns, columns);
            BENCH_CHECK(ref_hdbscan_predict(&r, distance, &want) == label[q]);
            BENCH_CHECK(probability[q] == want);
        }
        glshape_hdbscan_free(&r);
        bench_clear();
    }
}
END_TEST

static void predict(const glshape_source *source, const glshape_hdbscan_result *r, double *queries,
                    size_t count, int32_t *label, double *probability) {
    glshape_matrix m = {GLSHAPE_F64, count, source->points->cols, queries};
    ck_assert_int_eq(glshape_hdbscan_predict(context(), source, r, &m, label, probability), GLSHAPE_OK);
}

/* The same bytes of many new points at once, through an index, as of a few at a time, compared with all. */
START_TEST(test_predict_many) {
    enum { MOST = 3000, MORE = 200, FEW = 20 };
    static const double powers[] = {1.5, 3, 64, INFINITY};
    static const int exponents[] = {0, 0, 600, -600};
    int32_t label[2][MORE];
    double probability[2][MORE], indexed = 0;
    for (int turn = 0; turn < hunt(15, 120); turn++) {
        uint32_t n = 1000 + below(MOST - 1000), columns = 1 + below(3);
        int kind = (int)below(KINDS), exponent = exponents[below(4)];
        double *x = bench_memory((size_t)(n + MORE) * columns, sizeof *x), *queries = x + n * columns;
        for (size_t k = 0; k < (size_t)(n + MORE) * columns; k++)
            x[k] = ldexp(value_of(kind, k / columns, k % columns) + (turn % 2) * 0.1 * uniform(), exponent);
        glshape_matrix m = {GLSHAPE_F64, n, columns, x};
        glshape_source source = {.points = &m, .metric = (glshape_metric)below(6), .p = powers[below(4)]};
        if (kind == ONE_PLACE || columns == 1) source.metric = GLSHAPE_METRIC_EUCLIDEAN;
        if (dist_metric_is_angular(source.metric))
            for (size_t k = 0; k < (size_t)(n + MORE) * columns; k++) x[k] += ldexp(uniform(), exponent);
        glshape_hdbscan_options o = any_options(n);
        if (turn % 5 == 4) o.min_samples = (int)(100 + below(900));
        o.search = GLSHAPE_SEARCH_INDEX;
        o.epsilon = ldexp(o.epsilon, exponent);
        bench_where("turn %d: %u × %u, kind %d, exponent %d, metric %d, p %g, min_samples %d", turn, n,
                    columns, kind, exponent, (int)source.metric, source.p, o.min_samples);
        glshape_hdbscan_result r = compute(&source, &o);
        predict(&source, &r, queries, MORE, label[0], probability[0]);
        indexed += fact_of(context(), "new points searched for through an index");
        for (size_t q = 0; q < MORE; q += FEW)
            predict(&source, &r, queries + q * columns, FEW, label[1] + q, probability[1] + q);
        BENCH_CHECK(bench_same(label[0], label[1], MORE));
        BENCH_CHECK(bench_same(probability[0], probability[1], 2 * (size_t)MORE));
        glshape_hdbscan_free(&r);
        bench_clear();
    }
    ck_assert(indexed > 0);
}
END_TEST

/* Points of any size, and a new one that is far larger, which changes nothing for the others. */
START_TEST(test_predict_sizes) {
    enum { N = 300, MORE = 64 };
    double x[N], queries[MORE], probability[2][MORE];
    int32_t label[2][MORE];
    for (int exponent = -1000; exponent <= 1000; exponent += 250) {
        for (int v = 0; v < N; v++) x[v] = ldexp(10 * (v % 3) + uniform(), exponent);
        for (int q = 0; q < MORE; q++) queries[q] = ldexp(uniform() * 25, exponent);
        glshape_matrix m = {GLSHAPE_F64, N, 1, x};
        glshape_source source = {.points = &m};
        glshape_hdbscan_result r = compute(&source, &(glshape_hdbscan_options){.min_cluster_size = 60});
        ck_assert_int_eq(r.clusters, 3);
        predict(&source, &r, queries, MORE, label[0], probability[0]);
        for (int q = 0; q < MORE; q++) {
            double at = ldexp(queries[q], -exponent);
            if (fmod(at, 10) < 1) ck_assert_int_eq(label[0][q], r.labels[(int)(at / 10)]);
        }
        queries[7] = DBL_MAX;
        predict(&source, &r, queries, MORE, label[1], probability[1]);
        ck_assert_int_eq(label[1][7], -1);
        label[1][7] = label[0][7], probability[1][7] = probability[0][7];
        ck_assert(bench_same(label[0], label[1], MORE) &&
                  bench_same(probability[0], probability[1], 2 * MORE));
        glshape_hdbscan_free(&r);
    }
}
END_TEST

/* New points in the middle of two blobs, and far from both. */
START_TEST(test_predict_blobs) {
    enum { N = 200 };
    double x[N * 2], new_ones[] = {0, 0, 10, 10, 100, -100, 10.2, 12.9}, probability[4];
    int32_t label[4];
    for (int v = 0; v < N; v++)
        for (int c = 0; c < 2; c++) x[2 * v + c] = 10 * (v % 2) + uniform() - 0.5;
    glshape_matrix m = {GLSHAPE_F64, N, 2, x}, queries = {GLSHAPE_F64, 4, 2, new_ones},
                   wide = {GLSHAPE_F64, 2, 4, x}, bad = {GLSHAPE_F64, 1, 2, (double[]){0, NAN}};
    glshape_source source = {.points = &m}, other = {.points = &queries};
    glshape_hdbscan_result r = compute(&source, &(glshape_hdbscan_options){.min_cluster_size = 30});
    glshape_context *c = context();
    ck_assert_int_eq(glshape_hdbscan_predict(c, &source, &r, &queries, label, probability), GLSHAPE_OK);
    ck_assert(label[0] == 0 && label[1] == 1 && label[2] == -1 && label[3] == 1);
    ck_assert(probability[0] > 0.5 && probability[3] < 0.3 && probability[2] == 0);
    ck_assert_int_eq(glshape_hdbscan_predict(c, &other, &r, &queries, label, probability),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert(strstr(glshape_last_error(c), "200 points") != NULL);
    ck_assert_int_eq(glshape_hdbscan_predict(c, &source, &r, &wide, label, probability), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(c), "4 columns") != NULL);
    ck_assert_int_eq(glshape_hdbscan_predict(c, &source, &r, &bad, label, probability), GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(c), "row 1, column 2") != NULL);
    glshape_hdbscan_free(&r);
}
END_TEST

/* ---- refusals ---------------------------------------------------------------------------------- */

/* Pairs on a line, each further from the last than those before: each cluster but a pair is a pair and a
 * cluster, and none forms beyond epsilon. The time goes with the points, not with the depth: a climb from
 * each cluster takes two minutes, one look at each half a second. */
START_TEST(test_deep) {
    const size_t PAIRS = is_second_driver() ? 100000 : 400000;
    double *x = bench_memory((size_t)2 * PAIRS, sizeof *x), at = 0;
    for (size_t k = 0; k < PAIRS; k++, at += (double)k + 3) x[2 * k] = at, x[2 * k + 1] = at + 1;
    glshape_matrix m = {GLSHAPE_F64, (size_t)2 * PAIRS, 1, x};
    glshape_hdbscan_options o = {
        .min_cluster_size = 2, .min_samples = 1, .selection = GLSHAPE_HDBSCAN_LEAF, .epsilon = 2 * PAIRS};
    glshape_hdbscan_result r = compute(&(glshape_source){.points = &m}, &o);
    BENCH_CHECK(r.clusters == 2 && r.tree_clusters == 2 * PAIRS - 1 && r.seconds.clusters < 30);
    for (size_t v = 0; v < r.n; v++) BENCH_CHECK(r.labels[v] == (v >= r.n - 2));
    /* New points join the deepest cluster, half way up. */
    double *queries = bench_memory(PAIRS, sizeof *queries), *probability = bench_memory(PAIRS, sizeof *x);
    int32_t *label = bench_memory(PAIRS, sizeof *label);
    for (size_t q = 0; q < PAIRS; q++) queries[q] = -(double)PAIRS / 2 - uniform();
    double since = wall_seconds();
    predict(&(glshape_source){.points = &m}, &r, queries, PAIRS, label, probability);
    BENCH_CHECK(wall_seconds() - since < 30);
    for (size_t q = 0; q < PAIRS; q++) BENCH_CHECK(label[q] == 0);
    glshape_hdbscan_free(&r);
}
END_TEST

/* Three groups, the second h beside the first: they split at exactly h, whatever 1 / (1 / h) rounds to. */
START_TEST(test_split_heights) {
    enum { GROUP = 6 };
    double x[3 * GROUP];
    glshape_matrix m = {GLSHAPE_F64, 3 * GROUP, 1, x};
    /* A second driver takes every fourth: values come from the same words. */
    for (int h = 3; h < 400; h += is_second_driver() ? 4 : 1) {
        for (int v = 0; v < GROUP; v++) {
            x[v] = v / 2.0;
            x[GROUP + v] = (GROUP - 1) / 2.0 + h + v / 2.0;
            x[2 * GROUP + v] = 2000 + v / 2.0;
        }
        bench_where("groups %d apart", h);
        for (int beyond = 0; beyond < 2; beyond++) {
            glshape_hdbscan_options apart = {.min_samples = 1, .epsilon = beyond ? nextafter(h, 1e9) : h},
                                    below = {.min_samples = 1, .max_epsilon = beyond ? nextafter(h, 0) : h};
            glshape_hdbscan_result a = compute(&(glshape_source){.points = &m}, &apart),
                                   b = compute(&(glshape_source){.points = &m}, &below);
            BENCH_CHECK(a.clusters == (beyond ? 2 : 3));
            BENCH_CHECK(b.clusters == (beyond ? 0 : 2));
            glshape_hdbscan_free(&a);
            glshape_hdbscan_free(&b);
        }
    }
}
END_TEST

START_TEST(test_refusals) {
    float x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, bad[] = {1, 2, 3, NAN, 1, 1};
    const double missing[] = {0, 1, NAN, 1, 0, 2, NAN, 2, 0};
    glshape_matrix m = {GLSHAPE_F32, 6, 2, x}, nan = {GLSHAPE_F32, 3, 2, bad}, one = {GLSHAPE_F32, 1, 2, x};
    square s = {3, missing};
    const struct {
        glshape_source source;
        glshape_hdbscan_options o;
        glshape_status status;
        const char *says;
    } cases[] = {
        {{.points = &m}, {.min_cluster_size = 1}, GLSHAPE_BAD_ARGUMENT, "min_cluster_size is 1"},
        {{.points = &m}, {.min_cluster_size = -3}, GLSHAPE_BAD_ARGUMENT, "min_cluster_size is -3"},
        {{.points = &m},
         {.min_samples = 7},
         GLSHAPE_BAD_ARGUMENT,
         "min_samples is 7, but there are 6 points"},
        {{.points = &m}, {.min_cluster_size = 7}, GLSHAPE_BAD_ARGUMENT, "its default is min_cluster_size"},
        {{.points = &m}, {.min_samples = -1}, GLSHAPE_BAD_ARGUMENT, "min_samples is -1"},
        {{.points = &m}, {.epsilon = -0.5}, GLSHAPE_BAD_ARGUMENT, "epsilon is -0.5"},
        {{.points = &m}, {.epsilon = NAN}, GLSHAPE_BAD_ARGUMENT, "epsilon is"},
        {{.points = &m}, {.max_epsilon = -1}, GLSHAPE_BAD_ARGUMENT, "max_epsilon is -1"},
        {{.points = &m}, {.alpha = -1}, GLSHAPE_BAD_ARGUMENT, "alpha is -1"},
        {{.points = &m}, {.alpha = NAN}, GLSHAPE_BAD_ARGUMENT, "alpha is"},
        {{.points = &m}, {.alpha = 1e300}, GLSHAPE_BAD_ARGUMENT, "alpha is 1e+300"},
        {{.points = &m}, {.search = (glshape_search)3}, GLSHAPE_BAD_ARGUMENT, "search 3"},
        {{.points = &m}, {.selection = (glshape_hdbscan_selection)2}, GLSHAPE_BAD_ARGUMENT, "selection 2"},
        {{.points = &m, .metric = (glshape_metric)9}, {0}, GLSHAPE_BAD_ARGUMENT, "metric 9"},
        {{.points = &one}, {.min_samples = 1}, GLSHAPE_BAD_INPUT, "1 point cannot"},
        {{.n = 6}, {0}, GLSHAPE_BAD_ARGUMENT, "needs points"},
        {{.points = &nan}, {.min_samples = 2}, GLSHAPE_BAD_INPUT, "row 2, column 2 is NaN"},
        {{.reader = read_square, .user = &s, .n = 3},
         {.min_samples = 2},
         GLSHAPE_BAD_INPUT,
         "row 1, column 3"},
    };
    glshape_hdbscan_result r;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(glshape_hdbscan(context(), &cases[i].source, &cases[i].o, &r) == cases[i].status,
                      "case %zu: %s", i, glshape_last_error(context()));
        ck_assert_msg(strstr(glshape_last_error(context()), cases[i].says) != NULL, "%s",
                      glshape_last_error(context()));
        ck_assert(!r.merges && !r.n);
    }
    int32_t labels[6];
    size_t clusters;
    r = compute(&(glshape_source){.points = &m}, NULL);
    ck_assert_int_eq(glshape_hdbscan_dbscan(context(), &r, -1, 2, labels, &clusters), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_hdbscan_dbscan(context(), &r, NAN, 2, labels, &clusters), GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_hdbscan_dbscan(context(), &r, 1, 0, labels, &clusters), GLSHAPE_BAD_ARGUMENT);
    glshape_hdbscan_free(&r);
}
END_TEST

static void predicts(glshape_status status) { ck_assert_msg(!status, "%s", glshape_last_error(context())); }

/* Processor seconds of both ways to cluster: a tree of the device, and one of lists, as alpha is not 1. The
 * last result is kept. */
static double seconds_of(const glshape_source *source, glshape_hdbscan_result *r) {
    glshape_hdbscan_options o = {.min_cluster_size = 100, .min_samples = 5, .alpha = 1.5};
    clock_t since = clock();
    *r = compute(source, &o);
    glshape_hdbscan_free(r);
    o.alpha = 1;
    *r = compute(source, &o);
    return (double)(clock() - since) / CLOCKS_PER_SEC;
}

/* Many equal points cost no more than others. New ones that all are equally far from are compared with all.
 */
START_TEST(test_equal_points) {
    enum { ROWS = 100000, QUERIES = 100, FEW = 20 };
    double *x = bench_memory((size_t)2 * ROWS, sizeof *x), *q = bench_memory((size_t)2 * QUERIES, sizeof *q);
    int32_t labels[2][QUERIES];
    double share[2][QUERIES];
    glshape_matrix m = {GLSHAPE_F64, ROWS, 2, x}, queries = {GLSHAPE_F64, QUERIES, 2, q};
    glshape_source source = {.points = &m};
    glshape_hdbscan_result r;
    for (size_t e = 0; e < (size_t)2 * ROWS; e++) x[e] = bench_random() * 0x1p-32;
    double others = seconds_of(&source, &r);
    glshape_hdbscan_free(&r);
    for (size_t e = 0; e < (size_t)2 * ROWS; e++) x[e] = e < ROWS ? 1 : 3;
    for (size_t e = 0; e < (size_t)2 * QUERIES; e++) q[e] = bench_random() * 0x1p-32;
    double equal = seconds_of(&source, &r);
    ck_assert_msg(equal < 3 * others + 1, "equal points take %g s, others %g", equal, others);
    ck_assert_uint_eq(r.clusters, 2);
    predicts(glshape_hdbscan_predict(context(), &source, &r, &queries, labels[0], share[0]));
    ck_assert(fact_of(context(), "new points searched for through an index") == 0);
    for (size_t first = 0; first < QUERIES; first += FEW) { /* so few are compared with all at once */
        glshape_matrix some = {GLSHAPE_F64, FEW, 2, q + 2 * first};
        predicts(glshape_hdbscan_predict(context(), &source, &r, &some, labels[1] + first, share[1] + first));
    }
    ck_assert(bench_same(labels[0], labels[1], QUERIES) && bench_same(share[0], share[1], 2 * QUERIES));
    glshape_hdbscan_free(&r);
}
END_TEST

/* Points that the GPU has no room for come in pages; core distances are compared there, too. */
START_TEST(test_pages) {
    enum { ROWS = 1500, COLUMNS = 60, LIMIT = 450000 };
    float *x = bench_memory((size_t)ROWS * COLUMNS, sizeof *x);
    glshape_matrix m = {GLSHAPE_F32, ROWS, COLUMNS, x};
    glshape_source source = {.points = &m};
    glshape_options limited = {.device = test_device(), .gpu_memory = LIMIT};
    glshape_hdbscan_options o = {.min_cluster_size = 20, .min_samples = 5};
    glshape_context *c;
    glshape_hdbscan_result r;
    for (size_t e = 0; e < (size_t)ROWS * COLUMNS; e++)
        x[e] = (float)(bench_random() % 100 + 200 * (e / COLUMNS % 4) * (e % COLUMNS < 2));
    glshape_hdbscan_result want = compute(&source, &o);
    ck_assert_int_eq(glshape_open(&limited, &c), GLSHAPE_OK);
    ck_assert_msg(!glshape_hdbscan(c, &source, &o, &r), "%s", glshape_last_error(c));
    ck_assert(r.gpu_bytes <= LIMIT && fact_of(c, "pages of points") > 3);
    ck_assert(bench_same(r.labels, want.labels, ROWS) && bench_same(r.core, want.core, 2 * ROWS) &&
              bench_same(r.merges, want.merges, 8 * (ROWS - 1)));
    glshape_hdbscan_free(&want);
    glshape_hdbscan_free(&r);
    ck_assert_int_eq(glshape_close(c), 0);
}
END_TEST

START_TEST(test_closed) {
    if (!shared) return;
    ck_assert_int_eq(glshape_close(shared), 0);
    shared = NULL;
}
END_TEST

Suite *hdbscan_suite(void) {
    Suite *s = suite_create("hdbscan");
    TCase *t = bench_case(s, "hdbscan");
    tcase_set_timeout(t, 0);
    tcase_add_test(t, test_scikit_learn);
    tcase_add_test(t, test_twin);
    tcase_add_test(t, test_many);
    tcase_add_test(t, test_searches);
    tcase_add_test(t, test_beyond_floats);
    tcase_add_test(t, test_linkage);
    tcase_add_test(t, test_matrices);
    tcase_add_test(t, test_doubles);
    tcase_add_test(t, test_split_heights);
    tcase_add_test(t, test_sparse);
    tcase_add_test(t, test_graphs);
    tcase_add_test(t, test_predict);
    tcase_add_test(t, test_predict_many);
    tcase_add_test(t, test_predict_sizes);
    tcase_add_test(t, test_predict_blobs);
    tcase_add_test(t, test_deep);
    tcase_add_test(t, test_refusals);
    tcase_add_test(t, test_equal_points);
    tcase_add_test(t, test_pages);
    tcase_add_test(t, test_closed);
    return s;
}
