/* The elder rule on the GPU, in rounds over the graph of basins. */
#ifndef GLSHAPE_MERGETREE_PAIRS_H
#define GLSHAPE_MERGETREE_PAIRS_H

#include "mergetree/basins.h"

/* In each round every component looks at its lowest edge. If that leads to an older one, it ends there and
 * becomes part of it; else it waits. Rounds go on until at most `few` edges are left, or hardly fewer: these
 * are the CPU's (branches_new). Takes b's edges; b->branch is then the forest as basins_regular needs it.
 * *tree has no jumps and depths. 16 bytes of texture a minimum beside the edges, and 10 an edge for these;
 * afterwards 32 a minimum. */
glshape_status pairs_find(gpu *g, basins *b, uint32_t few, branches *tree);

#endif
