#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/threads.h"
#include "io/read.h"
#include "linkage/linkage.h"
#include "prim/bench.h"
#include "reference/knn.h"
#include "reference/linkage.h"

/* ---- running ----------------------------------------------------------------------------------- */

static glshape_context *shared;

static glshape_context *context(void) {
    if (!shared)
        ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &shared), GLSHAPE_OK);
    return shared;
}

static const glshape_optional unset;

static double fact(const char *name) { return fact_of(context(), name); }

/* Linkage; the result's matrix lives until bench_clear. */
static glshape_search search = GLSHAPE_SEARCH_PAIRS; /* of the runs that follow */

/* The edges join what the rows join: the ends of row k are in its two clusters. */
static void check_edges(const glshape_linkage_result *r) {
    uint32_t *at = bench_memory(r->n, sizeof *at);
    for (uint32_t v = 0; v < r->n; v++) at[v] = v;
    for (size_t k = 0; k + 1 < r->n; k++) {
        const double *row = r->merges + 4 * k;
        uint32_t a = r->edges[2 * k], b = r->edges[2 * k + 1];
        BENCH_CHECK(a < b && fmin(at[a], at[b]) == row[0] && fmax(at[a], at[b]) == row[1]);
        for (uint32_t v = 0; v < r->n; v++)
            if (at[v] == row[0] || at[v] == row[1]) at[v] = (uint32_t)(r->n + k);
    }
}

static glshape_linkage_result compute(const glshape_source *source, int neighbors, bool cophenetic) {
    glshape_linkage_result r;
    glshape_linkage_options o = {.n_neighbors = neighbors, .cophenetic = cophenetic, .search = search};
    glshape_status status = glshape_linkage(context(), source, &o, &r);
    ck_assert_msg(!status, "%s: %s", bench_place(), glshape_last_error(context()));
    double *merges = bench_memory(r.n, 4 * sizeof *merges);
    memcpy(merges, r.merges, (r.n - 1) * 4 * sizeof *merges);
    if (r.n < 500) check_edges(&r);
    glshape_linkage_result mine = r;
    mine.merges = merges;
    mine.edges = NULL;
    glshape_linkage_free(&r);
    r = mine;
    return r;
}

static glshape_linkage_result of_points(const glshape_matrix *m, glshape_metric metric, int neighbors) {
    return compute(&(glshape_source){.points = m, .metric = metric}, neighbors, false);
}

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

static glshape_linkage_result of_square(const square *s, glshape_keep keep, bool cophenetic) {
    glshape_source source = {.reader = read_square, .user = (void *)s, .n = s->n, .keep = keep};
    return compute(&source, 0, cophenetic);
}

/* The same bytes as the twin's, for any number of neighbors, by pairs and by index. */
static void check_twin(const glshape_matrix *m, glshape_metric metric) {
    static const int neighbors[] = {1, 2, 15, 64, 0};
    size_t n = m->rows;
    double *order = bench_memory(n * n, sizeof *order), *distance = bench_memory(n * n, sizeof *distance),
           *want = bench_memory(n, 4 * sizeof *want);
    ref_distances(metric, m->data, n, m->cols, order, distance);
    ref_linkage((uint32_t)n, order, distance, want);
    for (int k = 0; k < 5; k++) {
        if (neighbors[k] >= (int)n) continue;
        glshape_linkage_result r = of_points(m, metric, neighbors[k]);
        bench_where("%zu × %zu, metric %d, %d neighbors", n, m->cols, metric, neighbors[k]);
        BENCH_CHECK(fact("edges certified") + fact("edges searched for") == (double)(n - 1));
        BENCH_CHECK(bench_same(r.merges, want, 8 * (n - 1)));
        search = GLSHAPE_SEARCH_INDEX;
        r = of_points(m, metric, neighbors[k]);
        search = GLSHAPE_SEARCH_PAIRS;
        BENCH_CHECK(bench_same(r.merges, want, 8 * (n - 1)));
    }
}

/* ---- scipy ------------------------------------------------------------------------------------- */

/* The same partition wherever scipy's heights differ by more than rounding, and the same heights. */
static void check_merges(const double *got, const double *want, uint32_t n, double tolerance) {
    uint32_t *a = bench_memory(n, sizeof *a), *b = bench_memory(n, sizeof *b);
    for (uint32_t k = 0; k + 1 < n; k++) {
        double h = want[4 * k + 2], next = k + 2 < n ? want[4 * k + 6] : 2 * h + 1;
        ck_assert_msg(bench_near(got[4 * k + 2], h, 1e-6 * h + tolerance),
                      "%s: height %u is %.17g, not %.17g", bench_place(), k, got[4 * k + 2], h);
        if (next - h <= 1e-6 * h + tolerance) continue;
        BENCH_CHECK(ref_cut(n, got, (h + next) / 2, a) == ref_cut(n, want, (h + next) / 2, b));
        BENCH_CHECK(!memcmp(a, b, n * sizeof *a));
    }
}

static void read_numbers(FILE *f, double *out, size_t count) {
    for (size_t k = 0; k < count; k++) ck_assert_int_eq(fscanf(f, "%lf", &out[k]), 1);
}

