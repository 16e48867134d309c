/* Classical scaling: its parts beside arithmetic, passes beside threads, and what is refused. Results beside
 * numpy's are in tests/python/test_classical.py. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mds/eigen.h"
#include "mds/krylov.h"
#include "mds/layout.h"
#include "mds/product.h"

#define PI 3.14159265358979323846

/* ---- parts ----------------------------------------------------------------------------------------- */

/* The second difference of m numbers has the eigenvalues 2 - 2·cos(kπ/(m + 1)), k = 1 … m. */
START_TEST(small_matrices) {
    enum { MOST = 60 };
    static double a[MOST * MOST], vector[MOST * MOST], value[MOST];
    for (uint32_t m = 1; m <= MOST; m++) {
        memset(a, 0, sizeof a);
        for (uint32_t k = 0; k < m; k++) a[k * m + k] = 2;
        for (uint32_t k = 0; k + 1 < m; k++) a[k * m + k + 1] = a[(k + 1) * m + k] = -1;
        mds_eigen(m, a, value, vector);
        for (uint32_t k = 0; k < m; k++) {
            ck_assert_double_eq_tol(value[k], 2 - 2 * cos((m - k) * PI / (m + 1)), 1e-13);
            for (uint32_t i = 0; i < m; i++) {
                double left = i ? vector[(i - 1) * m + k] : 0,
                       right = i + 1 < m ? vector[(i + 1) * m + k] : 0;
                double product = 2 * vector[i * m + k] - left - right;
                ck_assert_double_eq_tol(product, value[k] * vector[i * m + k], 1e-13);
            }
        }
    }
}
END_TEST

/* A diagonal matrix: value i is 1/(i + 1), but some are far below 0. */
static double diagonal(uint32_t i) { return i % 500 == 499 ? -3 : 1.0 / (i + 1); }

static glshape_status multiply_diagonal(void *user, uint32_t count, const double *x, double *y) {
    uint32_t n = *(uint32_t *)user;
    for (size_t k = 0; k < (size_t)count * n; k++) y[k] = diagonal((uint32_t)(k % n)) * x[k];
    return GLSHAPE_OK;
}

START_TEST(large_negative_eigenvalues) {
    error err = {0};
    for (uint32_t n = 1; n <= 6000; n = 3 * n + 1) {
        double none = 0;
        mds_eigenpairs p = {.wanted = 4, .tolerance = 1e-6, .noise = &none};
        OK(&err, mds_krylov(&err, &(mds_operator){multiply_diagonal, &n, n, false}, &p));
        ck_assert_uint_eq(p.count, n < 4 ? n : 4);
        ck_assert(p.converged);
        for (uint32_t k = 0; k < p.count; k++) {
            ck_assert_double_eq_tol(p.value[k], 1.0 / (k + 1), 1e-9);
            ck_assert_double_le(p.residual[k], 3e-6);
            ck_assert_double_eq_tol(fabs(p.vector[(size_t)k * n + k]), 1, 1e-6);
        }
        ck_assert_double_eq_tol(p.least, n >= 500 ? -3 : 1.0 / n, 0.03);
        mds_eigenpairs_free(&p);
    }
}
END_TEST

/* A made-up matrix: symmetric, 0 on the diagonal, no metric. unit: of its values. */
typedef struct made_up {
    uint32_t n;
    float unit;
    bool gap; /* the distance of points 1 and 3, counted from 0, is missing */
} made_up;

static float made_up_value(const made_up *m, uint32_t i, uint32_t j) {
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    random_state random = {(uint64_t)high << 32 | low};
    if (m->gap && low == 1 && high == 3) return NAN;
    return i == j ? 0 : m->unit * (float)(1 + (low % 3 == high % 3) + random_unit(&random));
}

static bool read_made_up(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const made_up *m = user;
    (void)message, (void)size;
    for (uint32_t i = first; i < first + count; i++)
        for (uint32_t j = 0; j < m->n; j++) *out++ = made_up_value(m, i, j);
    return true;
}

/* Value i of -½ J D∘D x. */
static void multiply_made_up(const made_up *m, const double *x, double *y) {
    double mean = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        y[i] = 0;
        for (uint32_t j = 0; j < m->n; j++) {
            double d = (double)made_up_value(m, i, j);
            y[i] -= d * d * x[j] / 2;
        }
        mean += y[i] / m->n;
    }
    for (uint32_t i = 0; i < m->n; i++) y[i] -= mean;
}

