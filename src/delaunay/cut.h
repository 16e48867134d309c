/* Cutting points to pairs, which is the order that blocks are merged in. Inside src/delaunay. */
#ifndef GLSHAPE_DELAUNAY_CUT_H
#define GLSHAPE_DELAUNAY_CUT_H

#include "base/threads.h"

typedef struct delaunay_item {
    double x, y;
    uint32_t row;
} delaunay_item;

/* Reorders n distinct points so that blocks are cut as delaunay_order says: each across its longer side.
 * ends, of n + 2, is filled with rows in place of places. GLSHAPE_NO_MEMORY. */
glshape_status delaunay_cut(error *err, threads_team *team, delaunay_item *items, uint32_t n, uint32_t *ends);

#endif
