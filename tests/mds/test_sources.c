/* What stands behind the dissimilarities must not matter: points, sparse rows, matrices resident and paged,
 * graphs and feeders through the public call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "suites.h"

enum { N = 1500, H = 5 };

/* A cloud of points as a matrix reader and as a feeder; both can be told to fail or to leave gaps. */
typedef struct cloud {
    float x[N][H];
    size_t n, asked, fail_after; /* rows or pairs asked for so far; fail beyond fail_after */
    bool gaps;                   /* every 17th pair is missing */
} cloud;

static cloud make_cloud(size_t n) {
    cloud c = {.n = n, .fail_after = SIZE_MAX};
    random_state r = {20071101};
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < H; k++) c.x[i][k] = (float)((k < 2 ? 10 : 1) * random_unit(&r) + 0.1);
    return c;
}

static float between(const cloud *c, size_t i, size_t j) {
    double sum = 0;
    for (int k = 0; k < H; k++) sum += pow((double)c->x[i][k] - c->x[j][k], 2);
    size_t low = i < j ? i : j, high = i < j ? j : i;
    return c->gaps && i != j && (31 * low + high) % 17 == 0 ? NAN : (float)sqrt(sum);
}

static uint64_t count_gaps(const cloud *c) {
    uint64_t gaps = 0;
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < i; j++) gaps += isnan(between(c, i, j));
    return gaps;
}

static bool read_rows(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    cloud *c = user;
    if (first + count > c->fail_after) return snprintf(message, size, "row %u is torn", first), false;
    for (uint32_t i = 0; i < count; i++)
        for (size_t j = 0; j < c->n; j++) out[i * c->n + j] = between(c, first + i, j);
    return true;
}

static bool feed(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out, char *message,
                 size_t size) {
    cloud *c = user;
    c->asked += count;
    if (c->asked > c->fail_after) return snprintf(message, size, "no more pairs today"), false;
    for (size_t k = 0; k < count; k++) out[k] = between(c, i[k], j[k]);
    return true;
}

static glshape_context *context;
static void open_context(void) {
    ck_assert_int_eq(
        glshape_open(&(glshape_options){.debug = true, .device = getenv("GLSHAPE_TEST_NAME")}, &context),
        GLSHAPE_OK);
}
static void close_context(void) { ck_assert_int_eq(glshape_close(context), 0); }

static double fact(const char *name) { return fact_of(context, name); }

static glshape_mds_result lay_out(const glshape_source *source) {
    glshape_mds_result r;
    ck_assert_msg(!glshape_mds(context, source, &(glshape_mds_options){.seed = 3, .attempts = 1}, &r), "%s",
                  glshape_last_error(context));
    return r;
}

static void refused(const glshape_source *source, glshape_status status, const char *part) {
    glshape_mds_result r;
    ck_assert_int_eq(glshape_mds(context, source, NULL, &r), status);
    ck_assert_msg(strstr(glshape_last_error(context), part) != NULL, "%s", glshape_last_error(context));
    ck_assert_ptr_null(r.layout);
}

START_TEST(paged_equals_resident) {
    static const size_t sizes[] = {2, 3, 5, 9, 100, N};
    for (int gaps = 0; gaps < 2; gaps++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            if (sizes[k] < N && hunt(k % 2 != (size_t)gaps, 0)) continue;
            cloud c = make_cloud(sizes[k]);
            c.gaps = gaps;
            glshape_source source = {
                .reader = read_rows, .user = &c, .n = c.n, .keep = GLSHAPE_KEEP_RESIDENT};
            glshape_mds_result a = lay_out(&source);
            ck_assert(fact("bytes paged") == 0 && fact("seconds of paging") == 0);
            source.keep = GLSHAPE_KEEP_PAGED;
            glshape_mds_result b = lay_out(&source);
            ck_assert_msg(!memcmp(a.layout, b.layout, c.n * 2 * sizeof *a.layout), "%zu points, gaps %d", c.n,
                          gaps);
            ck_assert(a.stress == b.stress && fact("bytes paged") > 0);
            ck_assert_uint_eq(a.missing, count_gaps(&c));
            ck_assert(b.missing == a.missing && a.pairs == c.n * (c.n - 1) / 2 && b.pairs == a.pairs);
            ck_assert(fact("seconds of paging") > 0 && fact("seconds waited for pages") > 0);
            glshape_mds_free(&a);
            glshape_mds_free(&b);
        }
}
END_TEST