/* fcluster's labels, for each number of clusters that the file has. */
static void check_cuts(FILE *f, const double *merges, uint32_t n) {
    char line[256];
    size_t made;
    uint32_t *label = bench_memory(n, sizeof *label);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    if (*line == '\n') ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    for (char *at = line, *end; *at && *at != '\n'; at = end) {
        size_t clusters = strtoul(at, &end, 10), most = 0;
        ck_assert_int_eq(glshape_linkage_cut(context(), merges, n, clusters, unset, label, &made),
                         GLSHAPE_OK);
        for (uint32_t v = 0; v < n; v++) {
            unsigned want;
            ck_assert_int_eq(fscanf(f, "%u", &want), 1);
            ck_assert_msg(label[v] == want, "%s: of %zu clusters point %u is in %u, not %u", bench_place(),
                          clusters, v, label[v], want);
            if (want > most) most = want;
        }
        ck_assert_uint_eq(made, most + 1);
    }
}

static glshape_metric metric_of(const char *name) {
    return !strcmp(name, "manhattan") ? GLSHAPE_METRIC_MANHATTAN
           : !strcmp(name, "cosine")  ? GLSHAPE_METRIC_COSINE
                                      : GLSHAPE_METRIC_EUCLIDEAN;
}

static void cluster_case(FILE *f, const char *name, const char *metric, uint32_t n, uint32_t dim,
                         double cophenetic) {
    glshape_matrix m = {GLSHAPE_F64, n, dim, NULL}, cancer = {0};
    error err = {0};
    size_t values = (size_t)n * (dim ? dim : n);
    double *given = bench_memory(values, sizeof *given), *want = bench_memory(n, 4 * sizeof *want);
    if (!strcmp(name, "cancer")) {
        OK(&err, io_read_matrix(&err, "data/cancer.npy", IO_AUTO, &cancer));
        for (size_t k = 0; k < values; k++) given[k] = (double)((float *)cancer.data)[k];
        io_matrix_free(&cancer);
    } else {
        read_numbers(f, given, values);
    }
    m.data = given;
    read_numbers(f, want, 4 * (size_t)(n - 1));
    square s = {n, given};
    glshape_source points = {.points = &m, .metric = metric_of(metric)};
    glshape_linkage_result r = dim ? compute(&points, 0, true) : of_square(&s, GLSHAPE_KEEP_AUTO, true);
    check_merges(r.merges, want, n, points.metric == GLSHAPE_METRIC_COSINE ? 1e-14 : 0);
    /* Cosine's zeros are only nearly so in scipy: its cuts may fall between them. */
    ck_assert_msg(isnan(cophenetic) ? isnan(r.cophenetic) || n == 2 || !dim
                                    : bench_near(r.cophenetic, cophenetic, 1e-9),
                  "%s: cophenetic %.17g, not %.17g", bench_place(), r.cophenetic, cophenetic);
    check_cuts(f, r.merges, n);
}

START_TEST(test_scipy) {
    char name[32], metric[32], made[128];
    unsigned n, dim;
    double cophenetic;
    FILE *f = fopen("tests/linkage/golden/linkage.txt", "r");
    ck_assert_msg(f && fgets(made, sizeof made, f), "tests/linkage/golden/linkage.txt cannot be read");
    int cases = 0;
    for (; fscanf(f, " case %31s %31s %u %u %lf", name, metric, &n, &dim, &cophenetic) == 5; cases++) {
        bench_where("%s, %s", name, metric);
        cluster_case(f, name, metric, n, dim, cophenetic);
        bench_clear();
    }
    ck_assert_int_eq(cases, 10);
    fclose(f);
}
END_TEST

/* The generator of tests/linkage/golden/make.py. */
static uint32_t next_number(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 16; }

static uint32_t digest(const uint32_t *label, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t v = 0; v < n; v++) sum += (v + 1) * (label[v] * 2654435761u + 12345u);
    return sum;
}

static void check_integers(FILE *f, uint32_t seed) {
    unsigned n, dim, levels, want, square, used;
    ck_assert_int_eq(fscanf(f, "%u %u %u", &n, &dim, &levels), 3);
    double *x = bench_memory((size_t)n * dim, sizeof *x);
    uint32_t *label = bench_memory(n, sizeof *label), state = seed;
    for (uint32_t k = 0; k < n * dim; k++) x[k] = next_number(&state) % levels;
    glshape_matrix m = {GLSHAPE_F64, n, dim, x};
    bench_where("%u × %u integers below %u", n, dim, levels);
    glshape_linkage_result r = of_points(&m, GLSHAPE_METRIC_EUCLIDEAN, 0);
    size_t count;
    for (used = 0; fgetc(f) == ' ' && fscanf(f, "%u %u", &square, &want) == 2; used++) {
        double height = sqrt(square) * (1 + 1e-12);
        ck_assert_int_eq(glshape_linkage_cut(context(), r.merges, n, 0, GLSHAPE_SET(height), label, &count),
                         GLSHAPE_OK);
        BENCH_CHECK(digest(label, n) == want);
        BENCH_CHECK(ref_cut(n, r.merges, height, label) == count && digest(label, n) == want);
    }
    for (uint32_t k = 0; k + 1 < n; k++) used -= !k || r.merges[4 * k + 2] > r.merges[4 * k - 2];
    BENCH_CHECK(used == 0);
    for (int metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_MANHATTAN && n < 120; metric++)
        check_twin(&m, (glshape_metric)metric);
}

START_TEST(test_integers) {
    char made[128];
    FILE *f = fopen("tests/linkage/golden/integers.txt", "r");
    ck_assert_msg(f && fgets(made, sizeof made, f), "tests/linkage/golden/integers.txt cannot be read");
    for (uint32_t seed = 0; seed < (uint32_t)hunt(10, 200); seed++) {
        check_integers(f, seed);
        bench_clear();
    }
    fclose(f);
}
END_TEST

/* ---- the twin ---------------------------------------------------------------------------------- */

