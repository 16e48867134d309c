/* glshape_mds: what every layout promises. */
#include <math.h>
#include <string.h>

#include "mds/layout.h"

/* ---- reproducible ---------------------------------------------------------------------------------- */

static bool same_layout(const glshape_mds_result *a, const glshape_mds_result *b) {
    return !memcmp(a->layout, b->layout, a->n * (size_t)a->dim * sizeof *a->layout);
}

/* Same seed, same bits, in the same context and in another; another seed, another layout. */
START_TEST(test_seeds) {
    glshape_matrix m = layout_points(300, 4, layout_normal);
    glshape_mds_result a = layout_of(&m, (layout_request){.seed = 7, .attempts = 1});
    glshape_mds_result b = layout_of(&m, (layout_request){.seed = 7, .attempts = 1});
    glshape_mds_result c = layout_of(&m, (layout_request){.seed = 8, .attempts = 1});
    ck_assert(same_layout(&a, &b));
    ck_assert(a.stress == b.stress && a.iterations == b.iterations);
    ck_assert(!same_layout(&a, &c));
    glshape_context *other;
    glshape_options options = layout_options();
    ck_assert_int_eq(glshape_open(&options, &other), GLSHAPE_OK);
    glshape_mds_result d = layout_with(other, &m, (layout_request){.seed = 7, .attempts = 1});
    ck_assert(same_layout(&a, &d));
    ck_assert_int_eq(glshape_close(other), 0);
}
END_TEST

/* More attempts are the same and further ones; without a number there are, of those that glshape.h says, as
 * few as give two that are alike. */
START_TEST(test_attempts) {
    static const struct {
        size_t n;
        int least, most;
        glshape_mds_method method;
    } cases[] = {
        {40, 2, 24, GLSHAPE_MDS_GLIMMER}, {300, 2, 24, GLSHAPE_MDS_GLIMMER}, {40, 1, 1, GLSHAPE_MDS_GPU_SF}};
    for (int i = 0; i < 3; i++) {
        glshape_matrix m = layout_points(cases[i].n, 6, layout_normal);
        layout_request q = {.seed = 5, .method = cases[i].method};
        glshape_mds_result by_default = layout_of(&m, q);
        double one = 0, last = INFINITY;
        bool found = false;
        for (q.attempts = 1; q.attempts <= cases[i].most && !found; q.attempts++) {
            glshape_mds_result some = layout_of(&m, q);
            ck_assert_msg(some.stress <= last, "%d attempts: %g, before %g", q.attempts, some.stress, last);
            last = some.stress;
            if (q.attempts == 1) one = last;
            found = q.attempts >= cases[i].least && same_layout(&by_default, &some);
        }
        ck_assert(found);
        ck_assert_msg(by_default.stress <= one, "%g, of one %g: %s", by_default.stress, one, trial_place());
    }
}
END_TEST

static double stress_in(glshape_stage stage, const glshape_matrix *m, glshape_mds_method method) {
    glshape_context *c;
    glshape_options options = layout_options();
    options.stage = stage;
    ck_assert_int_eq(glshape_open(&options, &c), GLSHAPE_OK);
    double stress = layout_with(c, m, (layout_request){.seed = 3, .method = method, .attempts = 1}).stress;
    ck_assert_int_eq(glshape_close(c), 0);
    return stress;
}

/* Both stages do the same. */
START_TEST(test_stages) {
    glshape_matrix m = layout_points(600, 5, layout_normal);
    for (glshape_mds_method method = GLSHAPE_MDS_GLIMMER; method <= GLSHAPE_MDS_GPU_SF; method++) {
        double compute = stress_in(GLSHAPE_STAGE_COMPUTE, &m, method);
        double fragment = stress_in(GLSHAPE_STAGE_FRAGMENT, &m, method);
        ck_assert_msg(fabs(compute - fragment) <= 0.02 * compute, "method %d: stress %.6f, %.6f", method,
                      compute, fragment);
    }
}
END_TEST

/* ---- the stress ------------------------------------------------------------------------------------ */

/* NaN-safe: whether the reported stress is the directly computed one. */
static bool stress_agrees(double reported, double direct) {
    return fabs(reported - direct) <= 1e-4 * direct + 1e-11;
}

