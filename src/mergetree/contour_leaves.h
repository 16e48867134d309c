/* The leaves of a contour tree, by passes, as far as many go at a time. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_LEAVES_H
#define GLSHAPE_MERGETREE_CONTOUR_LEAVES_H

#include "mergetree/contour_by_passes.h"

/* Takes leaves away, in so many rounds of both directions at most, from the nodes that the device keeps.
 * *rest becomes the nodes that are left, as contour_tree_begin() leaves them, without reach, for
 * contour_tree_merge(). GLSHAPE_NO_MEMORY, GLSHAPE_NO_GPU_MEMORY. GLSHAPE_GPU_ERROR: the device computes what
 * cannot be. */
glshape_status contour_leaves_take(gpu *g, contour_kept *kept, uint32_t rounds, contour_tree *rest);
/* Then adds what has become of these. */
glshape_status contour_leaves_end(gpu *g, contour_kept *kept, const contour_tree *rest);

#endif
