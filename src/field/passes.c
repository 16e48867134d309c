#include "field/passes.h"

GPU_DEFINE_PASSES(FIELD_PASSES, field_passes)
