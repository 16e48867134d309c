/* The triplet merge tree algorithm (Nigmetov, Morozov) on the GPU. */
#ifndef GLSHAPE_MERGETREE_TRIPLET_H
#define GLSHAPE_MERGETREE_TRIPLET_H

#include "mergetree/grid.h"

#define TRIPLET_NONE UINT32_MAX

/* saddle[u], other[u]: s and v of u's triplet; saddle TRIPLET_NONE where the component never ends (other[u]
 * is then u). 15 bytes of texture a vertex and at most 64 MiB beyond the field. */
glshape_status triplet_find(gpu *g, grid_field *f, uint32_t *saddle, uint32_t *other);

#endif
