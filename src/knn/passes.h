/* The passes of this folder, one table. */
#ifndef GLSHAPE_KNN_PASSES_H
#define GLSHAPE_KNN_PASSES_H

#include "gpu/gpu.h"

enum { KNN_FIND, KNN_ACROSS, KNN_GATHER, KNN_TAKE };

extern const gpu_pass knn_passes[];
extern const int knn_pass_count;

#endif
