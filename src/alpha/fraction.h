/* Circumradii on the CPU as fractions of integers of few limbs. */
#ifndef GLSHAPE_ALPHA_FRACTION_H
#define GLSHAPE_ALPHA_FRACTION_H

#include <gmp.h>

#include "alpha/keys.h"

/* In limbs: three squared lengths of sides, and the square of an area. */
enum { ALPHA_NUMERATOR = 12, ALPHA_DENOMINATOR = 8 };

/* 4ρ² of a face, divided by 2^exponent: a²b²c² / 4Δ² of a triangle, the squared length of an edge. Least
 * limbs come first. */
typedef struct alpha_fraction {
    mp_limb_t numerator[ALPHA_NUMERATOR], denominator[ALPHA_DENOMINATOR];
    int numerators, denominators; /* how many limbs there are; the last is not 0 */
    int exponent;
    bool fits; /* else all but the exponent is undefined */
} alpha_fraction;

/* Coordinates times 2^shift are integers. The fraction fits if their differences are below 2^126. */
void alpha_fraction_of(const alpha_faces *faces, uint32_t f, int shift, alpha_fraction *out);
/* Of equal exponents: returns -1, 0 or 1 as a is less than, equal to or greater than b. */
int alpha_fraction_compare(const alpha_fraction *a, const alpha_fraction *b);

/* The exponent and the first 112 bits of a fraction of any length, times 2^exponent. Keys that differ by more
 * than 1 in `low` are in the order of the fractions; closer ones may not be. */
typedef struct alpha_fraction_key {
    uint64_t high, low;
} alpha_fraction_key;

alpha_fraction_key alpha_key_of(const mp_limb_t *numerator, int numerators, const mp_limb_t *denominator,
                                int denominators, int exponent);

/* Returns -1, 0 or 1 as the radius of face f is less than, equal to or greater than that of face g.
 * Differences of coordinates are below 2^ALPHA_SMALL_BITS. */
enum { ALPHA_SMALL_BITS = 20 };
int alpha_compare_small(const alpha_faces *faces, uint32_t f, uint32_t g);

#endif
