/* The passes of this folder, one table a kind of source. */
#ifndef GLSHAPE_MDS_PASSES_H
#define GLSHAPE_MDS_PASSES_H

#include "gpu/gpu.h"

enum { MDS_SAMPLE, MDS_MOVE, MDS_SETTLE, MDS_ESTIMATE, MDS_STRESS, MDS_ROW_STRESS, MDS_PASS_COUNT };

extern const gpu_pass mds_passes[MDS_PASS_COUNT];
extern const gpu_pass mds_sparse_passes[MDS_PASS_COUNT]; /* for sparse rows; no MDS_ROW_STRESS */
/* The same with weights, to be run with the define WEIGHTED. */
extern const gpu_pass mds_weighted_passes[MDS_PASS_COUNT];
extern const gpu_pass mds_weighted_sparse_passes[MDS_PASS_COUNT];

#endif