static double uniform(void) { return bench_random() * 0x1p-32; }

/* Two dense blobs at gap 0.9 and an outlier 3 away from both: a list of 21 neighbors joins everything through
 * the outlier, and nothing as it should be. */
START_TEST(test_counterexample) {
    enum { N = 121 };
    double *x = bench_memory(2 * N, sizeof *x);
    for (int i = 0; i < N; i++) {
        x[2 * i] = i % 2 ? 0.05 * uniform() : 0.95 + 0.05 * uniform();
        x[2 * i + 1] = 0.05 * uniform();
    }
    x[0] = x[2] + 0.05 * uniform();
    x[2 * N - 2] = 0.5;
    x[2 * N - 1] = 3;
    glshape_matrix m = {GLSHAPE_F64, N, 2, x};
    check_twin(&m, GLSHAPE_METRIC_EUCLIDEAN);
    for (int k = 2; k <= 21; k += 19) {
        glshape_linkage_result r = of_points(&m, GLSHAPE_METRIC_EUCLIDEAN, k);
        ck_assert(r.merges[4 * N - 6] > 2.9 && r.merges[4 * N - 10] > 0.85 && r.merges[4 * N - 10] < 1);
        ck_assert(fact("edges searched for") >= 1);
    }
    bench_clear();
}
END_TEST

/* Sums that only double tells apart; copies; a large constant; clusters within clusters. */
static double nasty(int kind, size_t i, size_t c) {
    switch (kind) {
        case 0:
            return c ? 0 : (double)i * (1 + 1e-13 * (double)(i * 37 % 101));
        case 1:
            return sin((double)(i % 7 * 31 + c));
        case 2:
            return 1e7 + uniform();
        case 3:
            return ldexp((double)(bench_random() % 3), -(int)(4 * (bench_random() % 8)));
        case 4:
            return (i & 1 ? 1e-140 : 1e150) * uniform();
        default:
            return (i % 4 * 100 + i % 3 * 10) + uniform();
    }
}

START_TEST(test_nasty) {
    for (int kind = 0; kind < 6; kind++)
        for (size_t columns = 1; columns < 8; columns += (size_t)hunt(6, 3)) {
            glshape_matrix m = {GLSHAPE_F64, 150, columns, NULL};
            double *x = bench_memory(150 * columns, sizeof *x);
            for (size_t k = 0; k < 150 * columns; k++) x[k] = nasty(kind, k / columns, k % columns);
            m.data = x;
            bench_where("kind %d", kind);
            if (kind != 4) check_twin(&m, GLSHAPE_METRIC_EUCLIDEAN); /* the twin's squares overflow */
            check_twin(&m, GLSHAPE_METRIC_MANHATTAN);
            bench_clear();
        }
}
END_TEST

/* Distances and heights of denormal numbers are whole multiples of the least one: the correlation of those,
 * by hand (sqrt rounded to whole numbers, numpy.corrcoef 1.24.2). */
START_TEST(test_denormals) {
    static const double units[] = {0, 0, 1, 1, 4, 0, 81, 2, 20, 0};
    double x[10];
    for (int e = 0; e < 10; e++) x[e] = units[e] * 0x1p-1074;
    glshape_linkage_result r =
        compute(&(glshape_source){.points = &(glshape_matrix){GLSHAPE_F64, 5, 2, x}}, 0, true);
    ck_assert_msg(bench_near(r.cophenetic, 0.9870123325240185, 1e-12), "%.17g", r.cophenetic);
    bench_clear();
}
END_TEST

/* Points times a power of two have the same tree and cophenetic correlation. */
START_TEST(test_sizes) {
    enum { N = 90, COLUMNS = 3 };
    double x[N * COLUMNS], scaled[N * COLUMNS];
    glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, scaled};
    for (int k = 0; k < N * COLUMNS; k++) x[k] = uniform();
    for (int metric = 0; metric < 6; metric++) {
        double want = 0;
        for (int exponent = 0; exponent <= 1000; exponent = exponent > 0 ? -exponent : 250 - exponent) {
            for (int k = 0; k < N * COLUMNS; k++) scaled[k] = ldexp(x[k], exponent);
            glshape_source source = {.points = &m, .metric = (glshape_metric)metric, .p = 3};
            glshape_linkage_result r = compute(&source, 0, true);
            if (!exponent) want = r.cophenetic;
            ck_assert_msg(r.cophenetic == want && want > 0.2, "metric %d, 2^%d: %.17g, not %.17g", metric,
                          exponent, r.cophenetic, want);
        }
    }
}
END_TEST

/* More points than a search takes at a time; many tiles. The more processors there are, the more columns it
 * takes before the device searches. */
START_TEST(test_many) {
    enum { N = 1500 };
    size_t columns = 20 * (size_t)threads_count(0);
    double *x = bench_memory(columns * N, sizeof *x);
    for (size_t i = 0; i < columns * N; i++)
        x[i] = uniform() * (i % columns < 3) + 5 * (double)(i / columns % 5);
    glshape_matrix m = {GLSHAPE_F64, N, columns, x};
    glshape_linkage_result a = of_points(&m, GLSHAPE_METRIC_COSINE, 1),
                           b = of_points(&m, GLSHAPE_METRIC_COSINE, 128);
    ck_assert(bench_same(a.merges, b.merges, 8 * (N - 1)));
    a = of_points(&m, GLSHAPE_METRIC_EUCLIDEAN, 1);
    double queries = fact("points searched for"), scanned = fact("points compared with all");
    b = of_points(&m, GLSHAPE_METRIC_EUCLIDEAN, 128);
    ck_assert(bench_same(a.merges, b.merges, 8 * (N - 1)));
    ck_assert(queries >= N / 2 && scanned < queries); /* they went through the GPU */
}
END_TEST

