/* mds/estimate and mds/stress against their twins. */
#include <math.h>

#include "mds/cases.h"
#include "mds/passes.h"
#include "mds/trial.h"

/* Of pairs of sums {Σ(d-δ)², Σδ²}: to Σ(δ² + d²), of which 3 (Σ(d-δ)² + Σδ²) is a bound. */
static double sums_error(const float got[2], const double want[2]) {
    double scale = 3 * (want[0] + want[1]);
    return trial_worse(trial_relative(got[0], want[0], scale), trial_relative(got[1], want[1], scale));
}

/* ---- estimate -------------------------------------------------------------------------------------- */

static float *run_estimate(const trial *t) {
    uint32_t n = t->shape.n;
    gpu_texture *terms = trial_texture(GPU_RG32F, n, 1, NULL);
    TRIAL_OK(gpu_run(test_gpu(), mds_estimate, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape),
                     .perm = trial_texture(GPU_R32UI, n, 1, t->perm),
                     .given = trial_rows(n, t->shape.width, t->points),
                     .place_in = trial_rows(n, t->shape.dim, t->place), .terms = terms, .m = t->m,
                     .offset = t->offset, .elements = n));
    return trial_fetch(terms);
}

static double estimate_error(const trial *t, const float *got) {
    ref_spaces s = trial_spaces(t);
    ref_draw d = trial_draw(t);
    double error = 0;
    for (uint32_t e = 0; e < t->shape.n; e++) {
        double want[2] = {0, 0};
        ref_estimate(&s, &d, e, want);
        error = trial_worse(error, sums_error(got + 2 * e, want));
    }
    return error;
}

static void check_one_estimate(const trial *t) {
    trial_judge(TRIAL_ESTIMATE, estimate_error(t, run_estimate(t)));
}

static void check_estimate(trial_shape shape) {
    trial t = trial_new(shape);
    trial_each_stage(&t, check_one_estimate);
    trial_clear();
}

START_TEST(test_estimate) { mds_cases_each_shape(check_estimate); }
END_TEST

/* ---- stress ---------------------------------------------------------------------------------------- */

#define COLUMNS 512u /* of a group */
#define SPAN 252u    /* rows of a group: few enough for wide points (GPU_TURNS) */

static uint32_t groups(uint32_t n, uint32_t size) { return (n + size - 1) / size; }

/* One pair of sums a group: group / chunks tells the columns, group % chunks the rows. */
static float *run_stress(const trial *t) {
    uint32_t n = t->shape.n, chunks = groups(n, SPAN), count = groups(n, COLUMNS) * chunks;
    gpu_texture *partial = trial_texture(GPU_RG32F, count, 1, NULL);
    TRIAL_OK(gpu_run(test_gpu(), mds_stress, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape),
                     .given = trial_rows(n, t->shape.width, t->points),
                     .place_in = trial_rows(n, t->shape.dim, t->place), .partial = partial, .n = n,
                     .chunks = chunks, .span = SPAN, .groups = count));
    return trial_fetch(partial);
}

static double stress_error(const trial *t, const float *got) {
    ref_spaces s = trial_spaces(t);
    uint32_t chunks = groups(t->shape.n, SPAN);
    double error = 0;
    for (uint32_t g = 0; g < groups(t->shape.n, COLUMNS) * chunks; g++) {
        double want[2] = {0, 0};
        uint32_t i = SPAN * (g % chunks), j = COLUMNS * (g / chunks);
        ref_stress_terms(&s, i, i + SPAN, j, j + COLUMNS, want);
        error = trial_worse(error, sums_error(got + 2 * g, want));
    }
    return error;
}

static void check_one_stress(const trial *t) { trial_judge(TRIAL_STRESS, stress_error(t, run_stress(t))); }

/* By tiles: the sums of each are added up. */
static void check_tiles(const trial *t) {
    ref_spaces s = trial_spaces(t);
    uint32_t n = t->shape.n, blocks = groups(n, 128), count = blocks * (blocks / 2 + 1);
    gpu_texture *partial = trial_texture(GPU_RG32F, count, 1, NULL);
    double want[2] = {0, 0}, got[2] = {0, 0};
    TRIAL_OK(gpu_run(test_gpu(), mds_stress_tile, .METRIC = trial_metric(t->shape.metric),
                     .TEXELS = (int)(t->shape.width + 3) / 4, TRIAL_LAYOUT(&t->shape),
                     .given = trial_rows(n, t->shape.width, t->points),
                     .place_in = trial_rows(n, t->shape.dim, t->place), .partial = partial, .n = n,
                     .blocks = blocks, .groups = count));
    const float *sums = trial_fetch(partial);
    for (uint32_t g = 0; g < count; g++) got[0] += sums[2 * g], got[1] += sums[2 * g + 1];
    ref_stress_terms(&s, 0, n, 0, n, want);
    trial_judge(TRIAL_STRESS, sums_error((float[]){(float)got[0], (float)got[1]}, want));
}

