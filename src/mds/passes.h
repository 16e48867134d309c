/* The passes of this folder, one table. */
#ifndef GLSHAPE_MDS_PASSES_H
#define GLSHAPE_MDS_PASSES_H

#include "gpu/gpu.h"

enum { MDS_SAMPLE, MDS_MOVE, MDS_SETTLE, MDS_ESTIMATE, MDS_STRESS, MDS_ROW_STRESS };

extern const gpu_pass mds_passes[];
extern const int mds_pass_count;
extern const gpu_pass mds_sparse_passes[]; /* the same for sparse rows */
extern const int mds_sparse_pass_count;

#endif
