/* glshape_mds of few points, which needs no device: every source, beside the layouts that passes make. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mds/layout.h"
#include "reference/knn.h"
#include "reference/weights.h"
#include "suites.h"

enum { MOST = 100 };

/* Distances and weights of a case. */
typedef struct matrix_of {
    uint32_t n;
    float distance[MOST * MOST], weight[MOST * MOST];
} matrix_of;

static bool give(const float *from, uint32_t n, uint32_t first, uint32_t count, float *out) {
    memcpy(out, from + (size_t)first * n, (size_t)count * n * sizeof *out);
    return true;
}
static bool give_distances(void *user, uint32_t first, uint32_t count, float *out, char *message,
                           size_t size) {
    const matrix_of *m = user;
    (void)message, (void)size;
    return give(m->distance, m->n, first, count, out);
}
static bool give_weights(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const matrix_of *m = user;
    (void)message, (void)size;
    return give(m->weight, m->n, first, count, out);
}

static double direct_stress(const matrix_of *m, const glshape_mds_result *r) {
    return ref_weighted_stress(&(ref_weighted){m->n, m->distance, m->weight}, r->layout, (uint32_t)r->dim);
}

/* Each point twice. One pair in `gaps` has no distance; if weighted, one in five has the weight 0. */
static void make_matrix(matrix_of *m, uint32_t n, uint32_t gaps, bool weighted, double unit) {
    glshape_matrix p = layout_points(n, 4, layout_normal);
    const double *x = p.data;
    m->n = n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t c = 0; c < 4; c++) sum += pow(x[i / 2 * 4 + c] - x[j / 2 * 4 + c], 2);
            bool none = gaps && i != j && random_below(trial_random(), gaps) == 0 && j;
            float w =
                weighted ? j && random_below(trial_random(), 5) == 0 ? 0 : (float)trial_between(0.1, 3) : 1;
            m->distance[i * n + j] = m->distance[j * n + i] = none ? NAN : (float)(sqrt(sum) * unit);
            m->weight[i * n + j] = m->weight[j * n + i] = w;
        }
}

static glshape_mds_result lay_out(glshape_context *context, matrix_of *m, int dim, int attempts) {
    glshape_source source = {
        .reader = give_distances, .user = m, .n = m->n, .weights = give_weights, .weights_user = m};
    glshape_mds_options o = {.dim = dim, .seed = 4, .attempts = attempts};
    glshape_mds_result r;
    glshape_status status = glshape_mds(context, &source, &o, &r);
    ck_assert_msg(!status, "%s", glshape_last_error(context));
    return r;
}

/* The stress is that of the layout, and no worse than that of the layout by passes. */
START_TEST(beside_passes) {
    static const uint32_t sizes[] = {2, 3, 10, 33, MOST};
    static matrix_of m;
    glshape_context *passes, *few;
    ck_assert_int_eq(glshape_open(&(glshape_options){.device = test_device()}, &passes), GLSHAPE_OK);
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &few), GLSHAPE_OK);
    for (int k = 0; k < hunt(8, 60); k++) {
        int dim = 1 + k % 3;
        make_matrix(&m, sizes[k % 5], k % 4 == 1 ? 6 : 0, k & 1, k == 6 ? 1e30 : k == 7 ? 1e-30 : 1);
        glshape_mds_result a = lay_out(few, &m, dim, 12), b = lay_out(passes, &m, dim, 1);
        double direct = direct_stress(&m, &a);
        ck_assert_msg(fabs(a.stress - direct) <= 1e-5 * direct + 1e-11, "%u points: stress %g, not %g", m.n,
                      a.stress, direct);
        ck_assert_msg(a.stress <= 1.005 * b.stress + 1e-9, "%u points, dim %d: stress %g, by passes %g", m.n,
                      dim, a.stress, b.stress);
        ck_assert(a.missing == b.missing && a.pairs == b.pairs && a.gpu_bytes == 0 && b.gpu_bytes > 0);
        ck_assert(layout_centre(&a) <= 1e-6 * layout_extent(&a));
        glshape_mds_free(&a);
        glshape_mds_free(&b);
    }
    ck_assert_int_eq(glshape_close(few), 0);
    ck_assert_int_eq(glshape_close(passes), 0);
}
END_TEST

/* Points, sparse rows and a graph have the stress of the matrix of their distances. */
static matrix_of apart; /* too large for the stack */

/* On the CPU, and by passes with the matrix on the GPU and in pages: the status of n points, 2 dimensions. */
static glshape_status lay_out_any(const matrix_of *m, int way, double *stress, char *why, size_t size) {
    static const glshape_keep keeps[] = {GLSHAPE_KEEP_AUTO, GLSHAPE_KEEP_RESIDENT, GLSHAPE_KEEP_PAGED};
    glshape_options named = {.device = test_device()}, closed = {.when_needed = true};
    glshape_source source = {.reader = give_distances, .user = (void *)m, .n = m->n, .keep = keeps[way]};
    glshape_context *context;
    glshape_mds_result r;
    ck_assert_int_eq(glshape_open(way ? &named : &closed, &context), GLSHAPE_OK);
    glshape_status status = glshape_mds(context, &source, NULL, &r);
    snprintf(why, size, "%s", status ? glshape_last_error(context) : "");
    *stress = status ? NAN : r.stress;
    for (size_t k = 0; !status && k < 2 * (size_t)m->n; k++) ck_assert(isfinite(r.layout[k]));
    glshape_mds_free(&r);
    glshape_close(context);
    return status;
}