START_TEST(test_stress_is_that_of_the_layout) {
    static const size_t sizes[] = {2, 3, 100, 511, 513, 1500};
    for (int i = 0; i < 6; i++)
        for (glshape_metric metric = 0; metric <= GLSHAPE_METRIC_CORRELATION; metric++) {
            if (metric && sizes[i] != 100) continue;
            glshape_matrix m = layout_points(sizes[i], 5, layout_normal);
            glshape_mds_result r =
                layout_of(&m, (layout_request){.metric = metric, .seed = i, .attempts = 1});
            ref_spaces s = layout_spaces(&m, metric, &r);
            double direct = ref_stress(&s);
            ck_assert_msg(stress_agrees(r.stress, direct), "stress %.9g, directly %.9g: %s", r.stress, direct,
                          trial_place());
            ck_assert(r.stress_error == 0);
        }
}
END_TEST

/* Rows so wide that the sums of one group over them would turn a loop too often (GPU_TURNS): all values but
 * the last three are 0, and so the stress is that of three columns. */
static double last_three(size_t row, size_t col) { return col < 1198 ? 0 : layout_normal(row, col); }

START_TEST(test_stress_of_wide_points) {
    glshape_matrix wide = layout_points(1030, 1201, last_three),
                   narrow = layout_points(1030, 3, layout_normal);
    for (size_t i = 0; i < 1030 * 3; i++)
        ((double *)narrow.data)[i] = ((double *)wide.data)[i / 3 * 1201 + 1198 + i % 3];
    glshape_mds_result r = layout_of(&wide, (layout_request){.method = GLSHAPE_MDS_GPU_SF, .seed = 1});
    ref_spaces s = layout_spaces(&narrow, GLSHAPE_METRIC_EUCLIDEAN, &r);
    double direct = ref_stress(&s);
    ck_assert_msg(stress_agrees(r.stress, direct), "stress %.9g, directly %.9g", r.stress, direct);
}
END_TEST

/* The comparison notices the smallest wrong sums that matter, and NaN. */
START_TEST(test_the_tester) {
    ck_assert(stress_agrees(0.1, 0.1));
    ck_assert(!stress_agrees(0.1, 0.10002));
    ck_assert(!stress_agrees(NAN, 0.1));
    ck_assert(!stress_agrees(0.1, NAN));
    ck_assert(!stress_agrees(1e-9, 0));
    glshape_matrix m = layout_points(20, 2, layout_normal);
    glshape_mds_result r = layout_of(&m, (layout_request){0});
    ref_spaces s = layout_spaces(&m, GLSHAPE_METRIC_EUCLIDEAN, &r);
    ck_assert(layout_mismatch(&s) <= 1e-3);
    for (int c = 0; c < 2; c++) {
        float was = r.layout[c];
        r.layout[c] = r.layout[2 + c];
        r.layout[2 + c] = was;
    }
    ck_assert(!(layout_mismatch(&s) <= 1e-3));
    r.layout[5] = NAN;
    ck_assert(!(layout_mismatch(&s) <= 1e-3));
}
END_TEST

/* Above 100,000 points the stress is an estimate; its error bar holds. */
START_TEST(test_many_points) {
    glshape_matrix m = layout_points(100001, 2, layout_normal);
    glshape_mds_result r = layout_of(&m, (layout_request){.dim = 1, .method = GLSHAPE_MDS_GPU_SF, .seed = 1});
    ref_spaces s = layout_spaces(&m, GLSHAPE_METRIC_EUCLIDEAN, &r);
    double error, direct = ref_sampled_stress(&s, trial_random(), (size_t)hunt(1000000, 10000000), &error);
    ck_assert(r.stress_error > 0 && r.stress_error < 0.01 * r.stress);
    ck_assert_msg(fabs(r.stress - direct) <= 4 * hypot(error, r.stress_error),
                  "stress %.6f ± %.6f, from random pairs %.6f ± %.6f", r.stress, r.stress_error, direct,
                  error);
}
END_TEST

/* ---- order, unit, centre --------------------------------------------------------------------------- */

/* Points of the plane in a far place and an odd unit. */
static double far_away(size_t row, size_t col) {
    return 4e6 * (col ? -1 : 2) + 700 * layout_normal(row, col);
}