/* Two rows of points on a line, far apart. In a row each gap is greater than the one before: each point's
 * nearest is the one before it, so that in one round all components of the row hang on each other, one behind
 * the other. The gaps of the rows are 1, 3, 5 … and 2, 4, 6 …, so that the rows grow in turn. */
START_TEST(test_chains) {
    enum { N = 18000, HALF = N / 2 };
    double *x = bench_memory(N, sizeof *x);
    uint32_t *at = bench_memory(N, sizeof *at); /* the point at a place */
    random_state random = {77};
    random_permutation(&random, N, at);
    for (size_t k = 0; k < HALF; k++) {
        x[at[k]] = (double)(k * k);
        x[at[HALF + k]] = 1e9 + (double)(k * (k + 1));
    }
    glshape_matrix m = {GLSHAPE_F64, N, 1, x};
    glshape_linkage_result r = of_points(&m, GLSHAPE_METRIC_EUCLIDEAN, 2);
    double cluster[2] = {at[0], at[HALF]};
    for (size_t k = 0; k + 2 < N; k++) {
        double a = cluster[k % 2], b = at[k % 2 * HALF + k / 2 + 1];
        const double want[4] = {fmin(a, b), fmax(a, b), (double)(k + 1), (double)(k / 2 + 2)};
        bench_where("row %zu", k);
        BENCH_CHECK(bench_same(r.merges + 4 * k, want, 8));
        cluster[k % 2] = (double)(N + k);
    }
    ck_assert(fact("rounds") == 2);
    bench_clear();
}
END_TEST

/* ---- matrices and graphs ----------------------------------------------------------------------- */

/* Matrices by what they do to a tree that grows row by row. */
enum {
    ANY,
    ONE, /* value; only ends decide which edge enters */
    TWO,
    THREE,
    FOUR,
    LATER,   /* later points are nearer: every row changes all of the tree */
    EARLIER, /* farther: each row adds an edge */
    IN_TURN, /* points of a dozen clusters */
    NEVER,   /* most are never joined */
    MATRICES
};

static double distance_of(int kind, uint32_t i, uint32_t j) {
    switch (kind) {
        case ANY:
            return (float)uniform();
        case LATER:
            return (float)(1.0 / (i + j));
        case EARLIER:
            return i + j;
        case IN_TURN:
            return i % 12 == j % 12 ? (float)uniform() : 10 + (float)uniform();
        case NEVER:
            return bench_random() % 12 ? INFINITY : bench_random() % 5;
        default:
            return bench_random() % (uint32_t)kind;
    }
}

static void check_square(uint32_t n, int kind) {
    double *d = bench_memory((size_t)n * n, sizeof *d), *want = bench_memory(n, 4 * sizeof *want);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) d[i * n + j] = d[j * n + i] = distance_of(kind, i, j);
    square s = {n, d};
    ref_linkage(n, d, d, want);
    glshape_linkage_result streamed = of_square(&s, GLSHAPE_KEEP_PAGED, false),
                           resident = of_square(&s, GLSHAPE_KEEP_RESIDENT, false);
    bench_where("matrix %d of %u", kind, n);
    BENCH_CHECK(bench_same(streamed.merges, want, 8 * (size_t)(n - 1)));
    BENCH_CHECK(bench_same(resident.merges, want, 8 * (size_t)(n - 1)));
    bench_clear();
}

START_TEST(test_matrices) {
    for (int kind = 0; kind < MATRICES; kind++) {
        for (uint32_t n = 1; n < 40; n += n < 6 ? 1 : 11) check_square(n, kind);
        check_square((uint32_t)hunt(kind % 3 ? 100 : 700, 700), kind);
    }
}
END_TEST

/* A matrix as 1 - X·Xᵀ leaves it, against the same with zeros. */
START_TEST(test_noise) {
    double given[] = {4e-16, 1, 2, 1, -4e-16, -2e-16, 2, -1e-16, 0}, want[8],
           clean[] = {0, 1, 2, 1, 0, 0, 2, 0, 0};
    square s = {3, given};
    ref_linkage(3, clean, clean, want);
    for (int keep = GLSHAPE_KEEP_AUTO; keep <= GLSHAPE_KEEP_PAGED; keep++) {
        glshape_linkage_result r = of_square(&s, (glshape_keep)keep, false);
        ck_assert(bench_same(r.merges, want, 16));
    }
    given[5] = given[7] = -1e-3;
    glshape_linkage_result none;
    ck_assert_int_eq(
        glshape_linkage(context(), &(glshape_source){.reader = read_square, .user = &s, .n = 3}, NULL, &none),
        GLSHAPE_BAD_INPUT);
    ck_assert(strstr(glshape_last_error(context()), "-0.001 is no distance") != NULL);
    bench_clear();
}
END_TEST

static bool read_square_double(void *user, uint32_t first, uint32_t count, double *out, char *message,
                               size_t size) {
    const square *s = user;
    (void)message, (void)size;
    memcpy(out, s->d + first * s->n, count * s->n * sizeof *out);
    return true;
}

/* Values of which single precision makes the same: 1 and its next neighbors in double; decimals; whole
 * numbers beyond 2^24; numbers beyond float32, and such that are near its end. */
