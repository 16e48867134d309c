/* The branches of a field, for other methods. */
#ifndef GLSHAPE_MERGETREE_MERGETREE_H
#define GLSHAPE_MERGETREE_MERGETREE_H

#include "gpu/gpu.h"

/* Whether a field of n vertices is done on the processor: it is small, and no device is named. */
bool mergetree_is_small(const gpu *g, size_t n);

/* As glshape_mergetree, within a method that has begun: facts and GPU memory count as that method's. */
glshape_status mergetree_compute(gpu *g, const glshape_field *field, const glshape_mergetree_options *options,
                                 glshape_mergetree_result *result);

#endif
