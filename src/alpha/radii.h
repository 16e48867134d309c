/* radii, as fractions of big integers, on the CPU. What the device leaves open is decided here. */
#ifndef GLSHAPE_ALPHA_RADII_H
#define GLSHAPE_ALPHA_RADII_H

#include <gmp.h>

#include "exact/points.h"

/* The faces that have a radius, by number: edges 0 … edges - 1, then triangles. */
typedef struct alpha_faces {
    const exact_points *points;
    const uint32_t *ends;   /* × 2 */
    const uint32_t *vertex; /* × 3 */
    uint32_t edges;
} alpha_faces;

/* Working numbers of one thread. 4ρ² = numerator / denominator · 2^exponent. */
typedef struct alpha_radii {
    alpha_faces faces;
    int shift, exponent; /* coordinates times 2^shift are integers */
    mpz_t numerator[2], denominator[2], difference[3][2], area, other;
    uint64_t compared;
} alpha_radii;

void radii_begin(alpha_radii *r, const alpha_faces *faces);
void radii_end(alpha_radii *r);

/* -1, 0 or 1 as the radius of face f is less than, equal to or greater than that of g. */
int radii_compare(alpha_radii *r, uint32_t f, uint32_t g);
/* The same of the radius of f and α, finite and above 0. */
int radii_compare_alpha(alpha_radii *r, uint32_t f, double alpha);
/* Whether corner k of a triangle is obtuse: whether it lies inside the circle that the edge opposite is the
 * diameter of. */
bool radii_obtuse(alpha_radii *r, uint32_t triangle, int k);

/* The radius of f to 2 units in the last place. */
double radii_radius(alpha_radii *r, uint32_t f);

/* order[0 … count): places of faces by radius, of equal ones the first first; same[i]: whether the radius of
 * the i-th is that of the one before. By many threads. GLSHAPE_NO_MEMORY. */
glshape_status radii_sort(error *err, alpha_radii *r, const uint32_t *faces, size_t count, uint32_t *order,
                          bool *same);

#endif
