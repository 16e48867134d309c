/* Areas of triangles whose coordinates are any doubles. */
#ifndef GLSHAPE_EXACT_AREA_H
#define GLSHAPE_EXACT_AREA_H

/* Twice the area of a, b, c, negative if they turn right: of the right sign, 0 only if they are on one line,
 * and within 64 units in the last place. Times 2^*exponent, so that neither end of the doubles' range is in
 * the way. */
double exact_twice_area(const double a[2], const double b[2], const double c[2], long *exponent);

#endif
