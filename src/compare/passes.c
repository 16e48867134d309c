#include "compare/passes.h"

GPU_DEFINE_PASSES(COMPARE_PASSES, compare_passes)
