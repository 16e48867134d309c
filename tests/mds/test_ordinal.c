/* Ordinal scaling: isotonic regression beside its formula, steps downhill beside known minima, whole layouts
 * beside arithmetic. Layouts beside R's are in tests/python/test_vegan.py. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mds/descent.h"
#include "mds/isotonic.h"
#include "mds/layout.h"
#include "mds/ranked.h"

/* ---- parts ----------------------------------------------------------------------------------------- */

enum { MOST = 91 };

/* A pair, as the formula wants it. */
typedef struct entry {
    double given, distance, weight;
    int pair;
} entry;

static bool by_distance;

static int compare(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->given != y->given) return x->given < y->given ? -1 : 1;
    if (by_distance && x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->pair - y->pair;
}

/* The weighted mean of entries first … last. */
static double mean(const entry *e, int first, int last) {
    double sum = 0, total = 0;
    for (int k = first; k <= last; k++) sum += e[k].weight * e[k].distance, total += e[k].weight;
    return sum / total;
}

/* Number k is the largest, over all beginnings at or before it, of the least mean over all ends at or after
 * it. With secondary ties they begin and end where blocks do. */
static double formula(const entry *e, int count, int k, bool secondary) {
    double most = -INFINITY;
    for (int first = 0; first <= k || (secondary && first < count && e[first].given == e[k].given); first++) {
        double least = INFINITY;
        if (secondary && first && e[first].given == e[first - 1].given) continue;
        for (int last = first; last < count; last++) {
            if (secondary && last + 1 < count && e[last].given == e[last + 1].given) continue;
            if (last >= k) least = fmin(least, mean(e, first, last));
        }
        most = fmax(most, least);
    }
    return most;
}

static void check_isotonic(uint32_t n, int values, bool weighted, bool secondary) {
    int pairs = (int)(n * (n - 1) / 2);
    float given[MOST], weight[MOST];
    double distance[MOST], fitted[MOST], by_place[MOST], by_place_fitted[MOST];
    entry e[MOST];
    mds_isotonic m;
    error err = {0};
    int count = 0;
    for (int p = 0; p < pairs; p++) {
        given[p] = p % 7 == 3 ? NAN : (float)floor(trial_between(0, values));
        weight[p] = p % 5 == 1 ? 0 : (float)trial_between(0.5, 3);
        distance[p] = floor(trial_between(0, 9));
        if (!isnan(given[p]) && (!weighted || weight[p] > 0))
            e[count++] = (entry){(double)given[p], distance[p], weighted ? (double)weight[p] : 1, p};
    }
    by_distance = !secondary;
    qsort(e, (size_t)count, sizeof *e, compare);
    OK(&err, mds_isotonic_new(&err, n, given, weighted ? weight : NULL, secondary, &m));
    ck_assert_int_eq((int)m.count, count);
    for (int k = 0; k < count; k++) by_place[k] = distance[mds_pair_number(n, m.pair[k].i, m.pair[k].j)];
    for (int twice = 0; twice < 2; twice++) mds_isotonic_fit(&m, by_place, by_place_fitted);
    for (int k = 0; k < count; k++) {
        size_t p = mds_pair_number(n, m.pair[k].i, m.pair[k].j);
        ck_assert_double_eq(by_place[k], distance[p]);
        fitted[p] = by_place_fitted[k];
    }
    for (int k = 0; k < count; k++)
        ck_assert_double_eq_tol(fitted[e[k].pair], formula(e, count, k, secondary), 1e-12);
    mds_isotonic_free(&m);
}

START_TEST(isotonic_regression) {
    for (uint32_t n = 2; n * (n - 1) / 2 <= MOST; n++)
        for (int values = 1; values <= 1000; values *= 4)
            for (int kind = 0; kind < 4; kind++) check_isotonic(n, values, kind & 1, kind & 2);
}
END_TEST

/* A dissimilarity that goes with the distance, or against it, or with parts of it. */
static double made_given(int kind, double d) {
    switch (kind) {
        case 0:
            return trial_between(0, 1);
        case 1:
            return d;
        case 2:
            return 9 - d;
        case 3:
            return floor(3 * trial_between(0, d));
        case 4:
            return floor(10 * d) / 10 + 0.1 - fmod(d, 0.1);
        case 5:
            return trial_between(0, 1) < 0.9 ? 1 : 2;
        default:
            return d + trial_between(-0.1, 0.1) + 1;
    }
}