static double double_of(int kind) {
    uint32_t draw = bench_random();
    const double values[] = {1 + (draw % 20) * 0x1p-52, (draw % 100) / 100.0, 0x1p40 + draw % 9,
                             draw & 1 ? 1e300 * (1 + draw % 40) : 3e38 * (1 + draw % 40 / 100.0)};
    return values[kind];
}

/* Cuts at every height, and at the double before it, beside the twin's. */
static void check_all_cuts(const double *merges, uint32_t n) {
    uint32_t *label = bench_memory(n, sizeof *label), *want = bench_memory(n, sizeof *want);
    for (uint32_t k = 0; k + 1 < n; k++)
        for (int before = 0; before < 2; before++) {
            size_t count;
            double height = before ? nextafter(merges[4 * k + 2], 0) : merges[4 * k + 2];
            ck_assert_int_eq(glshape_linkage_cut(context(), merges, n, 0, GLSHAPE_SET(height), label, &count),
                             GLSHAPE_OK);
            BENCH_CHECK(count == ref_cut(n, merges, height, want) && !memcmp(label, want, n * sizeof *label));
        }
}

/* A matrix, and a graph of all pairs, in double precision. */
START_TEST(test_doubles) {
    for (int turn = 0; turn < hunt(30, 600); turn++) {
        uint32_t n = 1 + bench_random() % 90;
        double *d = bench_memory((size_t)n * n, sizeof *d), *want = bench_memory(n, 4 * sizeof *want),
               *length = bench_memory((size_t)n * n, sizeof *length);
        size_t *start = bench_memory(n + 1, sizeof *start), edges = 0;
        uint32_t *to = bench_memory((size_t)n * n, sizeof *to);
        float *weight = bench_memory((size_t)n * n, sizeof *weight);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < i; j++) d[i * n + j] = d[j * n + i] = double_of(turn % 4);
        for (uint32_t i = 0; i < n; start[++i] = edges)
            for (uint32_t j = 0; j < n; j++)
                if (j != i) to[edges] = j, weight[edges] = 1, length[edges++] = d[i * n + j];
        square s = {n, d};
        glshape_graph graph = {n, start, to, weight};
        ref_linkage(n, d, d, want);
        bench_where("doubles of kind %d, %u points", turn % 4, n);
        for (int keep = GLSHAPE_KEEP_AUTO; keep <= GLSHAPE_KEEP_PAGED; keep++) {
            glshape_source source = {.double_reader = read_square_double, .reader = read_square};
            source.user = &s, source.n = n, source.keep = (glshape_keep)keep;
            glshape_linkage_result r = compute(&source, 0, false);
            BENCH_CHECK(bench_same(r.merges, want, 8 * (size_t)(n - 1)));
        }
        glshape_linkage_result r =
            compute(&(glshape_source){.graph = &graph, .graph_lengths = length}, 0, false);
        BENCH_CHECK(bench_same(r.merges, want, 8 * (size_t)(n - 1)));
        check_all_cuts(want, n);
        bench_clear();
    }
}
END_TEST

/* Distances 1 + k / 2^40, all 1 in single precision: the correlation of the k, 6.5 / sqrt(61.25) by hand
 * (scipy.cluster.hierarchy.cophenet, 1.10.1). The same in units whose squares no double has. */
START_TEST(test_cophenetic_of_doubles) {
    const int k[4][4] = {{0, 1, 3, 5}, {1, 0, 6, 4}, {3, 6, 0, 2}, {5, 4, 2, 0}};
    const double units[] = {1, 0x1p1023, 0x1p-900, 0x1p-1034};
    for (int u = 0; u < 4; u++) {
        double d[16];
        for (int v = 0; v < 16; v++) d[v] = v % 5 ? (1 + k[v / 4][v % 4] * 0x1p-40) * units[u] : 0;
        square s = {4, d};
        glshape_source source = {
            .double_reader = read_square_double, .reader = read_square, .user = &s, .n = 4};
        glshape_linkage_result r = compute(&source, 0, true);
        ck_assert_msg(bench_near(r.cophenetic, 0.8305395344999218, 1e-12), "unit %g: %.17g", units[u],
                      r.cophenetic);
        bench_clear();
    }
}
END_TEST

/* Rows that are mostly zero, equal ones and ties among them, against the same rows with all their zeros: the
 * twin's, or for angles, which no two formulas round alike, the search of dense rows. */
static void check_sparse(uint32_t n, glshape_metric metric, bool exact) {
    enum { COLUMNS = 30 };
    double *x = bench_memory((size_t)n * COLUMNS, sizeof *x), *order = bench_memory((size_t)n * n, 8),
           *distance = bench_memory((size_t)n * n, 8), *want = bench_memory(n, 4 * sizeof *want);
    size_t *start = bench_memory(n + 1, sizeof *start), used = 0;
    uint32_t *column = bench_memory((size_t)n * COLUMNS, sizeof *column);
    float *value = bench_memory((size_t)n * COLUMNS, sizeof *value);
    double *values = bench_memory((size_t)n * COLUMNS, sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t c = 0; c < COLUMNS; c++) {
            if (c && bench_random() % 5) continue;
            column[used] = c;
            values[used] = n % 2 ? 1 + bench_random() % 3 : 0.1 + uniform();
            if (exact) values[used] /= 10; /* decimals, if they were whole */
            value[used] = (float)values[used];
            x[i * COLUMNS + c] = exact ? values[used] : (double)value[used];
            used++;
        }
        start[i + 1] = used;
    }
    glshape_sparse m = {n, COLUMNS, start, column, value};
    ref_distances(metric, x, n, COLUMNS, order, distance);
    glshape_matrix dense = {GLSHAPE_F64, n, COLUMNS, x};
    if (metric == GLSHAPE_METRIC_COSINE)
        memcpy(want, of_points(&dense, metric, 0).merges, 4 * (size_t)(n - 1) * sizeof *want);
    else ref_linkage(n, order, distance, want);
    glshape_source source = {.sparse = &m, .sparse_values = exact ? values : NULL, .metric = metric};
    glshape_linkage_result r = compute(&source, 0, false);
    bench_where("%u sparse rows, metric %d", n, metric);
    BENCH_CHECK(bench_same(r.merges, want, 8 * (size_t)(n - 1)));
    bench_clear();
}

