/* mds/move (stages 5 to 7) and mds/closing (the closing step), against their twins. */
#include <math.h>
#include <string.h>

#include "mds/cases.h"
#include "mds/passes.h"
#include "mds/trial.h"

/* n × dim positions and velocities; of the closing step, positions alone. */
typedef struct motion {
    float *place, *velocity;
} motion;

static double largest(const double *x, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++) most = trial_worse(most, fabs(x[i]));
    return most;
}

/* The largest difference, relative to scale. */
static double error_of(const float *got, const double *want, size_t count, double scale) {
    double error = 0;
    for (size_t i = 0; i < count; i++) error = trial_worse(error, trial_relative(got[i], want[i], scale));
    return error;
}

/* ---- move ------------------------------------------------------------------------------------------ */

static float inertia; /* of the run: 0 forgets the velocities */

/* The halves of the sets as textures: which 0: Near, 4: Random. */
static gpu_texture *set_indices(const trial *t, int which) {
    uint32_t *out = trial_memory(4 * (size_t)t->shape.n, sizeof *out);
    for (size_t e = 0; e < t->shape.n; e++) memcpy(out + 4 * e, t->sets[e].index + which, 16);
    return trial_texture(GPU_RGBA32UI, t->shape.n, 1, out);
}

static gpu_texture *set_strains(const trial *t, int which) {
    float *out = trial_memory(4 * (size_t)t->shape.n, sizeof *out);
    for (size_t i = 0; i < 4 * (size_t)t->shape.n; i++) out[i] = (float)t->sets[i / 4].strain[which + i % 4];
    return trial_texture(GPU_RGBA32F, t->shape.n, 1, out);
}

static gpu_texture *near_distances(const trial *t) {
    float *out = trial_memory(4 * (size_t)t->shape.n, sizeof *out);
    for (size_t e = 0; e < t->shape.n; e++) memcpy(out + 4 * e, t->sets[e].high, 16);
    return trial_texture(GPU_RGBA32F, t->shape.n, 1, out);
}

static motion run_move(const trial *t) {
    uint32_t n = t->shape.n, dim = t->shape.dim;
    gpu_texture *place = trial_rows(n, dim, NULL), *velocity = trial_rows(n, dim, NULL);
    TRIAL_OK(gpu_run(test_gpu(), mds_move, TRIAL_LAYOUT(&t->shape), .place_in = trial_rows(n, dim, t->place),
                     .velocity_in = trial_rows(n, dim, t->velocity), .near = set_indices(t, 0),
                     .near_high = near_distances(t), .random = set_indices(t, 4),
                     .near_strain = set_strains(t, 0), .random_strain = set_strains(t, 4), .place = place,
                     .velocity = velocity, .fixed_count = t->fixed, .inertia = inertia, .elements = n));
    return (motion){trial_fetch_rows(place, dim), trial_fetch_rows(velocity, dim)};
}

/* Fixed points stay, bit by bit, and come to rest. */
static double move_error(const trial *t, const motion *got) {
    size_t dim = t->shape.dim, count = t->shape.n * dim, fixed = t->fixed * dim;
    double *place = trial_memory(count, sizeof *place), *velocity = trial_memory(count, sizeof *velocity);
    ref_spaces s = trial_spaces(t);
    for (uint32_t e = t->fixed; e < t->shape.n; e++)
        ref_move(&s, t->velocity, inertia, e, &t->sets[e], place + e * dim, velocity + e * dim);
    double error = trial_worse(
        error_of(got->place + fixed, place + fixed, count - fixed, largest(place, count)),
        error_of(got->velocity + fixed, velocity + fixed, count - fixed, largest(velocity, count)));
    for (size_t i = 0; i < fixed; i++)
        if (got->place[i] != t->place[i] || got->velocity[i] != 0) error = INFINITY;
    return error;
}

