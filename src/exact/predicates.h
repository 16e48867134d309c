/* orient2d and in_circle on the CPU, for points of any coordinates. Doubles decide where their error allows
 * it, then integers of 256 bits if coordinates are below 2^61, then big integers. The same predicates on the
 * device are in glsl/exact/predicates.glsl.
 *
 * Source: Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
 * 1997. */
#ifndef GLSHAPE_EXACT_PREDICATES_H
#define GLSHAPE_EXACT_PREDICATES_H

#include <gmp.h>
#include <stdint.h>

enum { EXACT_NUMBERS = 12 };

/* One thread's own. */
typedef struct exact_predicates {
    const double *xy;            /* n × 2 (x, y), the caller's */
    int shift;                   /* xy · 2^shift are integers */
    mpz_t number[EXACT_NUMBERS]; /* working numbers */
    uint64_t tests, in_integers; /* predicates evaluated; of these, in big integers */
} exact_predicates;

/* exact_predicates_end() releases what *p holds besides xy. */
void exact_predicates_begin(exact_predicates *p, const double *xy, int shift);
void exact_predicates_end(exact_predicates *p);

/* Returns 1 if a, b, c are counter-clockwise, -1 if they are clockwise, 0 if they are on one line. */
int exact_orient2d(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c);
/* Returns 1 if d is inside the circle through a, b, c, -1 if it is outside, 0 if it is on the circle. a, b,
 * c are counter-clockwise. */
int exact_in_circle(exact_predicates *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

#endif
