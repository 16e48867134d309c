/* How rough a field is: noise takes processors many times as long as a smooth field of as many vertices. */
#ifndef GLSHAPE_FIELD_EXTREMES_H
#define GLSHAPE_FIELD_EXTREMES_H

#include "glshape.h"

/* The share of the vertices of a grid whose value is less than those of all neighbors across a side, or
 * greater: an estimate from some 800 vertices, from 2/3 of noise of one dimension to 0. A graph has no sides:
 * 0.3, as of noise of three dimensions; so where no vertex is inside. */
double field_extremes(const glshape_field *field);

#endif
