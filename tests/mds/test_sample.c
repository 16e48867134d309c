/* mds/sample: stages 1 to 4 and the terms of stage 8, against the twin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mds/cases.h"
#include "mds/passes.h"
#include "mds/trial.h"

/* What the pass writes: 4 values a point, terms 2. */
typedef struct sample_output {
    uint32_t *near, *random;
    float *near_high, *near_strain, *random_strain, *terms;
} sample_output;

static sample_output run_sample(const trial *t) {
    uint32_t n = t->shape.n, *near = trial_memory(4 * (size_t)n, sizeof *near);
    float *high = trial_memory(4 * (size_t)n, sizeof *high);
    for (size_t i = 0; i < 4 * (size_t)n; i++) {
        near[i] = t->sets[i / 4].index[i % 4];
        high[i] = t->sets[i / 4].high[i % 4];
    }
    gpu_texture *out[6];
    for (int i = 0; i < 6; i++) {
        static const gpu_format formats[] = {GPU_RGBA32UI, GPU_RGBA32F, GPU_RGBA32UI,
                                             GPU_RGBA32F,  GPU_RGBA32F, GPU_RG32F};
        out[i] = trial_texture(formats[i], n, 1, NULL);
    }
    TRIAL_OK(gpu_run(
        test_gpu(), mds_sample, TRIAL_POINTS(&t->shape), TRIAL_LAYOUT(&t->shape),
        .perm = trial_texture(GPU_R32UI, n, 1, t->perm), .given = trial_rows(n, t->shape.width, t->points),
        .place_in = trial_rows(n, t->shape.dim, t->place), .near_in = trial_texture(GPU_RGBA32UI, n, 1, near),
        .near_high_in = trial_texture(GPU_RGBA32F, n, 1, high), .near = out[0], .near_high = out[1],
        .random = out[2], .near_strain = out[3], .random_strain = out[4], .terms = out[5], .m = t->m,
        .offset = t->offset, .fixed_count = t->fixed, .fresh_from = t->fresh, .elements = n));
    return (sample_output){.near = trial_fetch(out[0]),
                           .near_high = trial_fetch(out[1]),
                           .random = trial_fetch(out[2]),
                           .near_strain = trial_fetch(out[3]),
                           .random_strain = trial_fetch(out[4]),
                           .terms = trial_fetch(out[5])};
}

/* ---- comparison ------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool same_set(const uint32_t *a, const uint32_t *b, size_t count) {
    uint32_t x[8], y[8];
    memcpy(x, a, count * sizeof *a);
    memcpy(y, b, count * sizeof *b);
    qsort(x, count, sizeof *x, by_value);
    qsort(y, count, sizeof *y, by_value);
    return !memcmp(x, y, count * sizeof *x);
}

/* Whether the members are the twin's: Near in order and Random as a set, or, where rounding may have swapped
 * near-ties, both together as a set. */
static bool same_members(const uint32_t got[8], const uint32_t want[8], bool exact) {
    if (!exact) return same_set(got, want, 8);
    return !memcmp(got, want, 4 * sizeof *got) && same_set(got + 4, want + 4, 4);
}

/* Of one entry: that its strain belongs to its own index. */
static double strain_error(const ref_spaces *s, uint32_t e, uint32_t index, bool member, double strain) {
    if (!member) return strain == 0 ? 0 : INFINITY;
    double high = ref_high(s, e, index), low = ref_low(s, e, index);
    return trial_relative(strain, high - low, high + low);
}

/* Of a Near entry: that its distance is its own, and the one at its place in the twin's order, which
 * near-ties do not change. */
static double distance_error(const ref_spaces *s, uint32_t e, uint32_t index, double high, double want) {
    if (want >= REF_NONE) return high == REF_NONE ? 0 : INFINITY;
    double own = ref_high(s, e, index), scale = own + ref_low(s, e, index);
    return trial_worse(trial_relative(high, want, scale), trial_relative(high, own, scale));
}