/* The squared stress, its gradient and d̂ by passes, beside isotonic regression by a thread. */
static void check_ranked(uint32_t n, uint32_t dim, int kind, bool weighted) {
    size_t pairs = (size_t)n * (n - 1) / 2, p = 0;
    float *given = trial_memory(pairs, sizeof *given), *weight = trial_memory(pairs, sizeof *weight),
          *found = trial_memory((size_t)n * n, sizeof *found);
    double *x = trial_memory((size_t)n * dim, sizeof *x),
           *gradient = trial_memory((size_t)n * dim, sizeof *x),
           *slope = trial_memory((size_t)n * dim, sizeof *x), *distance = trial_memory(pairs, sizeof *x),
           *fitted = trial_memory(pairs, sizeof *x), off = 0, square = 0, value;
    mds_isotonic m;
    mds_ranked r;
    error err = {0};
    for (size_t k = 0; k < (size_t)n * dim; k++) x[k] = floor(64 * trial_between(-1, 1)) / 64;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++, p++) {
            double sum = 0;
            for (uint32_t c = 0; c < dim; c++) sum += pow(x[i * dim + c] - x[j * dim + c], 2);
            given[p] = p % 7 == 3 && n > 9 ? NAN : (float)made_given(kind, sqrt(sum));
            weight[p] = p % 5 == 1 && n > 9 ? 0 : (float)trial_between(0.5, 3);
        }
    OK(&err, mds_isotonic_new(&err, n, given, weighted ? weight : NULL, false, &m));
    for (uint32_t k = 0; k < m.count; k++) {
        double sum = 0;
        for (uint32_t c = 0; c < dim; c++) sum += pow(x[m.pair[k].i * dim + c] - x[m.pair[k].j * dim + c], 2);
        distance[k] = sqrt(sum);
    }
    mds_isotonic_fit(&m, distance, fitted);
    for (uint32_t k = 0; k < m.count; k++) {
        double w = mds_pair_weight(&m, k);
        off += w * pow(distance[k] - fitted[k], 2);
        square += w * pow(distance[k], 2);
    }
    gpu *g = test_gpu();
    OK(run_error(run_of(g)), mds_ranked_new(g, n, dim, given, weighted ? weight : NULL, &r));
    for (int twice = 0; twice < 2; twice++)
        OK(run_error(run_of(g)), mds_ranked_look(&r, x, &value, gradient));
    OK(run_error(run_of(g)), gpu_download(g, &r.fitted, 0, n, found));
    ck_assert_uint_eq(r.count, m.count);
    double expected = square > 0 ? off / square : 0;
    trial_where("%u points, dim %u, kind %d, weighted %d", n, dim, kind, weighted);
    ck_assert_msg(fabs(value - expected) <= 1e-5 * expected + 1e-10, "%s: %.9g, not %.9g", trial_place(),
                  value, expected);
    for (uint32_t k = 0; k < m.count; k++) {
        uint32_t i = m.pair[k].i, j = m.pair[k].j;
        double w = mds_pair_weight(&m, k),
               pull = distance[k] > 0 ? (distance[k] - fitted[k]) / distance[k] : 0;
        /* Equal distances of equal dissimilarity have any order. */
        ck_assert_msg(fabs((double)found[i * n + j] - fitted[k]) <= 2e-5, "%s: pair %u, %u: %.9g, not %.9g",
                      trial_place(), i, j, (double)found[i * n + j], fitted[k]);
        ck_assert_double_eq((double)found[i * n + j], (double)found[j * n + i]);
        for (uint32_t c = 0; c < dim; c++) {
            double by = 2 * w * (x[i * dim + c] - x[j * dim + c]) * (pull - expected) / square;
            slope[i * dim + c] += by;
            slope[j * dim + c] -= by;
        }
    }
    for (size_t k = 0; k < (size_t)n * dim && square > 0; k++)
        ck_assert_double_eq_tol(gradient[k], slope[k], 1e-5);
    mds_ranked_free(&r);
    mds_isotonic_free(&m);
}

/* 500 points have more pairs than processors pool. */
START_TEST(passes) {
    static const uint32_t sizes[] = {2, 3, 5, 40, 160, 500};
    for (int k = 0; k < 6; k++)
        for (int kind = 0; kind < 14; kind++) {
            check_ranked(sizes[k], 1 + (uint32_t)(k + kind) % 4, kind % 7, kind >= 7);
            trial_clear();
        }
}
END_TEST

