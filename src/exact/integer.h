/* Doubles as big integers (GMP). */
#ifndef GLSHAPE_EXACT_INTEGER_H
#define GLSHAPE_EXACT_INTEGER_H

#include <gmp.h>

enum { EXACT_UNITS = 1074 }; /* every double is a whole multiple of 2^-EXACT_UNITS */

/* Sets z to v · 2^shift. The caller knows that this is an integer. */
void exact_integer(mpz_t z, double v, int shift);

#endif
