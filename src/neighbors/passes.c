#include "neighbors/passes.h"

GPU_DEFINE_PASSES(KNN_PASSES, knn_passes)
