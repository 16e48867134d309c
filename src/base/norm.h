/* What the distance of two rows is made of: a sum over the columns, of powers of the differences. The
 * distance is its root. Sums are computed column after column in double; they are what points are ordered by.
 */
#ifndef GLSHAPE_BASE_NORM_H
#define GLSHAPE_BASE_NORM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* p is a whole number from 1 to NORM_MOST: powers are products. 1: magnitudes; 2: squares. */
#define NORM_MOST 64u
#define NORM_GREATEST 0u        /* p is INFINITY: the "sum" is the greatest difference */
#define NORM_BROKEN 0xffffffffu /* p is any other number: powers are those of the C library's pow() */

typedef struct norm {
    uint32_t power; /* p, or one of the names above */
    double p;
} norm;

static inline norm norm_of(double p) {
    uint32_t whole = p >= 1 && p <= NORM_MOST ? (uint32_t)p : 0;
    return (norm){isinf(p) ? NORM_GREATEST : whole == p ? whole : NORM_BROKEN, p};
}

/* Whether sums are products and sums only, which a GPU can compute with a known error. */
static inline bool norm_is_whole(const norm *n) { return n->power != NORM_BROKEN; }

/* The p-th power of d ≥ 0, of a whole p: the product of those of d, d², d⁴, … that p's bits name, in this
 * order. Passes multiply in the same order, so they get the same bits. It does not fall as d grows, as
 * rounding keeps the order of numbers. */
static inline double norm_product(uint32_t power, double d) {
    double product = 1;
    for (; power; power >>= 1, d *= d)
        if (power & 1) product *= d;
    return product;
}

/* Adds a column's difference to a sum. power: n->power; where it is a constant, the rest falls away. */
static inline double norm_add(const norm *n, uint32_t power, double sum, double d) {
    if (power == 2) return sum + d * d;
    d = fabs(d);
    if (power == 1) return sum + d;
    if (power == NORM_GREATEST) return sum < d ? d : sum;
    return sum + (power == NORM_BROKEN ? pow(d, n->p) : norm_product(power, d));
}

/* The sum of two rows. */
static inline double norm_sum(const norm *n, const double *x, const double *y, size_t columns) {
    double sum = 0;
    for (size_t c = 0; c < columns; c++) sum = norm_add(n, n->power, sum, x[c] - y[c]);
    return sum;
}

/* The sum of two points that differ by d ≥ 0 in one column. */
static inline double norm_raise(const norm *n, double d) { return norm_add(n, n->power, 0, d); }

/* The distance that a sum stands for: its root. It does not fall as the sum grows. */
double norm_root(const norm *n, double sum);

/* The largest sum that stands for a distance of at most `distance`; negative if none does. distance_of(user,
 * sum) does not fall as sums grow. */
double norm_sum_within(double (*distance_of)(const void *user, double sum), const void *user,
                       double distance);

/* The distance of two rows of any size: powers neither overflow nor vanish. */
double norm_distance(const norm *n, const double *x, const double *y, size_t columns);

#endif
