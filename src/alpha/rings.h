/* The boundary of one alpha shape, as rings: the processors close them. */
#ifndef GLSHAPE_ALPHA_RINGS_H
#define GLSHAPE_ALPHA_RINGS_H

#include "base/error.h"

/* A side: an edge of a triangle inside the shape, with no such triangle across. The triangle is on its left.
 */
typedef struct alpha_side {
    uint32_t from; /* the point where it begins */
    uint32_t next; /* which side goes on from its end, around it through triangles inside */
    uint32_t component;
} alpha_side;

/* The sides of a shape of n points, whose coordinate = xy · 2^exponent. Sides are in the order of their
 * triangles. */
typedef struct alpha_boundary {
    const double *xy;
    uint32_t n;
    int exponent;
    const alpha_side *side;
    uint32_t sides;
} alpha_boundary;

/* Fills the shape's rings, and area, perimeter and rings of its components, which are there. sides that lead
 * nowhere: GLSHAPE_GPU_ERROR. GLSHAPE_NO_MEMORY. */
glshape_status alpha_rings(error *err, const alpha_boundary *b, glshape_alpha_shape *s);

#endif
