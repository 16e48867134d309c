#include "reference/norm.h"

#include <math.h>
#include <string.h>

static double power(double d, double p) {
    double product = 1;
    if (p != floor(p)) return pow(d, p);
    for (int left = (int)p; left; left /= 2) {
        if (left % 2) product *= d;
        d *= d;
    }
    return product;
}

double ref_norm_sum(double p, const double *x, const double *y, size_t columns) {
    double sum = 0;
    for (size_t c = 0; c < columns; c++) {
        double d = fabs(x[c] - y[c]);
        if (isinf(p)) sum = d > sum ? d : sum;
        else sum += power(d, p);
    }
    return sum;
}

double ref_norm_root(double p, double sum) {
    unsigned long long low = 0, high, middle;
    double most = 1e300, root;
    if (p == 1 || isinf(p) || sum == 0) return sum;
    if (p == 2) return sqrt(sum);
    memcpy(&high, &most, sizeof high);
    while (high - low > 1) {
        middle = low + (high - low) / 2;
        memcpy(&root, &middle, sizeof root);
        if (power(root, p) <= sum) low = middle;
        else high = middle;
    }
    memcpy(&root, &low, sizeof root);
    return root;
}
