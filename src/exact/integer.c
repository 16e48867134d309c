#include "exact/integer.h"

#include <math.h>

enum { MANTISSA = 53 };

void exact_integer(mpz_t z, double v, int shift) {
    int e;
    if (!shift) {
        mpz_set_d(z, v);
        return;
    }
    double m = frexp(v, &e);
    mpz_set_d(z, ldexp(m, MANTISSA));
    e += shift - MANTISSA;
    if (e >= 0) mpz_mul_2exp(z, z, (mp_bitcnt_t)e);
    else mpz_tdiv_q_2exp(z, z, (mp_bitcnt_t)-e);
}