static void check_one_move(const trial *t) {
    for (inertia = 0; inertia <= 1; inertia++) {
        motion got = run_move(t);
        trial_judge(TRIAL_MOVE, move_error(t, &got));
    }
}

/* Both sets of every point, as they are after two iterations. */
static trial with_sets(trial_shape shape) {
    trial t = trial_new(shape);
    t.fresh = 0;
    t.sets = mds_cases_sets(&t);
    t.fresh = shape.n;
    trial_shuffle(&t, shape.n);
    t.sets = mds_cases_sets(&t);
    return t;
}

static void check_move(trial_shape shape) {
    trial t = with_sets(shape);
    trial_each_stage(&t, check_one_move);
    t.fixed = shape.n / 3 ? shape.n / 3 : 1;
    trial_each_stage(&t, check_one_move);
    trial_clear();
}

START_TEST(test_move) { mds_cases_each_shape(check_move); }
END_TEST

/* ---- closing ---------------------------------------------------------------------------------------- */

static float step; /* of the run */

static float *run_closing(const trial *t) {
    uint32_t n = t->shape.n, dim = t->shape.dim;
    gpu_texture *place = trial_rows(n, dim, NULL);
    TRIAL_OK(gpu_run(test_gpu(), mds_closing, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape),
                     .perm = trial_texture(GPU_R32UI, n, 1, t->perm),
                     .given = trial_rows(n, t->shape.width, t->points),
                     .place_in = trial_rows(n, dim, t->place), .place = place, .m = t->m, .offset = t->offset,
                     .step = step, .elements = n));
    return trial_fetch_rows(place, dim);
}

/* The same, for points whose partners are near each other in the permutation. */
static float *run_closing_near(const trial *t) {
    uint32_t n = t->shape.n, dim = t->shape.dim, *inverse = trial_memory(n, sizeof *inverse);
    gpu_texture *place = trial_rows(n, dim, NULL);
    for (uint32_t i = 0; i < n; i++) inverse[t->perm[i]] = i;
    TRIAL_OK(gpu_run(
        test_gpu(), mds_closing_near, .METRIC = trial_metric(t->shape.metric),
        .TEXELS = (int)(t->shape.width + 3) / 4, TRIAL_LAYOUT(&t->shape),
        .perm = trial_texture(GPU_R32UI, n, 1, t->perm), .inverse = trial_texture(GPU_R32UI, n, 1, inverse),
        .given = trial_rows(n, t->shape.width, t->points), .place_in = trial_rows(n, dim, t->place),
        .place = place, .m = n, .offset = t->offset, .step = step, .groups = (n - 1) / 128 + 1));
    return trial_fetch_rows(place, dim);
}

/* The longest distance from each point to its first partner: what forces are made of, beside positions. */
static double longest_high(const trial *t) {
    ref_spaces s = trial_spaces(t);
    ref_draw d = trial_draw(t);
    double most = 0;
    for (uint32_t e = 0; e < t->shape.n; e++) most = fmax(most, ref_high(&s, e, ref_partner(&d, e, 0)));
    return most;
}

static double closing_error(const trial *t, const float *got) {
    size_t dim = t->shape.dim, count = t->shape.n * dim;
    double *place = trial_memory(count, sizeof *place);
    ref_spaces s = trial_spaces(t);
    ref_draw d = trial_draw(t);
    for (uint32_t e = 0; e < t->shape.n; e++) ref_closing_step(&s, &d, e, step, place + e * dim);
    return error_of(got, place, count, fmax(largest(place, count), longest_high(t)));
}

static void check_one_closing(const trial *t) {
    static const float steps[] = {1, 0.1f};
    for (int i = 0; i < 2; i++) {
        step = steps[i];
        trial_judge(TRIAL_CLOSING, closing_error(t, run_closing(t)));
    }
}