/* Each way in ends at the stress of the points themselves. */
START_TEST(same_stress_from_every_source) {
    const size_t n = (size_t)hunt(700, 1200); /* few enough for both to settle on software renderers */
    cloud c = make_cloud(n);
    size_t start[N + 1];
    uint32_t column[N * H];
    for (size_t i = 0; i <= N; i++) start[i] = i * H;
    for (size_t i = 0; i < N * H; i++) column[i] = i % H;
    glshape_matrix points = {GLSHAPE_F32, n, H, c.x};
    glshape_sparse rows = {n, H, start, column, c.x[0]};
    for (int metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_COSINE; metric++) {
        glshape_mds_result dense =
            lay_out(&(glshape_source){.points = &points, .metric = (glshape_metric)metric});
        glshape_mds_result sparse =
            lay_out(&(glshape_source){.sparse = &rows, .metric = (glshape_metric)metric});
        ck_assert_msg(fabs(sparse.stress - dense.stress) <= 0.001 * dense.stress,
                      "metric %d: dense %g, sparse %g", metric, dense.stress, sparse.stress);
        glshape_mds_free(&dense);
        glshape_mds_free(&sparse);
    }
    glshape_mds_result dense = lay_out(&(glshape_source){.points = &points});
    glshape_mds_result matrix = lay_out(&(glshape_source){.reader = read_rows, .user = &c, .n = n});
    glshape_mds_result fed = lay_out(&(glshape_source){.feeder = feed, .user = &c, .n = n});
    ck_assert_msg(fabs(matrix.stress - dense.stress) <= 0.02 * dense.stress, "dense %g, matrix %g",
                  dense.stress, matrix.stress);
    ck_assert_msg(fabs(fed.stress - dense.stress) <= 0.02 * dense.stress + 5 * fed.stress_error,
                  "dense %g, fed %g ± %g", dense.stress, fed.stress, fed.stress_error);
    ck_assert(fact("pairs fed") == (double)c.asked && c.asked <= (uint64_t)n * (n - 1) / 2 + 1024);
    glshape_mds_free(&dense);
    glshape_mds_free(&matrix);
    glshape_mds_free(&fed);
}
END_TEST

/* Documents are documents, whether they come as sparse rows or as a matrix that is mostly 0. */
START_TEST(dense_documents) {
    enum { DOCUMENTS = 150, TERMS = 400, WORDS = 20 };
    static double dense[DOCUMENTS][TERMS];
    static uint32_t column[DOCUMENTS * TERMS];
    static float value[DOCUMENTS * TERMS];
    size_t start[DOCUMENTS + 1] = {0};
    random_state r = {7};
    memset(dense, 0, sizeof dense);
    for (int d = 0; d < DOCUMENTS; d++)
        for (int w = 0; w < WORDS; w++) dense[d][random_below(&r, TERMS)] += 0.5;
    for (int d = 0; d < DOCUMENTS; d++) {
        start[d + 1] = start[d];
        for (uint32_t t = 0; t < TERMS; t++)
            if (dense[d][t] != 0) {
                column[start[d + 1]] = t;
                value[start[d + 1]++] = (float)dense[d][t];
            }
    }
    glshape_matrix points = {GLSHAPE_F64, DOCUMENTS, TERMS, dense};
    glshape_sparse rows = {DOCUMENTS, TERMS, start, column, value};
    for (int metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_COSINE; metric++) {
        glshape_mds_result a =
            lay_out(&(glshape_source){.points = &points, .metric = (glshape_metric)metric});
        glshape_mds_result b = lay_out(&(glshape_source){.sparse = &rows, .metric = (glshape_metric)metric});
        ck_assert(a.stress > 0.01 && a.stress == b.stress);
        ck_assert_int_eq(memcmp(a.layout, b.layout, DOCUMENTS * 2 * sizeof *a.layout), 0);
        glshape_mds_free(&a);
        glshape_mds_free(&b);
    }
}
END_TEST

