/* Persistence of a field on a grid, from the boundary matrix of all its cubes. */
#ifndef GLSHAPE_TESTS_REFERENCE_CUBICAL_H
#define GLSHAPE_TESTS_REFERENCE_CUBICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ref_cubical_field {
    int dims;
    uint32_t extent[3]; /* x, y, z; 1 beyond dims */
    bool periodic[3];
    bool vertices;         /* values are on vertices, else on top cells */
    const uint32_t *place; /* of each value in the order of all */
    uint32_t modulus;      /* a prime below 256 */
} ref_cubical_field;

/* dim, and the values whose cubes begin and end the class; death UINT32_MAX: it never ends. */
typedef struct ref_cubical_pair {
    uint32_t dim, birth, death;
} ref_cubical_pair;

/* Fills out with all pairs that two values make, and the classes that never end. Returns how many there are;
 * out has room for one a cube, (2 × extent + 1) an axis. */
size_t ref_cubical(const ref_cubical_field *f, ref_cubical_pair *out);

#endif