START_TEST(test_sparse) {
    for (int metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_COSINE; metric++)
        for (uint32_t n = 1; n < 200; n += n < 8 ? 1 : 61)
            for (int exact = 0; exact < 2; exact++) check_sparse(n, (glshape_metric)metric, exact);
}
END_TEST

/* Two triangles and a point: merges of components are infinite. */
START_TEST(test_graph) {
    size_t start[] = {0, 2, 4, 6, 8, 10, 12, 12}, count;
    uint32_t to[] = {1, 2, 0, 2, 0, 1, 4, 5, 3, 5, 3, 4}, label[7];
    float weight[] = {1, 5, 1, 2, 5, 2, 3, 3, 3, 3, 3, 3};
    glshape_graph graph = {7, start, to, weight};
    glshape_linkage_result r = compute(&(glshape_source){.graph = &graph}, 0, false);
    const double want[] = {0, 1, 1, 2, 2, 7,  2,        3, 3, 4,  3,        2,
                           5, 9, 3, 3, 8, 10, INFINITY, 6, 6, 11, INFINITY, 7};
    ck_assert_uint_eq(r.components, 3);
    ck_assert(bench_same(r.merges, want, 48));
    glshape_context *c = context();
    ck_assert_int_eq(glshape_linkage_cut(c, r.merges, 7, 3, unset, label, &count), GLSHAPE_OK);
    ck_assert(count == 3 && label[2] == 0 && label[5] == 1 && label[6] == 2);
    ck_assert_int_eq(glshape_linkage_cut(c, r.merges, 7, 0, GLSHAPE_SET(INFINITY), label, &count),
                     GLSHAPE_OK);
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(glshape_linkage_cut(c, r.merges, 7, 2, unset, label, &count), GLSHAPE_BAD_ARGUMENT);
    ck_assert(strstr(glshape_last_error(c), "nothing joins the 3 components") != NULL);
    bench_clear();
}
END_TEST

/* A random graph over points: only its edges may join, in the order of double sums. */
START_TEST(test_connectivity) {
    enum { N = 60 };
    for (int density = 1; density <= 61; density += 20) {
        size_t start[N + 1] = {0};
        double *x = bench_memory(2 * N, sizeof *x), *order = bench_memory(N * N, sizeof *order),
               *distance = bench_memory(N * N, sizeof *distance), *want = bench_memory(N, 4 * sizeof *want);
        uint32_t *to = bench_memory(N * N, sizeof *to);
        for (int k = 0; k < 2 * N; k++) x[k] = density == 21 ? bench_random() % 5 : uniform();
        ref_distances(GLSHAPE_METRIC_EUCLIDEAN, x, N, 2, order, distance);
        for (uint32_t i = 0; i < N;
             i++) /* a pair without an edge is infinitely far, of these first by index */
            for (uint32_t j = 0; j < i; j++)
                if (bench_random() % 100 >= (uint32_t)density)
                    order[i * N + j] = order[j * N + i] = distance[i * N + j] = distance[j * N + i] =
                        INFINITY;
        for (uint32_t i = 0; i < N; i++) {
            start[i + 1] = start[i];
            for (uint32_t j = 0; j < N; j++)
                if (i != j && isfinite(order[i * N + j])) to[start[i + 1]++] = j;
        }
        glshape_matrix m = {GLSHAPE_F64, N, 2, x};
        glshape_graph graph = {N, start, to, NULL};
        glshape_linkage_result r;
        glshape_linkage_options o = {.connectivity = &graph};
        ck_assert_int_eq(glshape_linkage(context(), &(glshape_source){.points = &m}, &o, &r), GLSHAPE_OK);
        ref_linkage(N, order, distance, want);
        bench_where("%d %% of all edges", density);
        BENCH_CHECK(bench_same(r.merges, want, 8 * (N - 1)));
        glshape_linkage_free(&r);
        o.n_neighbors = 3;
        ck_assert_int_eq(glshape_linkage(context(), &(glshape_source){.points = &m}, &o, &r),
                         GLSHAPE_BAD_ARGUMENT);
        graph.nodes = 5, o.n_neighbors = 0;
        ck_assert_int_eq(glshape_linkage(context(), &(glshape_source){.points = &m}, &o, &r),
                         GLSHAPE_BAD_INPUT);
        bench_clear();
    }
}
END_TEST

/* Leaves of every cluster stand together, the left before the right. */
/* A sphere around many points that lie close together: each of these is as far from all of the sphere, as far
 * as single precision tells. A search by pairs would compare them all in double. */
