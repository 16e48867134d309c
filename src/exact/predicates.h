/* orient2d and in_circle on the CPU, for points of any coordinates. Doubles decide where their error allows
 * it, big integers decide the rest. The same predicates on the device are in glsl/exact/predicates.glsl.
 *
 * Source: Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
 * 1997. */
#ifndef GLSHAPE_EXACT_PREDICATES_H
#define GLSHAPE_EXACT_PREDICATES_H

#include <gmp.h>

#include "base/error.h"

enum { EXACT_NUMBERS = 14 };

typedef struct exact_predicates {
    size_t n;
    const double *xy;            /* n × 2, the caller's */
    mpz_t *z;                    /* the same, times 2^EXACT_UNITS */
    mpz_t number[EXACT_NUMBERS]; /* working numbers */
    uint64_t tests, in_integers; /* predicates evaluated; of these, in big integers */
} exact_predicates;

/* Prepares *out for n points xy, which are borrowed. exact_predicates_free() releases it, also after a
 * failure. GLSHAPE_NO_MEMORY. */
glshape_status exact_predicates_new(error *err, const double *xy, size_t n, exact_predicates *out);
void exact_predicates_free(exact_predicates *p);

/* Returns 1 if a, b, c are counter-clockwise, -1 if they are clockwise, 0 if they are on one line. */
int exact_orient2d(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c);
/* Returns 1 if d is inside the circle through a, b, c, -1 if it is outside, 0 if it is on the circle. a, b,
 * c are counter-clockwise. */
int exact_in_circle(exact_predicates *p, const uint32_t abc[3], uint32_t d);

#endif
