#include "index/passes.h"

GPU_DEFINE_PASSES(INDEX_PASSES, index_passes)
