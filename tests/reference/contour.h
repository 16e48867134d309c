/* Contour trees by taking all vertices away, one leaf after another (Carr, Snoeyink, Axen 2003): the slow,
 * obvious twin of glshape_contour. */
#ifndef GLSHAPE_TESTS_REFERENCE_CONTOUR_H
#define GLSHAPE_TESTS_REFERENCE_CONTOUR_H

#include "reference/mergetree.h"

typedef struct ref_arc {
    uint32_t lower, upper, regular;
} ref_arc;

/* The arcs of a field on a grid, or (grid NULL) on a graph with CSR neighbours, by lower, then by upper
 * vertex; and of each vertex its arc, or UINT32_MAX at a node. Room for n each. Returns the number of arcs,
 * or -1: there is no contour tree. */
long ref_contour(uint32_t n, const double *values, const ref_grid *grid, const size_t *start,
                 const uint32_t *to, ref_arc *arcs, uint32_t *arc);

#endif
