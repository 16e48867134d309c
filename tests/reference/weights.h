/* Slow, obvious twins of what glshape_mds does with weights, in double. weight: n × n, symmetric; the
 * diagonal means nothing. */
#ifndef GLSHAPE_TESTS_REFERENCE_WEIGHTS_H
#define GLSHAPE_TESTS_REFERENCE_WEIGHTS_H

#include "reference/mds.h"

/* The mean weight of a point's pairs. */
double ref_mean_weight(const float *weight, uint32_t n, uint32_t point);

/* Adds Σw(d-δ)² and Σwδ² over a point and its first 64 partners. */
void ref_weighted_estimate(const ref_spaces *s, const ref_draw *d, const float *weight, uint32_t point,
                           double sums[2]);
/* The closing step: each of 8 partners pulls by step/8 of its weight, relative to the point's mean weight;
 * all together no further than their weighted mean. Writes dim values. */
void ref_weighted_closing_step(const ref_spaces *s, const ref_draw *d, const float *weight, uint32_t point,
                               double step, double *place);

/* Dissimilarities and weights of all pairs, n × n each; NaN: missing. */
typedef struct ref_weighted {
    uint32_t n;
    const float *delta, *weight;
} ref_weighted;

/* Σw(d-δ)² / Σwδ² over all pairs of a layout of n rows of dim values; 0 if all wδ are 0. */
double ref_weighted_stress(const ref_weighted *m, const float *layout, uint32_t dim);

/* Weighted SMACOF in the plane, point by point (de Leeuw 1977; Gansner, Koren, North 2004, localized): from
 * random places, `sweeps` times, each point goes to where the others, weighted, would have it. No step raises
 * the stress. Returns it. */
double ref_weighted_smacof(const ref_weighted *m, random_state *random, int sweeps);

#endif