/* Where passes are chosen, as there is room for them, there is. */
START_TEST(room) {
    for (int weighted = 0; weighted < 2; weighted++)
        for (uint32_t n = 40; n <= 460; n += 420) {
            size_t pairs = (size_t)n * (n - 1) / 2;
            float *given = trial_memory(pairs, sizeof *given), *weight = trial_memory(pairs, sizeof *weight);
            double *x = trial_memory((size_t)n * 2, sizeof *x),
                   *slope = trial_memory((size_t)n * 2, sizeof *x);
            double value;
            mds_ranked r;
            error err = {0};
            gpu *g;
            for (size_t p = 0; p < pairs; p++) given[p] = (float)(p % 9), weight[p] = 1;
            for (size_t k = 0; k < 2 * (size_t)n; k++) x[k] = trial_between(-1, 1);
            glshape_options o = {.device = test_device(), .gpu_memory = mds_ranked_bytes(n, weighted)};
            OK(&err, gpu_open(&err, &o, &g));
            ck_assert_msg(!gpu_enter(g), "%s", run_error(run_of(g))->text);
            ck_assert_msg(!mds_ranked_new(g, n, 2, given, weighted ? weight : NULL, &r), "%s",
                          run_error(run_of(g))->text);
            ck_assert_msg(!mds_ranked_look(&r, x, &value, slope), "%s", run_error(run_of(g))->text);
            mds_ranked_free(&r);
            gpu_leave(g);
            gpu_close(g);
            trial_clear();
        }
}
END_TEST

/* Σ k·(x[k] - k)² from 0, and Rosenbrock's valley. */
static glshape_status squares(void *user, const double *x, double *value, double *gradient) {
    size_t n = *(size_t *)user;
    *value = 0;
    for (size_t k = 0; k < n; k++) {
        double off = x[k] - (double)k, steep = (double)k + 1;
        *value += steep * off * off;
        gradient[k] = 2 * steep * off;
    }
    return GLSHAPE_OK;
}

static glshape_status valley(void *user, const double *x, double *value, double *gradient) {
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    (void)user;
    *value = a * a + 100 * b * b;
    gradient[0] = -2 * a - 400 * b * x[0];
    gradient[1] = 200 * b;
    return GLSHAPE_OK;
}

START_TEST(downhill) {
    error err = {0};
    double x[200] = {0}, y[2] = {-1.2, 1};
    size_t n = 200;
    mds_descent d = {.most = 500, .first = 0.1, .progress = 1e-12};
    OK(&err, mds_descend(&err, &(mds_function){squares, &n, n}, x, &d));
    for (size_t k = 0; k < n; k++) ck_assert_double_eq_tol(x[k], (double)k, 1e-3);
    ck_assert_int_lt(d.steps, 200);
    d = (mds_descent){.most = 500, .first = 0.1, .progress = 1e-12};
    OK(&err, mds_descend(&err, &(mds_function){valley, NULL, 2}, y, &d));
    ck_assert_double_eq_tol(y[0], 1, 1e-4);
    ck_assert_double_eq_tol(y[1], 1, 1e-4);
    d = (mds_descent){.most = 3, .first = 0.1};
    OK(&err, mds_descend(&err, &(mds_function){squares, &n, n}, memset(x, 0, sizeof x), &d));
    ck_assert_int_eq(d.steps, 3);
}
END_TEST

/* ---- the whole ------------------------------------------------------------------------------------- */

/* Any ascending function of distances in the plane has the same layouts, without stress; also if some pairs
 * are missing. */
typedef struct curved {
    size_t n;
    double x[200][2];
    bool gaps;
} curved;

static bool read_curved(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    const curved *c = user;
    (void)message, (void)size;
    for (size_t i = first; i < (size_t)first + count; i++)
        for (size_t j = 0; j < c->n; j++) {
            double d = hypot(c->x[i][0] - c->x[j][0], c->x[i][1] - c->x[j][1]);
            *out++ = c->gaps && (i + j) % 5 == 1 ? NAN : (float)(d * d * d);
        }
    return true;
}

