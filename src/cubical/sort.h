/* The sort of long lists. Inside src/cubical. */
#ifndef GLSHAPE_CUBICAL_SORT_H
#define GLSHAPE_CUBICAL_SORT_H

#include "base/radix.h"
#include "gpu/gpu.h"

/* As radix_sort; device: by passes, if the items are many, and the device is trusted and has the memory.
 * Errors: GLSHAPE_NO_MEMORY, GLSHAPE_GPU_ERROR. */
glshape_status cubical_sort(gpu *g, bool device, radix_item *items, size_t count);

/* Whether so many items are worth the passes. */
bool cubical_is_long(gpu *g, size_t count);

#endif
