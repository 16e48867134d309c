#include "hdbscan/passes.h"

GPU_DEFINE_PASSES(HDBSCAN_PASSES, hdbscan_passes)
