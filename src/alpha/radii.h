/* radii, as fractions of big integers, on the CPU. What the device leaves open is decided here. */
#ifndef GLSHAPE_ALPHA_RADII_H
#define GLSHAPE_ALPHA_RADII_H

#include <gmp.h>

#include "alpha/triangulation.h"

/* The faces that have a radius, by number: edges 0 … edges - 1, then triangles. */
typedef struct exact_faces {
    const alpha_points *points;
    const uint32_t *ends;   /* × 2 */
    const uint32_t *vertex; /* × 3 */
    uint32_t edges;
} exact_faces;

/* Working numbers of one thread. 4ρ² = over / under · 2^exponent. */
typedef struct exact_radii {
    exact_faces faces;
    int shift, exponent; /* coordinates times 2^shift are integers */
    mpz_t over[2], under[2], span[3][2], area, other;
    uint64_t compared;
} exact_radii;

/* z = v · 2^shift, which is an integer. */
void exact_integer(mpz_t z, double v, int shift);

void exact_begin(exact_radii *r, const exact_faces *faces);
void exact_end(exact_radii *r);

/* -1, 0 or 1 as the radius of face f is less than, equal to or greater than that of g. */
int exact_compare(exact_radii *r, uint32_t f, uint32_t g);
/* The same of the radius of f and α, finite and above 0. */
int exact_compare_alpha(exact_radii *r, uint32_t f, double alpha);
/* Whether corner k of a triangle is obtuse: whether it lies inside the circle that the edge opposite is the
 * diameter of. */
bool exact_obtuse(exact_radii *r, uint32_t triangle, int k);

/* The radius of f to 2 units in the last place. */
double exact_radius(exact_radii *r, uint32_t f);

/* order[0 … count): places of faces by radius, of equal ones the first first; same[i]: whether the radius of
 * the i-th is that of the one before. By many threads. GLSHAPE_NO_MEMORY. */
glshape_status exact_sort(error *err, exact_radii *r, const uint32_t *faces, size_t count, uint32_t *order,
                          bool *same);

#endif