START_TEST(test_sphere) {
    enum { N = 30000 };
    double *x = bench_memory((size_t)3 * N, sizeof *x);
    for (size_t v = 0; v < N; v++) {
        double squares = 0, *at = x + 3 * v;
        for (int c = 0; c < 3; c++) {
            at[c] = uniform() + uniform() + uniform() - 1.5;
            squares += at[c] * at[c];
        }
        for (int c = 0; c < 3; c++) at[c] *= v % 2 ? 1e-9 : 1 / sqrt(squares);
    }
    glshape_matrix m = {GLSHAPE_F64, N, 3, x};
    glshape_context *c;
    glshape_linkage_result r;
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &c), GLSHAPE_OK);
    double since = wall_seconds();
    ck_assert_int_eq(glshape_linkage(c, &(glshape_source){.points = &m}, NULL, &r), GLSHAPE_OK);
    ck_assert(wall_seconds() - since < 20);
    ck_assert(fact_of(c, "points compared with all") == 0);
    ck_assert(fabs(r.merges[4 * (N - 2) + 2] - 1) < 1e-8); /* the sphere's radius */
    glshape_linkage_free(&r);
    glshape_close(c);
}
END_TEST

START_TEST(test_leaves) {
    const double merges[] = {1, 3, 1, 2, 0, 4, 1, 2, 2, 5, 2, 3, 6, 7, 9, 5};
    const uint32_t want[] = {0, 4, 2, 1, 3}; /* scipy.cluster.hierarchy.leaves_list, 1.10.1 */
    double sorted[16];
    uint32_t got[5];
    memcpy(sorted, merges, sizeof sorted);
    ck_assert_int_eq(glshape_linkage_leaves(context(), sorted, 5, got), GLSHAPE_OK);
    ck_assert(!memcmp(got, want, sizeof got));
    ck_assert_int_eq(glshape_linkage_leaves(context(), sorted, 1, got), GLSHAPE_OK);
    ck_assert_uint_eq(got[0], 0);
}
END_TEST

static double stored[] = {0, 1, 2, NAN, 0, -1, 1, 2, 0};

START_TEST(test_refusals) {
    float x[] = {0, 1, 2, 3, 4, 5}, bad[] = {1, 2, 3, NAN}, zero[] = {1, 2, 0, 0};
    glshape_matrix m = {GLSHAPE_F32, 3, 2, x}, nan = {GLSHAPE_F32, 2, 2, bad},
                   none = {GLSHAPE_F32, 2, 2, zero}, empty = {GLSHAPE_F32, 0, 2, x},
                   one = {GLSHAPE_F32, 1, 2, bad + 2};
    const size_t start[] = {0, 2, 2};
    const uint32_t column[] = {0, 1};
    glshape_sparse gone = {2, 2, start, column, x};
    square s = {3, stored};
    const struct {
        glshape_source source;
        glshape_linkage_options o;
        glshape_status status;
        const char *says;
    } cases[] = {
        {{.points = &m}, {.n_neighbors = 3}, GLSHAPE_BAD_ARGUMENT, "of 3 points each has 2 others"},
        {{.points = &m}, {.n_neighbors = -1}, GLSHAPE_BAD_ARGUMENT, "-1 neighbors"},
        {{.points = &m}, {.n_neighbors = 1025}, GLSHAPE_BAD_ARGUMENT, "1 to 1024"},
        {{.points = &m, .metric = (glshape_metric)7}, {0}, GLSHAPE_BAD_ARGUMENT, "metric 7"},
        {{.points = &nan}, {0}, GLSHAPE_BAD_INPUT, "row 2, column 2 is NaN"},
        {{.points = &one}, {0}, GLSHAPE_BAD_INPUT, "row 1, column 2 is NaN"},
        {{.points = &none, .metric = GLSHAPE_METRIC_COSINE}, {0}, GLSHAPE_BAD_INPUT, "row 2"},
        {{.points = &empty}, {0}, GLSHAPE_BAD_INPUT, "0 points"},
        {{.n = 3}, {0}, GLSHAPE_BAD_ARGUMENT, "needs points"},
        {{.reader = read_square, .user = &s, .n = 3}, {0}, GLSHAPE_BAD_INPUT, "row 2, column 1: nan"},
        {{.reader = read_square, .user = &s, .n = 3, .keep = GLSHAPE_KEEP_RESIDENT},
         {0},
         GLSHAPE_BAD_INPUT,
         "row 2, column 1: nan"},
        {{.reader = read_square, .user = &s, .n = 3},
         {.n_neighbors = 1},
         GLSHAPE_BAD_ARGUMENT,
         "of dense points"},
        {{.sparse = &gone}, {.n_neighbors = 1}, GLSHAPE_BAD_ARGUMENT, "of dense points"},
        {{.sparse = &gone}, {.cophenetic = true}, GLSHAPE_BAD_ARGUMENT, "dense points or a matrix"},
        {{.sparse = &gone, .metric = GLSHAPE_METRIC_COSINE}, {0}, GLSHAPE_BAD_INPUT, "row 2 is all zeros"},
        {{.sparse = &gone, .metric = GLSHAPE_METRIC_CORRELATION}, {0}, GLSHAPE_BAD_ARGUMENT, "correlation"},
    };
    glshape_linkage_result r;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(glshape_linkage(context(), &cases[i].source, &cases[i].o, &r) == cases[i].status,
                      "case %zu: %s", i, glshape_last_error(context()));
        ck_assert_msg(strstr(glshape_last_error(context()), cases[i].says) != NULL, "%s",
                      glshape_last_error(context()));
        ck_assert(!r.merges && !r.n);
    }
    const double merges[] = {0, 1, 2, 2};
    uint32_t label[2];
    size_t count;
    ck_assert_int_eq(glshape_linkage_cut(context(), merges, 2, 3, unset, label, &count),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_linkage_cut(context(), merges, 2, 0, GLSHAPE_SET(-1), label, &count),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_linkage_cut(context(), merges, 2, 0, GLSHAPE_SET(NAN), label, &count),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_linkage_cut(context(), merges, 2, 0, unset, label, &count),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_linkage_cut(context(), merges, 2, 1, GLSHAPE_SET(0), label, &count),
                     GLSHAPE_BAD_ARGUMENT);
    ck_assert_int_eq(glshape_linkage_cut(context(), merges, 2, 0, GLSHAPE_SET(0), label, &count), GLSHAPE_OK);
    ck_assert_uint_eq(count, 2); /* nothing joins at height 0 */
}
END_TEST

