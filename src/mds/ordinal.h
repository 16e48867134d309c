/* Ordinal (non-metric) scaling: distances in the order of the dissimilarities. */
#ifndef GLSHAPE_MDS_ORDINAL_H
#define GLSHAPE_MDS_ORDINAL_H

#include "gpu/gpu.h"

/* GLSHAPE_MDS_ORDINAL of glshape_mds. r is zeroed; after a failure, too, it is the caller's to free.
 * Errors: as glshape_mds. */
glshape_status mds_ordinal(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                           glshape_mds_result *r);

#endif
