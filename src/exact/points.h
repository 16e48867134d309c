/* Points in the plane as integers: all coordinates are divided by one power of two, exactly.
 *
 * An integer that comes from a double has at most 53 significant bits, so a double holds it. The filter
 * computes with these doubles; the exact predicates take them apart into limbs (glsl/exact/limbs.glsl,
 * wide.glsl). */
#ifndef GLSHAPE_EXACT_POINTS_H
#define GLSHAPE_EXACT_POINTS_H

#include "base/error.h"

/* The device decides predicates if differences of coordinates are below 2^EXACT_DEVICE_BITS; else the CPU
 * does. */
#define EXACT_DEVICE_BITS 126

typedef struct exact_points {
    uint32_t n;
    double *xy;               /* n × 2 (x, y): coordinate = xy · 2^exponent. There is no -0 */
    int exponent;             /* the largest that makes all xy integers; 0 if all coordinates are 0 */
    double least[2], most[2]; /* of xy; infinite if there are no points */
    int bits; /* differences of xy are below 2^bits. If bits is above EXACT_DEVICE_BITS, xy is as given,
                 exponent is 0 and the integers are xy · 2^1074 */
} exact_points;

/* Reads an n × 2 matrix of any type into *out; exact_points_free() releases it. GLSHAPE_BAD_INPUT: there
 * are not two columns; a coordinate is NaN or infinite, or an integer of 64 bits that no double equals (the
 * message has row and column); there are so many points that 32 bits cannot number their edges.
 * GLSHAPE_NO_MEMORY. */
glshape_status exact_points_new(error *err, const glshape_matrix *m, exact_points *out);
void exact_points_free(exact_points *p);

/* Returns true if the device decides predicates on these points. */
static inline bool exact_on_device(const exact_points *p) { return p->bits <= EXACT_DEVICE_BITS; }

/* Returns the number of 32-bit limbs that hold a difference of coordinates in two's complement. It is
 * chosen so that four times as many limbs hold the determinant of in_circle, which is below twelve times
 * the fourth power of a difference. */
static inline uint32_t exact_difference_limbs(const exact_points *p) { return ((uint32_t)p->bits + 33) / 32; }

/* Returns the number of 32-bit limbs that hold, in two's complement, a sum of `terms` products of `degree`
 * differences each. */
static inline int exact_limbs(const exact_points *p, int degree, int terms) {
    int bits = degree * p->bits + 1;
    for (int t = 1; t < terms; t *= 2) bits++;
    return (bits + 31) / 32;
}

#endif
