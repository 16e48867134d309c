/* Areas of triangles whose coordinates are any doubles. */
#ifndef GLSHAPE_EXACT_AREA_H
#define GLSHAPE_EXACT_AREA_H

/* Returns twice the area of the triangle a, b, c, divided by 2^*exponent: negative if a, b, c are
 * clockwise, 0 exactly if they are on one line. It is within 64 units in the last place. The exponent is
 * apart, so that the result neither overflows nor underflows. */
double exact_twice_area(const double a[2], const double b[2], const double c[2], long *exponent);

#endif
