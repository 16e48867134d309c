/* Dense or sparse rows as a matrix of their distances, which is never stored here. */
#ifndef GLSHAPE_MDS_COMPARE_H
#define GLSHAPE_MDS_COMPARE_H

#include "dist/source.h"

typedef struct mds_compared {
    glshape_metric metric;
    norm norm;
    size_t n, columns;
    double *rows; /* n × columns; NULL: sparse */
    dist_sparse_rows sparse;
} mds_compared;

/* Whether the passes cannot compare rows of a source. */
static inline bool mds_compares(const glshape_source *s) {
    return (s->points != NULL) != (s->sparse != NULL) && !s->reader && !s->graph && !s->feeder &&
           (s->metric == GLSHAPE_METRIC_CHEBYSHEV || s->metric == GLSHAPE_METRIC_MINKOWSKI);
}
/* Sets *out to source with a reader in place of its rows; c and source must outlive it. mds_compared_free(),
 * also after a failure. Errors: as glshape_mds. */
glshape_status mds_compare(error *err, const glshape_source *source, mds_compared *c, glshape_source *out);
void mds_compared_free(mds_compared *c);
/* The distance of rows i and j, in double. GLSHAPE_BAD_INPUT: no layout could hold it. */
glshape_status mds_compared_distance(error *err, const mds_compared *c, size_t i, size_t j, double *out);

#endif