static double point_error(const trial *t, uint32_t e, const sample_output *got, const ref_sets *want) {
    ref_spaces s = trial_spaces(t);
    uint32_t index[8];
    for (int k = 0; k < 4; k++) index[k] = got->near[4 * e + k], index[4 + k] = got->random[4 * e + k];
    /* sqrt may be off by some ulp on hardware, and then ties with distances that came from the CPU fall
     * either way */
    bool exact = t->shape.pattern != TRIAL_REAL && gpu_is_software(test_gpu());
    if (!same_members(index, want->index, exact)) return INFINITY;
    double error = 0;
    for (int k = 0; k < 4; k++) {
        bool member = want->high[k] < REF_NONE, other = index[4 + k] != e;
        double random = strain_error(&s, e, index[4 + k], other, got->random_strain[4 * e + k]);
        error = trial_worse(error, random);
        error = trial_worse(error, strain_error(&s, e, index[k], member, got->near_strain[4 * e + k]));
        error = trial_worse(error, distance_error(&s, e, index[k], got->near_high[4 * e + k], want->high[k]));
    }
    return error;
}

/* A fixed point keeps its Near set, has no Random set and takes no part. */
static double fixed_error(const trial *t, uint32_t e, const sample_output *got) {
    bool same = !memcmp(got->near + 4 * e, t->sets[e].index, 16) &&
                !memcmp(got->near_high + 4 * e, t->sets[e].high, 16);
    for (int k = 0; k < 4; k++)
        same = same && got->random[4 * e + k] == e && got->near_strain[4 * e + k] == 0 &&
               got->random_strain[4 * e + k] == 0;
    return same && got->terms[2 * e] == 0 && got->terms[2 * e + 1] == 0 ? 0 : INFINITY;
}

/* Σ(d-δ)² and Σδ² to Σ(δ² + d²). */
static double terms_error(const trial *t, uint32_t e, const float got[2], const ref_sets *want) {
    ref_spaces s = trial_spaces(t);
    double sums[2] = {0, 0}, scale = 0;
    ref_sparse_terms(&s, e, want, sums);
    for (int k = 0; k < 8; k++)
        if (want->high[k] < REF_NONE)
            scale += pow(ref_high(&s, e, want->index[k]), 2) + pow(ref_low(&s, e, want->index[k]), 2);
    return trial_worse(trial_relative(got[0], sums[0], scale), trial_relative(got[1], sums[1], scale));
}

static double sample_error(const trial *t, const sample_output *got, const ref_sets *want) {
    double error = 0;
    for (uint32_t e = 0; e < t->shape.n; e++)
        error = trial_worse(error, e < t->fixed ? fixed_error(t, e, got) : point_error(t, e, got, &want[e]));
    return error;
}

static double all_terms_error(const trial *t, const sample_output *got, const ref_sets *want) {
    double error = 0;
    for (uint32_t e = t->fixed; e < t->shape.n; e++)
        error = trial_worse(error, terms_error(t, e, got->terms + 2 * e, &want[e]));
    return error;
}

ref_sets *mds_cases_sets(const trial *t) {
    ref_spaces s = trial_spaces(t);
    ref_draw d = trial_draw(t);
    ref_sets *sets = trial_memory(t->shape.n, sizeof *sets);
    memcpy(sets, t->sets, t->shape.n * sizeof *sets);
    for (uint32_t e = t->fixed; e < t->shape.n; e++) ref_sample(&s, &d, e, e >= t->fresh, &sets[e]);
    return sets;
}

/* A distance over many columns is a sum of many roundings; their random errors grow with the square root. */
static void check_one_sample(const trial *t) {
    sample_output got = run_sample(t);
    const ref_sets *want = mds_cases_sets(t);
    double growth = t->shape.width > 1000 ? sqrt(t->shape.width / 1000.0) : 1;
    trial_judge(TRIAL_SETS, sample_error(t, &got, want) / growth);
    trial_judge(TRIAL_TERMS, all_terms_error(t, &got, want) / growth);
}

/* ---- cases ----------------------------------------------------------------------------------------- */

