/* The sort of lists in memory, by passes where they are long. */
#ifndef GLSHAPE_PRIM_SORT_H
#define GLSHAPE_PRIM_SORT_H

#include "base/radix.h"
#include "gpu/gpu.h"

/* As radix_sort, of keys below 2^bits, bits 32 or 64; device: by passes, if the items are many, and the
 * device is trusted and has the memory. Errors: GLSHAPE_NO_MEMORY, GLSHAPE_GPU_ERROR. */
glshape_status prim_sort(gpu *g, bool device, radix_item *items, size_t count, uint32_t bits);

/* Whether so many items are worth the passes. */
bool prim_is_long(gpu *g, size_t count);

/* *why stays, if it is for the device, where passes sort so many items. */
glshape_status prim_sorts(gpu *g, size_t count, run_why *why);
/* The same of items that are on the device already, however few they are. */
glshape_status prim_sorts_there(gpu *g, size_t count, run_why *why);

#endif
