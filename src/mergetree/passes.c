#include "mergetree/passes.h"

GPU_DEFINE_PASSES(MERGETREE_PASSES, mergetree_passes)