static void check_product(made_up m, uint32_t count, glshape_keep keep) {
    mds_product p = {0};
    double *x = trial_memory((size_t)m.n * count, sizeof *x),
           *y = trial_memory((size_t)m.n * count, sizeof *y);
    double *want = trial_memory(m.n, sizeof *want), error = 0, most = 0;
    dist_reader reader = {.read = read_made_up, .user = &m, .n = m.n, .unit = 1};
    for (uint32_t c = 0; c < count; c++) {
        double mean = 0;
        for (uint32_t i = 0; i < m.n; i++) mean += (x[c * m.n + i] = trial_between(-1, 1)) / m.n;
        for (uint32_t i = 0; i < m.n; i++) x[c * m.n + i] -= mean;
    }
    trial_where("%u points, unit %g, %u columns, keep %d", m.n, (double)m.unit, count, keep);
    TRIAL_OK(mds_product_new(test_gpu(), &reader, keep, false, &p));
    TRIAL_CHECK(p.on_device);
    for (int twice = 0; twice < 2; twice++) TRIAL_OK(mds_product_apply(&p, count, x, y));
    TRIAL_CHECK(p.readings == (keep == GLSHAPE_KEEP_PAGED ? 2 : 1));
    for (uint32_t c = 0; c < count; c++) {
        multiply_made_up(&m, x + c * m.n, want);
        for (uint32_t i = 0; i < m.n; i++) {
            error = trial_worse(error, fabs(want[i] - y[c * m.n + i]));
            most = fmax(most, fabs(want[i]));
        }
    }
    trial_judge(TRIAL_PRODUCT, trial_relative(error, 0, most));
    mds_product_free(&p);
}

START_TEST(products_by_passes) {
    static const uint32_t sizes[] = {2, 3, 4, 5, 127, 512, 515}, counts[] = {1, 4, 5, 13};
    gpu_set_eager(test_gpu(), true);
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 4; k++) {
            made_up m = {.n = sizes[i], .unit = k % 2 ? 1 : 1e25f};
            check_product(m, counts[k], GLSHAPE_KEEP_RESIDENT);
            check_product(m, counts[k], GLSHAPE_KEEP_PAGED);
        }
    gpu_set_eager(test_gpu(), false);
}
END_TEST

/* ---- the whole ------------------------------------------------------------------------------------- */

static glshape_context *open_on(const char *device, size_t gpu_memory) {
    glshape_context *c;
    glshape_options o = {.debug = true, .device = device, .gpu_memory = gpu_memory, .when_needed = true};
    ck_assert_int_eq(glshape_open(&o, &c), GLSHAPE_OK);
    return c;
}

static glshape_source source_of(made_up *m) {
    return (glshape_source){.reader = read_made_up, .user = m, .n = m->n};
}

static void scale(glshape_context *c, const glshape_source *source, int dim, glshape_mds_result *r) {
    glshape_mds_options o = {.dim = dim, .method = GLSHAPE_MDS_CLASSICAL};
    ck_assert_msg(glshape_mds(c, source, &o, r) == GLSHAPE_OK, "%s", glshape_last_error(c));
    ck_assert(r->converged);
}

/* The corners of a rectangle, 4 × 2: x² sums up to 16, y² to 4. */
START_TEST(rectangle) {
    double corners[] = {1, 1, 1, 3, 5, 1, 5, 3};
    glshape_matrix m = {GLSHAPE_F64, 4, 2, corners};
    glshape_mds_result r;
    for (glshape_metric metric = 0; metric <= GLSHAPE_METRIC_MINKOWSKI; metric += 5) {
        scale(layout_context(), &(glshape_source){.points = &m, .metric = metric}, 3, &r);
        static const double eigenvalues[] = {16, 4, 0}, size[] = {2, 1, 0};
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq_tol(r.eigenvalues[k], eigenvalues[k], 1e-6);
            for (int i = 0; i < 4; i++)
                ck_assert_double_eq_tol(fabs((double)r.layout[3 * i + k]), size[k], 2e-3);
            ck_assert_double_ge((double)r.layout[k], 0); /* all are as large: the first is positive */
        }
        ck_assert_double_eq_tol(r.trace, 20, 1e-5);
        ck_assert_uint_eq(r.pairs, 6);
        glshape_mds_free(&r);
    }
}
END_TEST

/* Threads and passes, resident and in pages, find the same. */
START_TEST(places) {
    made_up m = {.n = 700, .unit = 3};
    glshape_context *contexts[] = {layout_context(), open_on(test_device(), 0),
                                   open_on(test_device(), 700 * 1024)};
    glshape_mds_result r[3];
    for (int i = 0; i < 3; i++) {
        glshape_source source = source_of(&m);
        scale(contexts[i], &source, 3, &r[i]);
        double readings = fact_of(contexts[i], "readings of the matrix");
        ck_assert_double_eq(readings, i < 2 ? 1 : r[i].iterations);
        ck_assert_int_gt(r[i].iterations, 2);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq_tol(r[i].eigenvalues[k], r[0].eigenvalues[k], 1e-5 * r[0].eigenvalues[0]);
            ck_assert_double_le(r[i].residuals[k], 3e-6 * fmax(r[0].eigenvalues[0], -r[0].least_eigenvalue));
        }
        ck_assert_double_eq_tol(r[i].trace, r[0].trace, 1e-9 * r[0].trace);
        for (int k = 0; k < 2 * 700; k++) /* the third eigenvalue is near to the fourth */
            ck_assert_double_eq_tol((double)r[i].layout[k / 2 * 3 + k % 2],
                                    (double)r[0].layout[k / 2 * 3 + k % 2], 1e-3 * sqrt(r[0].eigenvalues[0]));
    }
    for (int i = 0; i < 3; i++) glshape_mds_free(&r[i]);
    for (int i = 1; i < 3; i++) ck_assert_int_eq(glshape_close(contexts[i]), 0);
}
END_TEST

