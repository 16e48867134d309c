/* Areas of triangles and rings whose coordinates are any doubles. */
#ifndef GLSHAPE_EXACT_AREA_H
#define GLSHAPE_EXACT_AREA_H

#include <stddef.h>
#include <stdint.h>

/* Returns twice the area of the triangle a, b, c, divided by 2^*exponent: negative if a, b, c are
 * clockwise, 0 exactly if they are on one line. It is within 64 units in the last place. The exponent is
 * apart, so that the result neither overflows nor underflows. */
double exact_twice_area(const double a[2], const double b[2], const double c[2], long *exponent);

/* Returns twice the area that closed rings go around, divided by 2^*exponent: what goes around clockwise is
 * taken away. Ring r has the points ring[start[r]] … ring[start[r + 1] - 1], as rows of xy; the others should
 * lie within the first one. The error is below 2^-40 of the area. */
double exact_twice_area_of_rings(const double *xy, const uint32_t *ring, const size_t *start, size_t rings,
                                 long *exponent);

#endif
