#include "delaunay/passes.h"

GPU_DEFINE_PASSES(DELAUNAY_PASSES, delaunay_passes)