/* A first iteration, one in which half the points are fresh, and an interpolation's first and later ones. */
static void check_sample(trial_shape shape) {
    trial t = trial_new(shape);
    uint32_t n = shape.n, fixed = n / 3 ? n / 3 : 1;
    t.fresh = 0;
    trial_each_stage(&t, check_one_sample);
    t.sets = mds_cases_sets(&t);
    trial_shuffle(&t, n);
    t.fresh = n / 2;
    trial_each_stage(&t, check_one_sample);
    t.fixed = t.fresh = fixed;
    trial_shuffle(&t, fixed);
    trial_each_stage(&t, check_one_sample);
    t.sets = mds_cases_sets(&t);
    trial_shuffle(&t, fixed);
    t.fresh = n;
    trial_each_stage(&t, check_one_sample);
    trial_clear();
}

/* The last shape: wider than a row of a texture of 16384 texels. */
START_TEST(test_sample) {
    mds_cases_each_shape(check_sample);
    check_sample((trial_shape){.n = 5, .width = 65541, .dim = 2});
}
END_TEST

/* Every point comes to know its nearest neighbours: in m/4 iterations all others are drawn. */
START_TEST(test_near_sets_converge) {
    trial t = trial_new((trial_shape){.n = 30, .width = 3, .dim = 2, .pattern = TRIAL_WHOLE});
    ref_spaces s = trial_spaces(&t);
    t.offset = t.fresh = 0;
    for (uint32_t i = 0; i < 8; i++, t.offset = 4 * i, t.fresh = 30) {
        sample_output got = run_sample(&t);
        for (uint32_t e = 0; e < 30; e++)
            for (int k = 0; k < 4; k++) {
                t.sets[e].index[k] = got.near[4 * e + k];
                t.sets[e].high[k] = got.near_high[4 * e + k];
            }
    }
    for (uint32_t e = 0; e < 30; e++) {
        uint32_t nearer = 0;
        for (uint32_t j = 0; j < 30; j++) nearer += j != e && (float)ref_high(&s, e, j) < t.sets[e].high[3];
        ck_assert_msg(nearer <= 3, "point %u knows 4 neighbours, but %u are nearer: %s", e, nearer,
                      trial_place());
    }
}
END_TEST

/* The comparison itself: a swapped member, a wrong strain, a wrong term, NaN and junk must be noticed. */
START_TEST(test_the_tester) {
    trial t = trial_new((trial_shape){.n = 40, .width = 5, .dim = 2});
    t.fresh = t.fixed = 3;
    trial_shuffle(&t, 40);
    sample_output got = run_sample(&t);
    const ref_sets *want = mds_cases_sets(&t);
    TRIAL_CHECK(trial_passes(TRIAL_SETS, sample_error(&t, &got, want)));
    TRIAL_CHECK(trial_passes(TRIAL_TERMS, all_terms_error(&t, &got, want)));
    float *const values[] = {got.near_high + 90, got.near_strain + 90, got.random_strain + 90,
                             got.near_strain + 1};
    for (int i = 0; i < 4; i++) {
        static const float faults[] = {1.001f, NAN, INFINITY};
        for (int k = 0; k < 3; k++) {
            float was = *values[i];
            *values[i] = (was + 0.001f) * faults[k];
            TRIAL_CHECK(!trial_passes(TRIAL_SETS, sample_error(&t, &got, want)));
            *values[i] = was;
        }
    }
    got.near[60] ^= 1;
    TRIAL_CHECK(!trial_passes(TRIAL_SETS, sample_error(&t, &got, want)));
    got.near[60] ^= 1;
    got.terms[39] *= 1.001f;
    TRIAL_CHECK(!trial_passes(TRIAL_TERMS, all_terms_error(&t, &got, want)));
}
END_TEST

void mds_sample_cases(Suite *s) {
    TCase *c = trial_case(s, "sample");
    tcase_add_test(c, test_the_tester);
    tcase_add_test(c, test_sample);
    tcase_add_test(c, test_near_sets_converge);
}
