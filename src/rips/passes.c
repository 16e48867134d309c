#include "rips/passes.h"

GPU_DEFINE_PASSES(RIPS_PASSES, rips_passes)
