#include "tree/passes.h"

GPU_DEFINE_PASSES(TREE_PASSES, tree_passes)
