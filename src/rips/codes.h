/* Codes for values of which some are negative. The reduction and its passes only compare values, and take
 * none that is negative: lengths of edges are bits of floats that are sorted as integers, and the diagonal
 * is 0. So the k-th least value of such a filtration has code k, until the intervals are there. */
#ifndef GLSHAPE_RIPS_CODES_H
#define GLSHAPE_RIPS_CODES_H

#include "rips/space.h"

typedef struct rips_codes {
    float *value; /* ascending: that of code k is value[k - 1]; NULL: values stand for themselves */
    size_t count;
} rips_codes;

/* Puts codes in place of the values of s, births, edges and threshold, if one is negative. A threshold below
 * all of them has code 0. GLSHAPE_NO_MEMORY, GLSHAPE_BAD_INPUT: there are more values than codes. */
glshape_status rips_codes_apply(error *err, rips_space *s, rips_codes *out);
void rips_codes_free(rips_codes *c);

/* The value of a code; INFINITY stays, and so does 0, the greatest value of no edges. */
float rips_codes_value(const rips_codes *c, float code);
/* Puts values in place of the codes in a result; its threshold, too. */
void rips_codes_remove(const rips_codes *c, glshape_rips_result *r);

#endif