/* Six equal distances have the stress that they have in any unit, up to the greatest float. */
START_TEST(largest_distances) {
    static const float units[] = {1, 1.8e38f, 3e38f, 3.4028234e38f};
    for (int way = 0; way < 3; way++)
        for (int k = 0; k < 4; k++) {
            char why[256];
            double stress;
            apart.n = 6;
            for (uint32_t v = 0; v < 36; v++) apart.distance[v] = v % 7 ? units[k] : 0;
            ck_assert_msg(!lay_out_any(&apart, way, &stress, why, sizeof why), "%s", why);
            ck_assert_msg(fabs(stress - 0.0714531) < 1e-4, "way %d, unit %g: stress %g", way,
                          (double)units[k], stress);
        }
}
END_TEST

/* What is no distance is refused with its place; so are pieces between which all distances are missing. */
START_TEST(no_distances) {
    static const float bad[] = {-1, INFINITY, -INFINITY};
    for (int way = 0; way < 3; way++) {
        char why[256];
        double stress;
        apart.n = 40;
        for (int k = 0; k < 3; k++) {
            for (uint32_t v = 0; v < 1600; v++)
                apart.distance[v] = v % 41 ? 1 + (float)(v / 40 % 3 + v % 40 % 3) : 0;
            apart.distance[40 * 30 + 7] = apart.distance[40 * 7 + 30] = bad[k];
            ck_assert_int_eq(lay_out_any(&apart, way, &stress, why, sizeof why), GLSHAPE_BAD_INPUT);
            ck_assert_msg(strstr(why, "row 8, column 31") || strstr(why, "row 31, column 8"), "%s", why);
        }
        for (uint32_t i = 0; i < 40; i++)
            for (uint32_t j = 0; j < 40; j++)
                apart.distance[i * 40 + j] = i == j ? 0 : i % 2 == j % 2 ? 1 : NAN;
        ck_assert_int_eq(lay_out_any(&apart, way, &stress, why, sizeof why), GLSHAPE_BAD_INPUT);
        ck_assert_msg(strstr(why, "no distance joins rows 1 and 2"), "%s", why);
        apart.distance[39 * 40 + 38] = apart.distance[38 * 40 + 39] = 5;
        ck_assert_msg(!lay_out_any(&apart, way, &stress, why, sizeof why), "%s", why);
    }
}
END_TEST

START_TEST(every_source) {
    static matrix_of m;
    enum { N = 30, H = 3 };
    glshape_matrix points = layout_points(N, H, layout_normal);
    size_t start[N + 1], first[N + 1];
    uint32_t column[N * H], to[2 * N];
    float value[N * H], edge[2 * N];
    for (uint32_t i = 0; i <= N; i++) start[i] = (size_t)i * H, first[i] = 2 * (size_t)i;
    for (uint32_t i = 0; i < N * H; i++)
        column[i] = i % H, value[i] = (float)((double *)points.data)[i],
        ((double *)points.data)[i] = (double)value[i];
    for (uint32_t i = 0; i < N; i++)
        to[2 * i] = (i + N - 1) % N, to[2 * i + 1] = (i + 1) % N, edge[2 * i] = edge[2 * i + 1] = 1;
    glshape_sparse rows = {N, H, start, column, value};
    glshape_graph ring = {N, first, to, edge};
    static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_MANHATTAN,
                                             GLSHAPE_METRIC_COSINE, GLSHAPE_METRIC_CHEBYSHEV};
    glshape_context *context;
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &context), GLSHAPE_OK);
    for (int k = 0; k < 9; k++) {
        glshape_source source = {.metric = metrics[k % 4]};
        if (k < 4) source.points = &points;
        else if (k < 8) source.sparse = &rows;
        else source.graph = &ring;
        m.n = N;
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < N; j++) {
                uint32_t apart = i > j ? i - j : j - i;
                m.weight[i * N + j] = 1;
                m.distance[i * N + j] =
                    k == 8 ? (float)(apart < N - apart ? apart : N - apart)
                           : (float)ref_distance(metrics[k % 4], (double *)points.data + i * H,
                                                 (double *)points.data + j * H, H);
            }
        glshape_mds_result r;
        ck_assert_msg(!glshape_mds(context, &source, &(glshape_mds_options){.seed = 1}, &r), "%s",
                      glshape_last_error(context));
        double direct = direct_stress(&m, &r);
        ck_assert_msg(fabs(r.stress - direct) <= 1e-5 * direct + 1e-9, "source %d: stress %g, not %g", k,
                      r.stress, direct);
        glshape_mds_free(&r);
    }
    ck_assert_int_eq(glshape_close(context), 0);
}
END_TEST

void mds_few_cases(Suite *s) {
    TCase *c = tcase_create("few points");
    tcase_add_checked_fixture(c, trial_reseed, trial_clear);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, beside_passes);
    tcase_add_test(c, every_source);
    tcase_add_test(c, largest_distances);
    tcase_add_test(c, no_distances);
    suite_add_tcase(s, c);
}
