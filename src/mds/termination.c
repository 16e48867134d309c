#include "mds/termination.h"

#include <math.h>

/* Cut-off of the low-pass, cycles per iteration. The paper leaves it open; a lower one would reach beyond
 * the 50 samples of its window. */
#define CUT_OFF 0.08

static double sinc(double x) {
    double a = 3.14159265358979323846 * x;
    return x == 0 ? 1 : sin(a) / a;
}

void termination_start(termination *t) {
    double filter[TERMINATION_WINDOW + 2] = {0}, sum = 0;
    for (int i = 0; i < TERMINATION_WINDOW; i++) {
        double hann = 0.5 - 0.5 * cos(2 * 3.14159265358979323846 * (i + 1) / (TERMINATION_WINDOW + 1));
        filter[i + 1] = hann * sinc(2 * CUT_OFF * (i - (TERMINATION_WINDOW - 1) / 2.0));
        sum += filter[i + 1];
    }
    for (int i = 0; i <= TERMINATION_WINDOW; i++) t->kernel[i] = (filter[i + 1] - filter[i]) / sum;
    t->count = 0;
}

bool termination_add(termination *t, double sparse_stress) {
    const int length = TERMINATION_WINDOW + 1;
    t->history[t->count++ % length] = sparse_stress;
    if (t->count < length) return false;
    double derivative = 0;
    for (int i = 0; i < length; i++) derivative += t->kernel[i] * t->history[(t->count + i) % length];
    return fabs(derivative) < TERMINATION_EPSILON;
}
