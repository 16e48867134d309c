#include "alpha/passes.h"

GPU_DEFINE_PASSES(ALPHA_PASSES, alpha_passes)
