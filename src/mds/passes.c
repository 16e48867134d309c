#include "mds/passes.h"

GPU_DEFINE_PASSES(MDS_PASSES, mds_passes)
