/* Slow, obvious twins of the passes of mds, in double, from the text of Ingram, "Multilevel Multidimensional
 * Scaling on the GPU", 2007, section 4.4. What the paper leaves open is chosen here as glsl/mds/ chooses it:
 * which offsets are drawn, what becomes of duplicates, and where points part that coincide. */
#ifndef GLSHAPE_TESTS_REFERENCE_MDS_H
#define GLSHAPE_TESTS_REFERENCE_MDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "reference/dist.h"

/* High-dimensional distance of what is no member of a set: a duplicate, or the point itself. */
#define REF_NONE 3e38f

/* The two spaces: rows of a matrix with a metric, and a layout of as many rows of dim values. */
typedef struct ref_spaces {
    glshape_matrix points;
    glshape_metric metric;
    uint32_t n, dim;
    const float *place;
} ref_spaces;

/* The random resource of an iteration: a permutation of 0 … m-1 and how far the iterations have come in it.
 */
typedef struct ref_draw {
    const uint32_t *perm;
    uint32_t m, offset;
} ref_draw;

/* A point's Near set (members 0 … 3, by rising distance, then index) and Random set (4 … 7). */
typedef struct ref_sets {
    uint32_t index[8];
    float high[8];    /* high-dimensional distances; REF_NONE: no member */
    double strain[8]; /* high minus low; 0 where there is no member */
} ref_sets;

/* Layout distance of points i and j. */
double ref_low(const ref_spaces *s, uint32_t i, uint32_t j);
/* High-dimensional distance of points i and j. */
double ref_high(const ref_spaces *s, uint32_t i, uint32_t j);

/* Coordinate c of the unit vector from j to i; where they coincide, the smaller index goes up along one. */
double ref_direction(const ref_spaces *s, uint32_t i, uint32_t j, uint32_t c);

/* Stage 1: the k-th partner of a point, P[P[point mod m] + offset + k], indices mod m. */
uint32_t ref_partner(const ref_draw *d, uint32_t point, uint32_t k);

/* Stages 1 to 4 for one point: draws four partners, sorts them with the Near set (if fresh: an empty one) and
 * finds the strains. sets: in, the sets before (Near only); out, after. The order of the Random set
 * means nothing; an entry of it that is no member has the point's own index. */
void ref_sample(const ref_spaces *s, const ref_draw *d, uint32_t point, bool fresh, ref_sets *sets);

/* Stage 8 for one point: sums[0] += Σ(d-δ)², sums[1] += Σδ² over both sets. */
void ref_sparse_terms(const ref_spaces *s, uint32_t point, const ref_sets *sets, double sums[2]);

/* Stages 5 to 7 for one point: velocities (n × dim) count `inertia` times. Writes dim values each. */
void ref_move(const ref_spaces *s, const float *velocities, double inertia, uint32_t point,
              const ref_sets *sets, double *place, double *velocity);

/* The closing step for one point: `step` of the way to the mean over 8 partners j of
 * x_j + δ_ij (x_i - x_j)/d_ij. Writes dim values. */
void ref_closing_step(const ref_spaces *s, const ref_draw *d, uint32_t point, double step, double *place);

/* The settling step for one point: the same with all n points, itself too, as partners, and on by `momentum`
 * of how far it has come from `before` (n × dim). */
void ref_settling_step(const ref_spaces *s, const float *before, uint32_t point, double step, double momentum,
                       double *place);

/* Normalized stress restricted to a point and its first 64 partners: sums as ref_sparse_terms. */
void ref_estimate(const ref_spaces *s, const ref_draw *d, uint32_t point, double sums[2]);

/* The same over all pairs (i, j), i < j, of rows [i0, i1) and columns [j0, j1). */
void ref_stress_terms(const ref_spaces *s, uint32_t i0, uint32_t i1, uint32_t j0, uint32_t j1,
                      double sums[2]);
/* Normalized stress Σ(d-δ)² / Σδ² over all pairs; 0 if all δ are 0. */
double ref_stress(const ref_spaces *s);
/* An estimate of it from random pairs, and its standard error. */
double ref_sampled_stress(const ref_spaces *s, random_state *random, size_t pairs, double *standard_error);

#endif
