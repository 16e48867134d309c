/* Circumradii as fractions of big integers, on the CPU: decides what the device leaves open. */
#ifndef GLSHAPE_ALPHA_RADII_H
#define GLSHAPE_ALPHA_RADII_H

#include "alpha/fraction.h"

/* Working numbers of one thread. 4ρ² = numerator / denominator · 2^exponent. */
typedef struct alpha_radii {
    alpha_faces faces;
    int shift, exponent; /* of the face at hand: coordinates times 2^shift are integers */
    mpz_t numerator[2], denominator[2], difference[3][2], area, other;
    alpha_fraction fraction[2];
    uint32_t held[2]; /* the faces of these two */
    uint64_t compared;
} alpha_radii;

void radii_begin(alpha_radii *r, const alpha_faces *faces);
void radii_end(alpha_radii *r);

/* Returns -1, 0 or 1 as the radius of face f is less than, equal to or greater than that of face g. */
int radii_compare(alpha_radii *r, uint32_t f, uint32_t g);
/* Compares the radius of f with α, which is finite and above 0, likewise. */
int radii_compare_alpha(alpha_radii *r, uint32_t f, double alpha);
/* Returns true if corner k of a triangle has an obtuse angle: if it lies inside the circle that the
 * opposite edge is the diameter of. */
bool radii_obtuse(alpha_radii *r, uint32_t triangle, int k);

/* Returns the radius of f, within 2 units in the last place: the same bits as the device
 * (glsl/alpha/keys.glsl). */
double radii_radius(alpha_radii *r, uint32_t f);
/* Returns the radius of a key: 4ρ² = (1 + fraction / 2^54) · 2^e · 4^exponent, cut. */
double radii_of_key(int e, uint64_t fraction, int exponent);

/* Sorts faces by radius, by many threads: order[i] is the place, in faces, of the i-th. same[i] is true if
 * the radius of the i-th equals that of the one before it. GLSHAPE_NO_MEMORY. */
glshape_status radii_sort(error *err, alpha_radii *r, const uint32_t *faces, size_t count, uint32_t *order,
                          bool *same);

#endif
