/* Pairs of points within a threshold: those of all comparisons, one by one. */
#include <math.h>
#include <stdlib.h>

#include "dist/source.h"
#include "rips/graph.h"
#include "rips/shapes.h"

/* FAR_CLUSTERS: single precision does not tell apart there what is within the threshold and what is not. */
typedef enum family {
    REALS,
    FLOATS,
    OFFSETS,
    DECIMALS,
    FEW_PLACES,
    ONE_PLACE,
    TINY,
    LARGE,
    OUTLIER,
    FAR_CLUSTERS,
    LONG,      /* along one axis */
    NEAR_ZERO, /* less than single precision tells from 0 */
    ANTIPODES, /* half of the points have a greatest distance */
    FAMILIES
} family;

static random_state dice;

static double draw_value(family f, size_t row, size_t column) {
    double u = random_unit(&dice) - 0.5;
    switch (f) {
        case FLOATS:
            return (float)u;
        case OFFSETS:
            return 1e7 + random_below(&dice, 3000) * 0x1p-10;
        case DECIMALS:
            return random_below(&dice, 12) / 10.0;
        case FEW_PLACES:
            return random_below(&dice, 4);
        case ONE_PLACE:
            return 0.1;
        case TINY:
            return u * 1e-25;
        case LARGE:
            return u * 1e25;
        case OUTLIER:
            return row == 7 ? 1e6 : u;
        case FAR_CLUSTERS:
            return row % 2 ? u : 1e9 + u;
        case LONG:
            return column ? u : 100 * u;
        case NEAR_ZERO:
            return !row                     ? 0.5
                   : random_below(&dice, 3) ? random_below(&dice, 4) * 3e-46
                                            : 0.01 * random_below(&dice, 100);
        case ANTIPODES:
            return column == row / 2 % 3 ? (row % 2 ? 1 : -1) : 1e-3 * u;
        default:
            return u;
    }
}

static int by_value(const void *a, const void *b) {
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* All distances, row after row of the lower triangle. */
static float *all_distances(const rips_points *p) {
    float *all = malloc((p->n * p->n + 1) * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) all[count++] = rips_points_distance(p, i, j);
    return all;
}

/* Compares the lists of s with all distances, and returns how many places they have. */
static size_t check_lists(const rips_space *s, const float *all) {
    const rips_graph *g = &s->graph;
    size_t at = 0;
    bool same = true;
    for (size_t i = 0; i < s->n; i++) {
        same = same && g->start[i] == at;
        for (size_t j = 0; j < s->n; j++) {
            float d = i > j ? all[i * (i - 1) / 2 + j] : i < j ? all[j * (j - 1) / 2 + i] : INFINITY;
            if (!(d <= s->threshold)) continue;
            same = same && at < g->start[s->n] && g->point[at] == j && g->distance[at] == d;
            at++;
        }
    }
    ck_assert(same && g->start[s->n] == at);
    return at;
}

/* Both sweeps. Returns whether the one for short lists made them. */
static bool check_sweeps(const rips_points *p, float threshold, const float *all, float most) {
    error err = {0};
    bool done;
    for (int threads = 1; threads <= 3; threads += 2) {
        rips_space s = {.n = (uint32_t)p->n, .threshold = threshold}, of_short = s;
        float greatest;
        OK(&err, rips_sweep(&err, p, threads, &s));
        size_t places = check_lists(&s, all);
        OK(&err, rips_sweep_short(&err, p, threads, &of_short, &greatest, &done));
        if (done) {
            ck_assert_uint_eq(check_lists(&of_short, all), places);
            ck_assert(places && places < p->n * p->n / 8);
            ck_assert(greatest == most);
        } else ck_assert_ptr_null(of_short.graph.start);
        rips_space_free(&s);
        rips_space_free(&of_short);
    }
    return done;
}

static int check_points(family f, size_t n, size_t width, glshape_metric metric) {
    double *rows = malloc((n * width + 1) * sizeof *rows);
    error err = {0};
    rips_points p;
    int done = 0;
    for (size_t k = 0; k < n * width; k++) rows[k] = draw_value(f, k / width, k % width);
    glshape_matrix m = {GLSHAPE_F64, n, width, rows};
    const glshape_source source = {.points = &m, .metric = metric};
    OK(&err, rips_points_new(&err, &source, &p));
    float *all = all_distances(&p), *sorted = all_distances(&p);
    size_t count = n * (n - 1) / 2;
    qsort(sorted, count, sizeof *sorted, by_value);
    float most = count ? sorted[count - 1] : 0;
    for (int part = 0; count && part < 4; part++) {
        float one = sorted[(count - 1) * (size_t)part / 40]; /* of ties, some are equal to it */
        done += check_sweeps(&p, one, all, most);
        done += check_sweeps(&p, nextafterf(one, 0), all, most);
    }
    check_sweeps(&p, most, all, most);
    check_sweeps(&p, 0, all, most);
    rips_points_free(&p);
    free(rows);
    free(all);
    free(sorted);
    return done;
}

/* _i: the family. */
START_TEST(all_pairs) {
    static const size_t widths[] = {1, 2, 9, 70}, counts[] = {1, 2, 63, 64, 65, 150, 333};
    static const glshape_metric metrics[] = {GLSHAPE_METRIC_EUCLIDEAN, GLSHAPE_METRIC_EUCLIDEAN,
                                             GLSHAPE_METRIC_MANHATTAN, GLSHAPE_METRIC_CHEBYSHEV};
    int done = 0, turn = 0;
    dice.state = 77 + (uint64_t)_i;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int again = 0; again < 2; again++)
                done += check_points((family)_i, counts[c], widths[w], metrics[turn++ % 4]);
    bool is_left_out = _i == LARGE || _i == TINY || _i == ONE_PLACE || _i == FAR_CLUSTERS;
    ck_assert_int_eq(done > 0, !is_left_out);
}
END_TEST