/* Rows are compared as they are needed where a table of all pairs is beyond the limit: the same stress. */
START_TEST(tables_change_nothing) {
    enum { ROWS = 300, WIDE = 200, EVERY = 10, FOUND = ROWS * WIDE / EVERY, TABLE = ROWS * ROWS * 4 };
    static float x[ROWS][WIDE], value[FOUND];
    static size_t start[ROWS + 1];
    static uint32_t column[FOUND];
    random_state r = {5};
    for (size_t i = 0; i < FOUND; i++) {
        size_t row = i * EVERY / WIDE;
        column[i] = (uint32_t)(i * EVERY % WIDE + (i % 20 < 3 ? 0 : row % EVERY));
        x[row][column[i]] = value[i] = (float)(random_unit(&r) * (i % 20 < 3 ? 10 : 0.2) + 0.1);
        start[row + 1] = i + 1;
    }
    glshape_matrix points = {GLSHAPE_F32, ROWS, WIDE, x};
    glshape_sparse rows = {ROWS, WIDE, start, column, value};
    for (int metric = GLSHAPE_METRIC_EUCLIDEAN; metric <= GLSHAPE_METRIC_COSINE; metric++)
        for (int sparse = 0; sparse < 2; sparse++) {
            if (hunt(sparse != metric % 2 || metric == GLSHAPE_METRIC_MANHATTAN, 0)) continue;
            glshape_source source = {.points = sparse ? NULL : &points,
                                     .sparse = sparse ? &rows : NULL,
                                     .metric = (glshape_metric)metric};
            glshape_mds_result with = lay_out(&source), without;
            ck_assert_uint_gt(with.gpu_bytes, TABLE);
            glshape_context *all = context;
            glshape_options limited = {.debug = true,
                                       .device = getenv("GLSHAPE_TEST_NAME"),
                                       .gpu_memory = sparse ? 1300000 : 1500000};
            ck_assert_int_eq(glshape_open(&limited, &context), GLSHAPE_OK);
            without = lay_out(&source);
            close_context();
            context = all;
            ck_assert_uint_lt(without.gpu_bytes, with.gpu_bytes);
            ck_assert_msg(fabs(with.stress - without.stress) <= 0.001 * with.stress,
                          "metric %d, sparse %d: table %.8g, rows %.8g", metric, sparse, with.stress,
                          without.stress);
            glshape_mds_free(&with);
            glshape_mds_free(&without);
        }
}
END_TEST

/* The normalized stress of a layout in the plane, over all pairs. */
static double stress_of(const cloud *c, const float *layout) {
    double strain = 0, total = 0;
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < i; j++) {
            double d = (double)between(c, i, j), x = (double)layout[2 * i] - layout[2 * j],
                   y = (double)layout[2 * i + 1] - layout[2 * j + 1];
            if (isnan(d)) continue;
            strain += pow(hypot(x, y) - d, 2);
            total += d * d;
        }
    return strain / total;
}

static bool feed_line(void *user, size_t count, const uint32_t *i, const uint32_t *j, float *out,
                      char *message, size_t size) {
    (void)message, (void)size;
    *(size_t *)user += count;
    for (size_t k = 0; k < count; k++) out[k] = fabsf((float)i[k] - (float)j[k]);
    return true;
}

/* A feeder of few points is asked for each pair once, and the stress is that of all pairs, as of their
 * matrix; of more it is asked for some, and the stress is an estimate. */