/* The number of points stays below what the twin does in a moment. */
static void check_stress(trial_shape shape) {
    if (shape.n > 2000) shape.n = 1537;
    trial t = trial_new(shape);
    trial_where_is(&t);
    check_one_stress(&t);
    if (hunt(shape.n % 2 || shape.n < 600, 1)) check_tiles(&t);
    trial_clear();
}

START_TEST(test_stress) { mds_cases_each_shape(check_stress); }
END_TEST

/* Sizes around every edge of a group. */
START_TEST(test_stress_edges) {
    static const uint32_t sizes[] = {127, 128, 511, 512, 513, 1023, 1024, 1025, 1536, 2049};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_stress((trial_shape){.n = sizes[i], .width = 3, .dim = 2, .metric = GLSHAPE_METRIC_MANHATTAN});
}
END_TEST

/* A layout equal to its points has no stress. */
START_TEST(test_no_stress) {
    trial t = trial_new((trial_shape){.n = 700, .width = 3, .dim = 3});
    for (size_t i = 0; i < 700 * 3; i++) t.place[i] = t.points[i];
    const float *got = run_stress(&t);
    for (int g = 0; g < 2; g++) TRIAL_CHECK(got[2 * g] <= 1e-12 * got[2 * g + 1]);
}
END_TEST

/* ---- wide rows --------------------------------------------------------------------------------------- */

/* Rows of `width` values, all 0 but the last three, have the distances of those three: a loop over columns
 * that ends early (llvmpipe ends every loop after 65,535 iterations in all of an invocation) shows. */
static trial widened(const trial *narrow, uint32_t width) {
    trial wide = *narrow;
    wide.shape.width = width;
    wide.points = trial_memory((size_t)narrow->shape.n * width, sizeof *wide.points);
    for (size_t i = 0; i < narrow->shape.n; i++)
        for (size_t c = 0; c < 3; c++) wide.points[i * width + width - 3 + c] = narrow->points[3 * i + c];
    return wide;
}

START_TEST(test_stress_of_wide_rows) {
    trial t = trial_new((trial_shape){.n = 1030, .width = 3, .dim = 2}), wide = widened(&t, 1201);
    trial_where_is(&wide);
    trial_judge(TRIAL_STRESS, stress_error(&t, run_stress(&wide)));
}
END_TEST

/* Wider, too, than a row of a texture of 16384 texels. */
START_TEST(test_estimate_of_wide_rows) {
    trial t = trial_new((trial_shape){.n = 5, .width = 3, .dim = 2}), wide = widened(&t, 65541);
    trial_where_is(&wide);
    trial_judge(TRIAL_ESTIMATE, estimate_error(&t, run_estimate(&wide)));
}
END_TEST

/* The comparisons themselves. */
START_TEST(test_the_tester) {
    trial t = trial_new((trial_shape){.n = 600, .width = 5, .dim = 2});
    float *estimate = run_estimate(&t), *stress = run_stress(&t);
    TRIAL_CHECK(trial_passes(TRIAL_ESTIMATE, estimate_error(&t, estimate)));
    TRIAL_CHECK(trial_passes(TRIAL_STRESS, stress_error(&t, stress)));
    static const float faults[] = {1.001f, 0.999f, NAN, 0};
    for (int i = 0; i < 4; i++) {
        float was = estimate[444];
        estimate[444] *= faults[i];
        TRIAL_CHECK(!trial_passes(TRIAL_ESTIMATE, estimate_error(&t, estimate)));
        estimate[444] = was;
        was = stress[3];
        stress[3] *= faults[i];
        TRIAL_CHECK(!trial_passes(TRIAL_STRESS, stress_error(&t, stress)));
        stress[3] = was;
    }
}
END_TEST

void mds_stress_cases(Suite *s) {
    TCase *c = trial_case(s, "stress");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_estimate);
    tcase_add_test(c, test_stress);
    tcase_add_test(c, test_stress_edges);
    tcase_add_test(c, test_no_stress);
    tcase_add_test(c, test_stress_of_wide_rows);
    tcase_add_test(c, test_estimate_of_wide_rows);
}