static void check_closing(trial_shape shape) {
    trial t = trial_new(shape);
    trial_each_stage(&t, check_one_closing);
    t.offset = t.m - 1;
    trial_each_stage(&t, check_one_closing);
    if (shape.width < 20000 && hunt(shape.n % 2 || shape.n < 600, 1))
        trial_judge(TRIAL_CLOSING, closing_error(&t, run_closing_near(&t)));
    trial_clear();
}

/* The last shape: wider than a row of a texture of 16384 texels. */
START_TEST(test_closing) {
    mds_cases_each_shape(check_closing);
    check_closing((trial_shape){.n = 5, .width = 65541, .dim = 2});
}
END_TEST

/* ---- settling ---------------------------------------------------------------------------------------- */

/* From places that are the trial's velocities. */
static void check_one_settling(const trial *t) {
    uint32_t n = t->shape.n, dim = t->shape.dim;
    gpu_texture *place = trial_rows(n, dim, NULL);
    TRIAL_OK(gpu_run(test_gpu(), mds_settle, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape),
                     .given = trial_rows(n, t->shape.width, t->points),
                     .place_in = trial_rows(n, dim, t->place), .before = trial_rows(n, dim, t->velocity),
                     .place = place, .n = n, .step = 2.5f, .momentum = 0.5f, .elements = n));
    double *want = trial_memory((size_t)n * dim, sizeof *want);
    ref_spaces s = trial_spaces(t);
    for (uint32_t e = 0; e < n; e++) ref_settling_step(&s, t->velocity, e, 2.5, 0.5, want + (size_t)e * dim);
    double scale = fmax(largest(want, (size_t)n * dim), longest_high(t));
    trial_judge(TRIAL_SETTLING, error_of(trial_fetch_rows(place, dim), want, (size_t)n * dim, scale));
}

static void check_settling(trial_shape shape) {
    if ((double)shape.n * shape.n * shape.width > hunt(3e6, 3e7)) return;
    trial t = trial_new(shape);
    trial_each_stage(&t, check_one_settling);
    trial_clear();
}

START_TEST(test_settling) { mds_cases_each_shape(check_settling); }
END_TEST

/* ---- the comparisons themselves -------------------------------------------------------------------- */

START_TEST(test_the_tester) {
    trial t = with_sets((trial_shape){.n = 100, .width = 5, .dim = 5});
    t.fixed = 7;
    inertia = step = 1;
    motion got = run_move(&t);
    float *closed = run_closing(&t);
    TRIAL_CHECK(trial_passes(TRIAL_MOVE, move_error(&t, &got)));
    TRIAL_CHECK(trial_passes(TRIAL_CLOSING, closing_error(&t, closed)));
    float *const values[] = {got.place + 300, got.velocity + 301, got.place + 3, got.velocity + 4,
                             closed + 77};
    for (int i = 0; i < 5; i++) {
        static const float faults[] = {1e-4f, NAN, INFINITY};
        for (int k = 0; k < 3; k++) {
            float was = *values[i];
            *values[i] += faults[k];
            if (i < 4) TRIAL_CHECK(!trial_passes(TRIAL_MOVE, move_error(&t, &got)));
            else TRIAL_CHECK(!trial_passes(TRIAL_CLOSING, closing_error(&t, closed)));
            *values[i] = was;
        }
    }
}
END_TEST

/* Without damping the result would differ by far more than the tolerance: the twin sees each constant. */
START_TEST(test_inertia_matters) {
    trial t = with_sets((trial_shape){.n = 100, .width = 3, .dim = 2});
    inertia = 0;
    motion got = run_move(&t);
    inertia = 1;
    TRIAL_CHECK(!trial_passes(TRIAL_MOVE, move_error(&t, &got)));
}
END_TEST

void mds_move_cases(Suite *s) {
    TCase *c = trial_case(s, "move and closing");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_inertia_matters);
    tcase_add_test(c, test_move);
    tcase_add_test(c, test_closing);
    tcase_add_test(c, test_settling);
}
