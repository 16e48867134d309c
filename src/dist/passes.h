/* The passes of this folder, one table. */
#ifndef GLSHAPE_DIST_PASSES_H
#define GLSHAPE_DIST_PASSES_H

#include "gpu/gpu.h"

enum { DIST_TABLE, DIST_SPARSE_TABLE };

extern const gpu_pass dist_passes[];
extern const int dist_pass_count;

#endif
