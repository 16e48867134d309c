/* Points in the plane as integers: the coordinates given, float or double, divided by one power of two,
 * exactly.
 *
 * An integer that comes from a double has at most 53 significant bits, so it is kept as a double, which both
 * a filter and an exact predicate can start from: glsl/exact/limbs.glsl takes it apart. */
#ifndef GLSHAPE_EXACT_POINTS_H
#define GLSHAPE_EXACT_POINTS_H

#include "base/error.h"

/* The device decides where coordinates differ by less than 2^EXACT_DEVICE_BITS; beyond, the CPU does. */
#define EXACT_DEVICE_BITS 126

typedef struct exact_points {
    uint32_t n;
    double *xy;   /* n × 2 integers: coordinate = xy · 2^exponent. No -0 */
    int exponent; /* as large as can be: some integer is odd (0 if all are 0) */
    int bits;     /* differences are below 2^bits. Above EXACT_DEVICE_BITS, xy is as given, exponent 0, and
                     the coordinates are the integers xy · 2^1074 */
} exact_points;

/* From an n × 2 matrix of any type. Integers of 64 bits beyond 2^53 are kept exactly if they are doubles.
 * GLSHAPE_BAD_INPUT (not two columns, NaN or infinity with row and column, an integer that no double is, more
 * points than edges can be numbered of), GLSHAPE_NO_MEMORY. */
glshape_status exact_points_new(error *err, const glshape_matrix *m, exact_points *out);
void exact_points_free(exact_points *p);

/* Whether the device decides exactly on these points. */
static inline bool exact_on_device(const exact_points *p) { return p->bits <= EXACT_DEVICE_BITS; }

/* 32-bit words that hold a difference in two's complement, such that four times as many hold twelve times its
 * fourth power: what becomes of it in in_circle. */
static inline uint32_t exact_difference_limbs(const exact_points *p) { return ((uint32_t)p->bits + 33) / 32; }

/* 32-bit limbs that hold, in two's complement, a sum of `terms` products of `degree` differences each. */
static inline int exact_limbs(const exact_points *p, int degree, int terms) {
    int bits = degree * p->bits + 1;
    for (int t = 1; t < terms; t *= 2) bits++;
    return (bits + 31) / 32;
}

#endif
