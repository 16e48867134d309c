/* Doubles as big integers (GMP). */
#ifndef GLSHAPE_EXACT_INTEGER_H
#define GLSHAPE_EXACT_INTEGER_H

#include <gmp.h>

enum { EXACT_UNITS = 1074 }; /* every double is a whole multiple of 2^-EXACT_UNITS */

/* z = v · 2^shift, which is an integer. */
void exact_integer(mpz_t z, double v, int shift);

#endif
