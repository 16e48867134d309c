/* The collapse of a filtration's edges by its definition: the edges in order, the greatest value first, of
 * equal ones that of the smaller first point, then second. Each appears at the first value, from its own on,
 * at which no common neighbor of its ends is a neighbor of all others. */
#ifndef GLSHAPE_TESTS_REFERENCE_COLLAPSE_H
#define GLSHAPE_TESTS_REFERENCE_COLLAPSE_H

#include <stdint.h>

/* Gives the edges of an n × n matrix, those up to the threshold, their new values; INFINITY: none. */
void ref_collapse(float *distance, uint32_t n, float threshold);

#endif
