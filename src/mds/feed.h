/* A feeder of few points as a matrix: a layout asks for all pairs anyway. */
#ifndef GLSHAPE_MDS_FEED_H
#define GLSHAPE_MDS_FEED_H

#include "run/run.h"

/* A layout of so many points asks for 99.7 % of the pairs. One of more points asks for fewer: of 5,000, 65 %.
 */
#define MDS_FED_POINTS 3000u

typedef struct mds_fed {
    size_t n;
    float *distance; /* n × n */
} mds_fed;

static inline bool mds_feeds_all(const glshape_source *s) {
    return s->feeder && !s->points && !s->sparse && !s->graph && !s->reader && s->n >= 2 &&
           s->n <= MDS_FED_POINTS;
}
/* Asks the feeder of source for each pair once, and sets *out to source with a reader of the answers in its
 * place; fed must outlive it. mds_fed_free(), also after a failure. Errors: as glshape_mds. */
glshape_status mds_feed_all(run *r, const glshape_source *source, mds_fed *fed, glshape_source *out);
void mds_fed_free(mds_fed *fed);

#endif
