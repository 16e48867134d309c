#include "plot/plot_passes.h"

GPU_DEFINE_PASSES(PLOT_PASSES, plot_passes)
