/* When GPU-SF stops: Ingram 2007, section 4.3.2. */
#include <math.h>

#include "mds/termination.h"
#include "mds/trial.h"

enum { FULL = TERMINATION_WINDOW + 1, PATIENCE = 5000 };

typedef double (*signal)(int t);

/* After how many samples the phase ends; PATIENCE if it does not. */
static int samples_until_stop(signal s) {
    termination t;
    termination_start(&t);
    for (int i = 0; i < PATIENCE; i++)
        if (termination_add(&t, s(i))) return i + 1;
    return PATIENCE;
}

static double constant(int t) { return (void)t, 0.25; }
static double zero(int t) { return (void)t, 0; }
static double steep(int t) { return 1 + 1.01 * TERMINATION_EPSILON * t; }
static double steep_down(int t) { return 1 - 1.01 * TERMINATION_EPSILON * t; }
static double gentle(int t) { return 1 - 0.99 * TERMINATION_EPSILON * t; }
static double decaying(int t) { return 0.05 + 0.3 * exp(-t / 20.0); }
static double noisy(int t) { return (void)t, 0.1 + trial_between(-0.002, 0.002); }
static double noisy_ramp(int t) { return 1 - 5 * TERMINATION_EPSILON * t + trial_between(-0.0005, 0.0005); }
static double unfinished(int t) { return t < 200 ? 1 - 0.004 * t : 0.2; }
static double missing(int t) { return (void)t, NAN; }

START_TEST(test_constant) {
    ck_assert_int_eq(samples_until_stop(constant), FULL);
    ck_assert_int_eq(samples_until_stop(zero), FULL);
}
END_TEST

/* ε is compared with the slope itself, downward or upward. */
START_TEST(test_ramps) {
    ck_assert_int_eq(samples_until_stop(steep), PATIENCE);
    ck_assert_int_eq(samples_until_stop(steep_down), PATIENCE);
    ck_assert_int_eq(samples_until_stop(gentle), FULL);
}
END_TEST

/* A decay of slope -A/τ exp(-t/τ), seen half a window late, is below ε from
 * t = 25 + τ ln(A / (τ ε)) on: 100 samples after the middle of the window here. */
START_TEST(test_decay) {
    double due = TERMINATION_WINDOW / 2.0 + 20 * log(0.3 / 20 / TERMINATION_EPSILON);
    int stop = samples_until_stop(decaying);
    ck_assert_msg(fabs(stop - due) <= 5, "stopped after %d samples, not about %.0f", stop, due);
}
END_TEST

/* The filter sees through noise twenty times as large as ε: it stops soon, and does not stop on a slope. */
START_TEST(test_noise) {
    for (int run = 0; run < 200; run++) {
        int stop = samples_until_stop(noisy);
        ck_assert_msg(stop >= FULL && stop <= 2 * FULL, "run %d stopped after %d samples: %s", run, stop,
                      trial_place());
    }
    ck_assert_int_eq(samples_until_stop(noisy_ramp), PATIENCE);
}
END_TEST

/* A descent that ends: stops once the window has left it, not before it ends. */
START_TEST(test_descent) {
    int stop = samples_until_stop(unfinished);
    ck_assert_int_gt(stop, 200);
    ck_assert_int_le(stop, 200 + FULL);
}
END_TEST

/* NaN is no convergence. */
START_TEST(test_nan) { ck_assert_int_eq(samples_until_stop(missing), PATIENCE); }
END_TEST

/* A second phase starts afresh. */
START_TEST(test_restart) {
    termination t;
    termination_start(&t);
    for (int i = 0; i < 77; i++) termination_add(&t, steep(i));
    termination_start(&t);
    for (int i = 1; i < FULL; i++) ck_assert(!termination_add(&t, 3));
    ck_assert(termination_add(&t, 3));
}
END_TEST

/* The kernel is a derivative: blind to a constant; convolved with a ramp (sample t-i has weight kernel[i])
 * of slope 1 it gives +1; odd about its middle, so that a parabola's slope is that at the middle. */
START_TEST(test_kernel) {
    termination t;
    termination_start(&t);
    double sum = 0, ramp = 0, bend = 0;
    for (int i = 0; i < FULL; i++) {
        double x = TERMINATION_WINDOW / 2.0 - i;
        sum += t.kernel[i];
        ramp += t.kernel[i] * x;
        bend += t.kernel[i] * x * x;
    }
    ck_assert_double_eq_tol(sum, 0, 1e-12);
    ck_assert_double_eq_tol(ramp, 1, 1e-12);
    ck_assert_double_eq_tol(bend, 0, 1e-12);
}
END_TEST

/* A low-pass: a wave of the shortest period is gone, a slow one is not. */
START_TEST(test_low_pass) {
    termination t;
    termination_start(&t);
    double fast = 0, slow = 0;
    for (int i = 0; i < FULL; i++) {
        double x = TERMINATION_WINDOW / 2.0 - i;
        fast += t.kernel[i] * (i % 2 ? 1 : -1);
        slow += t.kernel[i] * sin(0.01 * x) / 0.01;
    }
    ck_assert_double_lt(fabs(fast), 1e-3);
    ck_assert_double_eq_tol(slow, 1, 0.01);
}
END_TEST

Suite *mds_termination_suite(void);
Suite *mds_termination_suite(void) {
    Suite *s = suite_create("mds/termination");
    TCase *c = trial_case(s, "termination");
    tcase_add_test(c, test_constant);
    tcase_add_test(c, test_ramps);
    tcase_add_test(c, test_decay);
    tcase_add_test(c, test_noise);
    tcase_add_test(c, test_descent);
    tcase_add_test(c, test_nan);
    tcase_add_test(c, test_restart);
    tcase_add_test(c, test_kernel);
    tcase_add_test(c, test_low_pass);
    return s;
}