START_TEST(curved_distances) {
    curved c = {.n = 60};
    for (size_t k = 0; k < c.n; k++) c.x[k][0] = trial_between(-1, 1), c.x[k][1] = trial_between(-0.6, 0.6);
    glshape_source source = {.reader = read_curved, .user = &c, .n = c.n};
    for (int kind = 0; kind < 4; kind++) {
        glshape_mds_options o = {.method = GLSHAPE_MDS_ORDINAL,
                                 .ties = kind & 1 ? GLSHAPE_MDS_TIES_SECONDARY : 0};
        glshape_mds_result r;
        double worst = 0, most = 0, squares = 0, given = 0;
        c.gaps = kind & 2;
        ck_assert_msg(glshape_mds(layout_context(), &source, &o, &r) == GLSHAPE_OK, "%s",
                      glshape_last_error(layout_context()));
        ck_assert_double_lt(r.stress, 0.01);
        ck_assert_int_eq(r.method, GLSHAPE_MDS_ORDINAL);
        ck_assert_uint_eq(r.pairs, 60 * 59 / 2);
        ck_assert(c.gaps ? r.missing > 100 : r.missing == 0);
        for (size_t i = 0; i < c.n; i++)
            for (size_t j = 0; j < i; j++) {
                double d = hypot(c.x[i][0] - c.x[j][0], c.x[i][1] - c.x[j][1]);
                double own = hypot((double)(r.layout[2 * i] - r.layout[2 * j]),
                                   (double)(r.layout[2 * i + 1] - r.layout[2 * j + 1]));
                if (c.gaps && (i + j) % 5 == 1) continue;
                squares += own * own;
                given += pow(d, 6);
                most = fmax(most, own);
            }
        ck_assert_double_eq_tol(squares / given, 1, 1e-3);
        for (size_t i = 0; i < c.n; i++)
            worst = fmax(worst, fabs((double)r.layout[2 * i])); /* the first axis is the longest */
        ck_assert_double_ge(worst, 0.4 * most);
        glshape_mds_free(&r);
    }
}
END_TEST

static bool read_ones(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size) {
    size_t n = *(size_t *)user;
    (void)first, (void)message, (void)size;
    for (size_t k = 0; k < count * n; k++) out[k] = 1;
    return true;
}

static void refused(const glshape_source *source, glshape_mds_options o, const char *part) {
    glshape_mds_result r;
    ck_assert_int_ne(glshape_mds(layout_context(), source, &o, &r), GLSHAPE_OK);
    ck_assert_msg(strstr(glshape_last_error(layout_context()), part), "'%s' lacks '%s'",
                  glshape_last_error(layout_context()), part);
    ck_assert_ptr_null(r.layout);
}

START_TEST(options_of_ordinal_layouts) {
    curved c = {.n = 12};
    size_t many = 70000;
    for (size_t k = 0; k < c.n; k++) c.x[k][0] = (double)k, c.x[k][1] = (double)(k * k % 7);
    glshape_source source = {.reader = read_curved, .user = &c, .n = c.n}, weighted = source,
                   large = {.reader = read_ones, .user = &many, .n = many};
    glshape_mds_options o = {.method = GLSHAPE_MDS_ORDINAL};
    glshape_mds_result r, of_ones;
    weighted.weights = read_ones;
    weighted.weights_user = &c.n;
    ck_assert_int_eq(glshape_mds(layout_context(), &source, &o, &r), GLSHAPE_OK);
    ck_assert_int_eq(glshape_mds(layout_context(), &weighted, &o, &of_ones), GLSHAPE_OK);
    ck_assert_mem_eq(r.layout, of_ones.layout, 24 * sizeof *r.layout);
    float rows[12] = {1};
    ck_assert_int_eq(
        glshape_mds_transform(layout_context(), NULL, &r, &(glshape_matrix){GLSHAPE_F32, 1, 12, rows}, rows),
        GLSHAPE_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(glshape_last_error(layout_context()), "lay out all rows together"));
    refused(&large, o, "70000 points; ordinal scaling sorts all pairs, of at most 65535 points");
    o.ties = 2;
    refused(&source, o, "ties 2");
    o = (glshape_mds_options){.ties = GLSHAPE_MDS_TIES_SECONDARY};
    refused(&source, o, "--method ordinal");
    o = (glshape_mds_options){.method = GLSHAPE_MDS_ORDINAL, .components = true};
    refused(&source, o, "ordinal scaling lays out one component");
    o = (glshape_mds_options){.method = GLSHAPE_MDS_ORDINAL, .exact = true};
    refused(&source, o, "--exact");
    glshape_mds_free(&r);
    glshape_mds_free(&of_ones);
}
END_TEST

void mds_ordinal_cases(Suite *s) {
    TCase *parts = trial_case(s, "ordinal: parts");
    tcase_add_test(parts, isotonic_regression);
    tcase_add_test(parts, downhill);
    tcase_add_test(parts, passes);
    tcase_add_test(parts, room);
    TCase *whole = layout_case(s, "ordinal");
    tcase_add_test(whole, curved_distances);
    tcase_add_test(whole, options_of_ordinal_layouts);
}
