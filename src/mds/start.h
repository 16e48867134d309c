/* The layout that a caller starts from. */
#ifndef GLSHAPE_MDS_START_H
#define GLSHAPE_MDS_START_H

#include "base/error.h"

/* *out becomes the start layout of the options, n × dim (free() it); NULL if there is none.
 * GLSHAPE_BAD_ARGUMENT: the method has none; GLSHAPE_BAD_INPUT: its shape or a value is wrong;
 * GLSHAPE_NO_MEMORY. */
glshape_status mds_start_new(error *err, const glshape_mds_options *o, size_t n, uint32_t dim, double **out);

#endif
