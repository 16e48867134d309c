#include "prim/passes.h"

GPU_DEFINE_PASSES(PRIM_PASSES, prim_passes)