/* The twin tells apart what differs in the last bit. */
START_TEST(test_the_tester) {
    double x[] = {0, 1, 3, 7}, order[16], distance[16], a[12], b[12];
    ref_distances(GLSHAPE_METRIC_EUCLIDEAN, x, 4, 1, order, distance);
    ref_linkage(4, order, distance, a);
    x[3] = nextafter(7, 8);
    ref_distances(GLSHAPE_METRIC_EUCLIDEAN, x, 4, 1, order, distance);
    ref_linkage(4, order, distance, b);
    ck_assert(a[10] == 4 && b[10] > 4);
    ck_assert(!bench_same(a, b, 24));
}
END_TEST

/* What a progress callback heard. */
typedef struct heard {
    double last;
    int calls, ends;
} heard;

static bool hear(void *user, double fraction) {
    heard *h = user;
    BENCH_CHECK(fraction >= h->last && fraction <= 1);
    h->last = fraction;
    h->calls++;
    h->ends += fraction == 1;
    return true;
}

/* Progress never goes back, and is not at its end while there is work to do. */
START_TEST(test_progress) {
    enum { N = 3000, COLUMNS = 3 };
    double *x = bench_memory(N * COLUMNS, sizeof *x);
    for (size_t k = 0; k < N * COLUMNS; k++) x[k] = uniform();
    const glshape_matrix m = {GLSHAPE_F64, N, COLUMNS, x};
    static const glshape_search searches[] = {GLSHAPE_SEARCH_INDEX, GLSHAPE_SEARCH_PAIRS};
    for (int i = 0; i < 2; i++) {
        heard h = {0};
        glshape_context *c;
        glshape_linkage_result r;
        const glshape_options options = {.progress = hear, .user = &h};
        const glshape_linkage_options o = {.search = searches[i]};
        bench_where("progress, search %d", searches[i]);
        ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
        ck_assert_int_eq(glshape_linkage(c, &(glshape_source){.points = &m}, &o, &r), GLSHAPE_OK);
        glshape_linkage_free(&r);
        glshape_close(c);
        ck_assert_msg(h.calls > 3 && h.ends >= 1 && h.ends <= 2 && h.last == 1, "%d calls, %d at the end",
                      h.calls, h.ends);
    }
    bench_clear();
}
END_TEST

START_TEST(test_closed) {
    if (!shared) return;
    ck_assert_int_eq(glshape_close(shared), 0);
    shared = NULL;
}
END_TEST

/* Two clusters, each point's list in its own: a search across, of wide queries, in little memory; and in
 * less, where points come in pages. */
START_TEST(test_little_memory) {
    enum { ROWS = 600, COLUMNS = 1500 };
    static const size_t limits[] = {6600000, 3200000};
    float *x = bench_memory((size_t)ROWS * COLUMNS, sizeof *x);
    glshape_matrix m = {GLSHAPE_F32, ROWS, COLUMNS, x};
    for (size_t e = 0; e < (size_t)ROWS * COLUMNS; e++)
        x[e] = (float)(bench_random() % 100 + (e < (size_t)300 * COLUMNS ? 0 : 500));
    glshape_linkage_result want = of_points(&m, GLSHAPE_METRIC_EUCLIDEAN, 0);
    for (int less = 0; less < 2; less++) {
        glshape_options options = {.gpu_memory = limits[less], .device = test_device()};
        glshape_context *c;
        glshape_linkage_result r;
        ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
        glshape_status status =
            glshape_linkage(c, &(glshape_source){.points = &m, .metric = GLSHAPE_METRIC_EUCLIDEAN}, NULL, &r);
        ck_assert_msg(!status, "%s", glshape_last_error(c));
        ck_assert(fact_of(c, "points searched for") > 100);
        ck_assert((fact_of(c, "pages of points") > 0) == less && r.gpu_bytes <= limits[less]);
        ck_assert(bench_same(r.merges, want.merges, 8 * (ROWS - 1)));
        glshape_linkage_free(&r);
        ck_assert_int_eq(glshape_close(c), 0);
    }
}
END_TEST

Suite *linkage_suite(void) {
    Suite *s = suite_create("linkage");
    TCase *c = bench_case(s, "linkage");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, test_little_memory);
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_denormals);
    tcase_add_test(c, test_scipy);
    tcase_add_test(c, test_integers);
    tcase_add_test(c, test_counterexample);
    tcase_add_test(c, test_nasty);
    tcase_add_test(c, test_sizes);
    tcase_add_test(c, test_many);
    tcase_add_test(c, test_chains);
    tcase_add_test(c, test_matrices);
    tcase_add_test(c, test_doubles);
    tcase_add_test(c, test_cophenetic_of_doubles);
    tcase_add_test(c, test_noise);
    tcase_add_test(c, test_sparse);
    tcase_add_test(c, test_graph);
    tcase_add_test(c, test_connectivity);
    tcase_add_test(c, test_sphere);
    tcase_add_test(c, test_leaves);
    tcase_add_test(c, test_refusals);
    tcase_add_test(c, test_progress);
    tcase_add_test(c, test_closed);
    return s;
}
