#include "base/norm.h"

#include <string.h>

/* Sums from which on a step between two doubles is as small as it ever is. */
#define NORMAL 0x1p-960

/* pow() does not promise that a greater number has a greater root. So of powers it is the greatest double
 * whose power is at most the sum. */
static double root_of_power(const norm *n, double sum) {
    double root = pow(sum, 1 / n->p);
    if (sum < NORMAL || isinf(root)) return root;
    while (norm_raise(n, root) > sum) root = nextafter(root, 0);
    for (double next = nextafter(root, INFINITY); norm_raise(n, next) <= sum;
         next = nextafter(root, INFINITY))
        root = next;
    return root;
}

double norm_root(const norm *n, double sum) {
    if (n->power <= 1) return sum;
    return n->power == 2 ? sqrt(sum) : root_of_power(n, sum);
}

double norm_distance(const norm *n, const double *x, const double *y, size_t columns) {
    double greatest = 0, sum = 0;
    int exponent;
    if (n->power <= 2) return norm_root(n, norm_sum(n, x, y, columns));
    for (size_t c = 0; c < columns; c++) greatest = fmax(greatest, fabs(x[c] - y[c]));
    frexp(greatest, &exponent);
    for (size_t c = 0; c < columns; c++) sum = norm_add(n, n->power, sum, ldexp(x[c] - y[c], -exponent));
    return ldexp(norm_root(n, sum), exponent);
}

double norm_sum_within(double (*distance_of)(const void *user, double sum), const void *user,
                       double distance) {
    if (distance_of(user, 0) > distance) return -1;
    uint64_t low = 0, high = 0x7fefffffffffffffu; /* bits of 0 and of the largest double, in order */
    double sum;
    while (low < high) {
        uint64_t half = low + (high - low + 1) / 2;
        memcpy(&sum, &half, sizeof sum);
        if (distance_of(user, sum) <= distance) low = half;
        else high = half - 1;
    }
    memcpy(&sum, &low, sizeof sum);
    return sum;
}
