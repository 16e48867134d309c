/* The branches of a field, for other methods. */
#ifndef GLSHAPE_MERGETREE_MERGETREE_H
#define GLSHAPE_MERGETREE_MERGETREE_H

#include "gpu/gpu.h"

/* Whether a field of n vertices is done on the processor: it is small, and no device is named. */
bool mergetree_is_small(const gpu *g, size_t n);

/* As glshape_mergetree, within a method that has begun: facts and GPU memory count as that method's. */
glshape_status mergetree_compute(gpu *g, const glshape_field *field, const glshape_mergetree_options *options,
                                 glshape_mergetree_result *result);
/* The same; in place of triplets, *on (free() it) gets for each vertex the one where its branch begins. */
glshape_status mergetree_compute_on(gpu *g, const glshape_field *field,
                                    const glshape_mergetree_options *options,
                                    glshape_mergetree_result *result, uint32_t **on);

#endif
