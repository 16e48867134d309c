#include "cubical/passes.h"

GPU_DEFINE_PASSES(CUBICAL_PASSES, cubical_passes)
