/* The first points of the greedy permutation, which stand for all (Cavanna, Jahanseir, Sheehy, "A geometric
 * perspective on sparse filtrations", 2015). It begins with point 0. Every next point is the one farthest
 * from those before it, of equally far ones the one of the smallest index. */
#ifndef GLSHAPE_RIPS_SAMPLE_H
#define GLSHAPE_RIPS_SAMPLE_H

#include "run/run.h"

typedef struct rips_sample {
    glshape_source source; /* has the points of the sample, in the order of the permutation */
    glshape_matrix points; /* what source points to, or */
    float *distance;       /* what it reads */
    uint32_t count, *row;  /* of each point of the sample: its index among all */
    float cover;           /* the cover radius: no point is farther from the sample */
} rips_sample;

/* Takes count ≥ 1 of the n ≥ count points of `from`, which has points or a reader. It is at out->source, and
 * lasts as long as *out (rips_sample_free(), also after a failure) stays where it is. Errors: as
 * glshape_rips. */
glshape_status rips_sample_new(run *r, const glshape_source *from, uint32_t count, int threads,
                               rips_sample *out);
void rips_sample_free(rips_sample *s);

#endif