START_TEST(test_recovers_the_plane) {
    static const size_t sizes[] = {4, 50, 300, 1100};
    for (int i = 0; i < 4; i++) {
        glshape_matrix m = layout_points(sizes[i], 2, far_away);
        glshape_mds_result r = layout_of(&m, (layout_request){.seed = 11});
        ref_spaces s = layout_spaces(&m, GLSHAPE_METRIC_EUCLIDEAN, &r);
        double mismatch = layout_mismatch(&s), centre = layout_centre(&r);
        ck_assert_msg(mismatch <= 1e-3, "distances differ by %.3g of the largest: %s", mismatch,
                      trial_place());
        ck_assert_msg(centre <= 1e-5 * layout_extent(&r), "the centre lies at %g: %s", centre, trial_place());
    }
}
END_TEST

/* 3-D data: from dimension 3 on there is room for it, and each dimension less costs stress. */
START_TEST(test_dimensions) {
    glshape_matrix m = layout_points(200, 3, layout_normal);
    double before = 1;
    static const int dims[] = {1, 2, 3, 5, 9};
    for (int i = 0; i < 5; i++) {
        int dim = dims[i];
        glshape_mds_result r = layout_of(&m, (layout_request){.dim = dim, .seed = 2});
        ck_assert_msg(r.stress <= before || r.stress <= 1e-5, "stress %g after %g: %s", r.stress, before,
                      trial_place());
        ck_assert_msg(dim < 3 || r.stress <= 1e-5, "stress %g: %s", r.stress, trial_place());
        TRIAL_CHECK(layout_centre(&r) <= 1e-5 * layout_extent(&r));
        before = r.stress;
    }
}
END_TEST

/* ---- small and degenerate input -------------------------------------------------------------------- */

static double count_up(size_t row, size_t col) { return (double)(row * row + row) * (double)(col + 1); }
static double same_row(size_t row, size_t col) { return (void)row, 3.5 * (double)col - 0.1; }

/* Two points, a triangle, and points on a line fit without stress in any dimension. */
START_TEST(test_few_points) {
    for (int dim = 1; dim <= 5; dim += 2)
        for (size_t n = 2; n <= 5; n += dim == 1 ? 1 : 3) {
            glshape_matrix line = layout_points(n, 3, count_up);
            glshape_mds_result r = layout_of(&line, (layout_request){.dim = dim, .seed = n});
            ref_spaces s = layout_spaces(&line, GLSHAPE_METRIC_EUCLIDEAN, &r);
            ck_assert_msg(layout_mismatch(&s) <= 1e-3, "distances differ by %g: %s", layout_mismatch(&s),
                          trial_place());
        }
    glshape_matrix triangle = layout_points(3, 7, layout_normal);
    glshape_mds_result r = layout_of(&triangle, (layout_request){.seed = 1});
    ref_spaces s = layout_spaces(&triangle, GLSHAPE_METRIC_EUCLIDEAN, &r);
    ck_assert(layout_mismatch(&s) <= 1e-3);
}
END_TEST

START_TEST(test_equal_points) {
    static const size_t sizes[] = {2, 9, 600, 1200};
    for (int i = 0; i < 4; i++)
        for (glshape_metric metric = 0; metric <= GLSHAPE_METRIC_CORRELATION; metric++) {
            if (metric && sizes[i] != 9) continue;
            glshape_matrix m = layout_points(sizes[i], 3, same_row);
            glshape_mds_result r = layout_of(&m, (layout_request){.metric = metric});
            TRIAL_CHECK(r.stress == 0);
            TRIAL_CHECK(layout_extent(&r) <= 1e-6 || metric >= GLSHAPE_METRIC_COSINE);
        }
}
END_TEST

/* Points that occur three times come to lie together. */
START_TEST(test_duplicates) {
    glshape_matrix m = layout_points(150, 2, layout_normal);
    double *x = m.data;
    for (size_t i = 50; i < 150; i++) memcpy(x + 2 * i, x + 2 * (i % 50), 2 * sizeof *x);
    glshape_mds_result r = layout_of(&m, (layout_request){.seed = 4});
    ref_spaces s = layout_spaces(&m, GLSHAPE_METRIC_EUCLIDEAN, &r);
    ck_assert_msg(layout_mismatch(&s) <= 1e-3, "distances differ by %g", layout_mismatch(&s));
}
END_TEST