/* Corrected, B has no negative eigenvalue left, and the last one is 0. */
START_TEST(corrections_in_places) {
    made_up m = {.n = 300, .unit = 3};
    glshape_source source = source_of(&m);
    glshape_context *contexts[] = {layout_context(), open_on(test_device(), 0),
                                   open_on(test_device(), 200 * 1024)};
    for (glshape_mds_correction correction = 1; correction <= GLSHAPE_MDS_CAILLIEZ; correction++) {
        double constant = 0;
        for (int i = 0; i < 3; i++) {
            glshape_mds_options o = {.method = GLSHAPE_MDS_CLASSICAL, .correction = correction};
            glshape_mds_result r;
            ck_assert_int_eq(glshape_mds(contexts[i], &source, &o, &r), GLSHAPE_OK);
            ck_assert(r.converged);
            if (!i) constant = r.constant;
            ck_assert_double_gt(r.constant, 0.1);
            ck_assert_double_eq_tol(r.constant, constant, 1e-5 * constant);
            double least = r.least_eigenvalue + (correction == GLSHAPE_MDS_LINGOES ? constant : 0);
            ck_assert_double_ge(least, -1e-3 * r.eigenvalues[0]);
            glshape_mds_free(&r);
        }
    }
    for (int i = 1; i < 3; i++) ck_assert_int_eq(glshape_close(contexts[i]), 0);
}
END_TEST

static void refused(const glshape_source *source, glshape_mds_options o, glshape_status status,
                    const char *part) {
    static const glshape_mds_result zero;
    glshape_mds_result r;
    o.method = GLSHAPE_MDS_CLASSICAL;
    ck_assert_int_eq(glshape_mds(layout_context(), source, &o, &r), status);
    ck_assert_msg(strstr(glshape_last_error(layout_context()), part), "'%s' lacks '%s'",
                  glshape_last_error(layout_context()), part);
    ck_assert(!memcmp(&r, &zero, sizeof r));
}

START_TEST(refusals) {
    made_up m = {.n = 20, .unit = 1}, gap = {.n = 20, .unit = 1, .gap = true},
            negative = {.n = 20, .unit = -1};
    glshape_source s = source_of(&m), with_gap = source_of(&gap), weighted = s, below = source_of(&negative);
    weighted.weights = read_made_up;
    weighted.weights_user = &m;
    refused(&with_gap, (glshape_mds_options){0}, GLSHAPE_BAD_INPUT,
            "row 2, column 4: the distance is missing; classical scaling needs all of them");
    refused(&below, (glshape_mds_options){0}, GLSHAPE_BAD_INPUT, "is no distance");
    refused(&weighted, (glshape_mds_options){0}, GLSHAPE_BAD_ARGUMENT, "no weights of pairs");
    refused(&s, (glshape_mds_options){.dim = 20}, GLSHAPE_BAD_ARGUMENT,
            "of 20 points has at most 19 dimensions");
    refused(&s, (glshape_mds_options){.dim = -1}, GLSHAPE_BAD_ARGUMENT, "dim is -1");
    refused(&s, (glshape_mds_options){.attempts = 2}, GLSHAPE_BAD_ARGUMENT, "--attempts");
    refused(&s, (glshape_mds_options){.components = true}, GLSHAPE_BAD_ARGUMENT, "lays out one component");
    refused(&s, (glshape_mds_options){.correction = 3}, GLSHAPE_BAD_ARGUMENT, "correction 3");
    m.n = 300;
    s.n = 300;
    refused(&s, (glshape_mds_options){.dim = 101}, GLSHAPE_BAD_ARGUMENT, "at most 100 dimensions");
    double far[] = {-2e38, 2e38}, near[] = {0, 1e-44}, none[] = {1, INFINITY};
    const struct {
        double *x;
        const char *part;
    } columns[] = {
        {far, "scale the input down"}, {near, "scale the input up"}, {none, "row 2, column 1 is infinite"}};
    for (int i = 0; i < 3; i++) {
        glshape_matrix points = {GLSHAPE_F64, 2, 1, columns[i].x};
        refused(&(glshape_source){.points = &points}, (glshape_mds_options){.dim = 1}, GLSHAPE_BAD_INPUT,
                columns[i].part);
    }
}
END_TEST

void mds_classical_cases(Suite *s) {
    TCase *parts = trial_case(s, "classical: parts");
    tcase_add_test(parts, small_matrices);
    tcase_add_test(parts, large_negative_eigenvalues);
    tcase_add_test(parts, products_by_passes);
    TCase *whole = layout_case(s, "classical");
    tcase_add_test(whole, rectangle);
    tcase_add_test(whole, places);
    tcase_add_test(whole, corrections_in_places);
    tcase_add_test(whole, refusals);
}
