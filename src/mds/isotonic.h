/* Isotonic regression: numbers that ascend with the dissimilarities of their pairs, and are nearest to
 * distances.
 *
 * Pairs are kept in order of dissimilarity, and so are distances and numbers: memory is read from one end to
 * the other, whatever the order is. */
#ifndef GLSHAPE_MDS_ISOTONIC_H
#define GLSHAPE_MDS_ISOTONIC_H

#include "base/error.h"
#include "base/radix.h"

#define MDS_ISOTONIC_POINTS 65535u /* at most: pairs are counted by 32 bits */

typedef struct mds_pair {
    uint32_t i, j; /* points, i < j */
} mds_pair;

typedef struct mds_isotonic {
    uint32_t n, count; /* points; pairs that count */
    mds_pair *pair;    /* count: in order of dissimilarity */
    uint32_t *end;     /* of each place that a block of ties begins at: where it ends; else 0 */
    bool secondary;    /* pairs of equal dissimilarity get one number; else they may differ (primary ties) */
    const float *weight; /* by mds_pair_number(), or NULL */
    /* Blocks of numbers that are equal, as they are pooled: sums of weighted distances, of weights, and where
     * each block ends. */
    double *sum, *total;
    uint32_t *last;
    radix_item *items; /* twice as many as the largest block of ties has, unless that is small */
} mds_isotonic;

/* Pairs (0, 1), (0, 2) … (1, 2) … of n points are numbered from 0. */
static inline size_t mds_pair_number(uint32_t n, uint32_t i, uint32_t j) {
    return (size_t)i * (2 * (size_t)n - i - 1) / 2 + (j - i - 1);
}
/* The weight of the pair at place k. */
static inline double mds_pair_weight(const mds_isotonic *m, uint32_t k) {
    return m->weight ? (double)m->weight[mds_pair_number(m->n, m->pair[k].i, m->pair[k].j)] : 1;
}

/* dissimilarity: by pairs of n points, at most 65,535; NaN, or a weight of 0: the pair does not count. weight
 * stays the caller's. mds_isotonic_free(), also after a failure. GLSHAPE_NO_MEMORY. */
glshape_status mds_isotonic_new(error *err, uint32_t n, const float *dissimilarity, const float *weight,
                                bool secondary, mds_isotonic *m);
void mds_isotonic_free(mds_isotonic *m);
/* distance, fitted: of m->count places. Pools adjacent violators (Kruskal, "Nonmetric multidimensional
 * scaling: a numerical method", 1964). Primary ties are put in order of distance: m->pair and distance
 * change. */
void mds_isotonic_fit(mds_isotonic *m, double *distance, double *fitted);

#endif