/* ---- the report ------------------------------------------------------------------------------------ */

/* Levels are n, n/8, …, the last below 1000, coarsest first; gpu-sf has one. */
START_TEST(test_levels) {
    static const struct {
        size_t n;
        int count;
        size_t points[3];
    } cases[] = {
        {999, 1, {999}}, {1000, 2, {125, 1000}}, {7999, 2, {999, 7999}}, {8000, 3, {125, 1000, 8000}}};
    for (int i = 0; i < 4; i++) {
        glshape_matrix m = layout_points(cases[i].n, 2, layout_normal);
        glshape_mds_result r = layout_of(&m, (layout_request){.seed = 1, .attempts = 1});
        ck_assert_int_eq(r.level_count, cases[i].count);
        for (int l = 0; l < r.level_count; l++) {
            ck_assert_uint_eq(r.levels[l].points, cases[i].points[l]);
            ck_assert_int_gt(r.levels[l].relaxation, 50);
            ck_assert_int_eq(r.levels[l].interpolation > 50, l > 0);
        }
        ck_assert(r.closing > 0 && r.closing < r.iterations);
        if (hunt(cases[i].n > 1000, 0)) continue;
        r = layout_of(&m, (layout_request){.method = GLSHAPE_MDS_GPU_SF});
        ck_assert_int_eq(r.level_count, 1);
        ck_assert_uint_eq(r.levels[0].points, cases[i].n);
        ck_assert_int_eq(r.levels[0].relaxation, r.iterations);
        ck_assert_int_eq(r.closing, 0);
    }
}
END_TEST

/* The factor and the size of the coarsest level are the caller's. Their defaults change no bit. */
START_TEST(test_levels_that_are_asked_for) {
    static const struct {
        int decimation, coarsest, count;
        size_t points[GLSHAPE_MDS_LEVELS];
    } cases[] = {{2, 500, 3, {375, 750, 1500}},
                 {4, 0, 2, {375, 1500}},
                 {0, 64, 3, {23, 187, 1500}},
                 {32, 64, 2, {46, 1500}},
                 {2, 1501, 1, {1500}}};
    glshape_matrix m = layout_points(1500, 3, layout_normal);
    for (int i = 0; i < 5; i++) {
        glshape_mds_result r = layout_of(
            &m, (layout_request){
                    .attempts = 1, .decimation = cases[i].decimation, .coarsest = cases[i].coarsest});
        ck_assert_int_eq(r.level_count, cases[i].count);
        for (int l = 0; l < r.level_count; l++) ck_assert_uint_eq(r.levels[l].points, cases[i].points[l]);
        ck_assert(r.stress < 0.2);
    }
    glshape_mds_result r = layout_of(&m, (layout_request){.attempts = 1}),
                       same =
                           layout_of(&m, (layout_request){.attempts = 1, .decimation = 8, .coarsest = 1000});
    ck_assert(!memcmp(r.layout, same.layout, 2 * r.n * sizeof *r.layout));
}
END_TEST

Suite *mds_layout_suite(void);
Suite *mds_layout_suite(void) {
    Suite *s = suite_create("mds/layout");
    TCase *c = layout_case(s, "layouts");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_seeds);
    tcase_add_test(c, test_attempts);
    tcase_add_test(c, test_stages);
    tcase_add_test(c, test_stress_is_that_of_the_layout);
    tcase_add_test(c, test_stress_of_wide_points);
    if (hunt(0, 1)) tcase_add_test(c, test_many_points);
    tcase_add_test(c, test_recovers_the_plane);
    tcase_add_test(c, test_dimensions);
    tcase_add_test(c, test_few_points);
    tcase_add_test(c, test_equal_points);
    tcase_add_test(c, test_duplicates);
    tcase_add_test(c, test_levels);
    tcase_add_test(c, test_levels_that_are_asked_for);
    mds_classical_cases(s);
    mds_few_cases(s);
    mds_ordinal_cases(s);
    mds_quality_cases(s);
    mds_refusal_cases(s);
    mds_transform_cases(s);
    return s;
}
