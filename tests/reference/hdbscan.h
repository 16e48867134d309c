/* The slow, obvious twin of src/hdbscan, from Campello et al. 2015 and McInnes, Healy 2017. */
#ifndef GLSHAPE_TESTS_REFERENCE_HDBSCAN_H
#define GLSHAPE_TESTS_REFERENCE_HDBSCAN_H

#include <glshape.h>

/* What the twin says of each of n points, and of the clusters. */
typedef struct ref_clusters {
    int32_t *labels;
    double *probabilities, *outlier_scores;
    uint8_t *exemplar;
    double *merges; /* n - 1 rows */
} ref_clusters;

/* Clusters n points from what pairs are compared by, n × n; INFINITY: there is no such pair. squares: it is
 * the square of their distance, else the distance. o has no zeros that stand for defaults but those of no
 * limit. Sets are copied and trees searched from the top for everything. n small. Free with ref_hdbscan_free.
 */
void ref_hdbscan(uint32_t n, const double *order, bool squares, const glshape_hdbscan_options *o,
                 ref_clusters *out);
/* The label and probability of a new point, from its distances to the points: hdbscan's approximate_predict.
 */
int32_t ref_hdbscan_predict(const glshape_hdbscan_result *r, const double *distance, double *probability);
void ref_hdbscan_free(ref_clusters *c);

#endif