START_TEST(feeders_of_few_points) {
    static const size_t sizes[] = {2, 20, 101, 700};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int gaps = 0; gaps < 2; gaps++) {
            cloud c = make_cloud(sizes[k]);
            c.gaps = gaps && sizes[k] > 2;
            glshape_source fed = {.feeder = feed, .user = &c, .n = c.n};
            glshape_mds_result r = lay_out(&fed);
            ck_assert_msg(r.stress_error == 0, "%zu points: +- %g", c.n, r.stress_error);
            ck_assert_uint_eq(c.asked, c.n * (c.n - 1) / 2);
            ck_assert(fact("pairs fed") == (double)c.asked);
            ck_assert_uint_eq(r.missing, count_gaps(&c));
            double stress = stress_of(&c, r.layout);
            ck_assert_msg(fabs(r.stress - stress) <= 1e-5 * (stress + 1e-7), "%zu points: %g, not %g", c.n,
                          r.stress, stress);
            glshape_mds_free(&r);
        }
    size_t asked = 0, n = 6000;
    glshape_mds_result r = lay_out(&(glshape_source){.feeder = feed_line, .user = &asked, .n = n});
    ck_assert(asked < n * (n - 1) / 2 && r.stress_error > 0);
    glshape_mds_free(&r);
}
END_TEST

START_TEST(failures_end_cleanly) {
    cloud c = make_cloud(N);
    static const size_t after[] = {0, 100, 1400, 20000, 300000};
    for (size_t k = 0; k < sizeof after / sizeof *after; k++) {
        c.asked = 0;
        c.fail_after = after[k];
        refused(&(glshape_source){.feeder = feed, .user = &c, .n = N}, GLSHAPE_IO_ERROR,
                "no more pairs today");
        if (after[k] >= N) continue;
        for (int keep = GLSHAPE_KEEP_RESIDENT; keep <= GLSHAPE_KEEP_PAGED; keep++)
            refused(&(glshape_source){.reader = read_rows, .user = &c, .n = N, .keep = (glshape_keep)keep},
                    GLSHAPE_IO_ERROR, "is torn");
    }
    refused(&(glshape_source){0}, GLSHAPE_BAD_ARGUMENT, "0 of them are set");
    refused(&(glshape_source){.feeder = feed, .reader = read_rows, .n = N}, GLSHAPE_BAD_ARGUMENT,
            "2 of them are set");
    refused(&(glshape_source){.feeder = feed, .n = 1}, GLSHAPE_BAD_INPUT, "1 point;");
}
END_TEST

/* A path of nodes is a line; in pieces it is nothing. */
START_TEST(graphs) {
    enum { NODES = 300 };
    size_t start[NODES + 1], used = 0;
    uint32_t to[2 * NODES];
    for (uint32_t v = 0; v < NODES; v++) {
        start[v] = used;
        if (v) to[used++] = v - 1;
        if (v + 1 < NODES) to[used++] = v + 1;
    }
    start[NODES] = used;
    glshape_graph path = {NODES, start, to, NULL};
    glshape_mds_result r = lay_out(&(glshape_source){.graph = &path});
    ck_assert_msg(r.stress < 1e-3, "stress %g", r.stress);
    double dx = r.layout[0] - r.layout[2 * NODES - 2], dy = r.layout[1] - r.layout[2 * NODES - 1];
    ck_assert(fabs(hypot(dx, dy) - (NODES - 1)) < 0.05 * NODES);
    glshape_mds_free(&r);
    size_t apart[] = {0, 1, 2, 3, 4};
    uint32_t ends[] = {1, 0, 3, 2};
    refused(&(glshape_source){.graph = &(glshape_graph){4, apart, ends, NULL}}, GLSHAPE_BAD_INPUT,
            "in 2 pieces");
}
END_TEST

Suite *mds_sources_suite(void) {
    Suite *s = suite_create("mds/sources");
    TCase *t = tcase_create("sources");
    tcase_set_timeout(t, 180);
    tcase_add_checked_fixture(t, open_context, close_context);
    tcase_add_test(t, paged_equals_resident);
    tcase_add_test(t, same_stress_from_every_source);
    tcase_add_test(t, dense_documents);
    tcase_add_test(t, tables_change_nothing);
    tcase_add_test(t, feeders_of_few_points);
    tcase_add_test(t, failures_end_cleanly);
    tcase_add_test(t, graphs);
    suite_add_tcase(s, t);
    return s;
}