/* The intervals and the range of points, of which lists are made; sparse ones where they are asked for. */
static void compare_kinds(glshape_context *c, const glshape_source *source, glshape_rips_options o,
                          float least, float most) {
    glshape_rips_result dense, sparse;
    bool same = true;
    ck_assert_int_eq(glshape_rips(c, source, &o, &dense), GLSHAPE_OK);
    ck_assert(fact_of(c, "pairs in place of a matrix") > 0);
    o.sparse = true;
    ck_assert_int_eq(glshape_rips(c, source, &o, &sparse), GLSHAPE_OK);
    ck_assert(dense.greatest == most && dense.least == least && sparse.least == least);
    ck_assert(sparse.greatest <= (float)o.threshold.value);
    ck_assert_uint_eq(dense.count, sparse.count);
    ck_assert_uint_ge(dense.count, source->points->rows);
    for (size_t k = 0; k < dense.count; k++)
        same = same && shapes_same(&dense.intervals[k], &sparse.intervals[k]);
    ck_assert(same);
    glshape_rips_free(&dense);
    glshape_rips_free(&sparse);
}

/* Points whose lists are made in place of a matrix have its range and its intervals, which lists have that
 * are asked for: on a device, and by threads with a matrix made of the lists or, of few pairs, without. */
START_TEST(in_place_of_a_matrix) {
    enum { N = 2200, WIDTH = 9 };
    static const double thresholds[] = {0.6, 0.3, 0.5, 0.36}; /* of 0.3 and 0.36 few pairs */
    static double rows[N * WIDTH];
    glshape_context *unnamed;
    dice.state = 5;
    for (size_t k = 0; k < N * WIDTH; k++) rows[k] = draw_value(_i < 2 ? DECIMALS : REALS, 0, 0);
    glshape_matrix m = {GLSHAPE_F64, N, WIDTH, rows};
    const glshape_source source = {.points = &m};
    glshape_rips_options o = {.threshold = GLSHAPE_SET(thresholds[_i])};
    error err = {0};
    rips_points p;
    OK(&err, rips_points_new(&err, &source, &p));
    float *all = all_distances(&p), least = INFINITY, most = 0;
    for (size_t k = 0; k < N * (N - 1) / 2; k++) least = fminf(least, all[k]), most = fmaxf(most, all[k]);
    ck_assert_int_eq(glshape_open(&(glshape_options){.when_needed = true}, &unnamed), GLSHAPE_OK);
    for (int dim = 1; dim <= 2; dim++) { /* of two dimensions edges are collapsed */
        o.dim = GLSHAPE_SET(dim);
        compare_kinds(shapes_context, &source, o, least, most);
        compare_kinds(unnamed, &source, o, least, most);
    }
    glshape_close(unnamed);
    rips_points_free(&p);
    free(all);
}
END_TEST

Suite *rips_sweep_suite(void);
Suite *rips_sweep_suite(void) {
    Suite *s = suite_create("rips/sweep");
    TCase *all = tcase_create("sweep");
    tcase_set_timeout(all, 120);
    tcase_add_unchecked_fixture(all, shapes_open, shapes_close);
    tcase_add_loop_test(all, all_pairs, 0, FAMILIES);
    tcase_add_loop_test(all, in_place_of_a_matrix, 0, 4);
    suite_add_tcase(s, all);
    return s;
}
