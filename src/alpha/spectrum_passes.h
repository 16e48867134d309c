/* The passes from a triangulation to its thresholds, one table. */
#ifndef GLSHAPE_ALPHA_SPECTRUM_PASSES_H
#define GLSHAPE_ALPHA_SPECTRUM_PASSES_H

#include "gpu/gpu.h"

enum {
    SPECTRUM_COUNT_EDGES,
    SPECTRUM_EDGES,
    SPECTRUM_KEYS,
    SPECTRUM_NEAR,
    SPECTRUM_COMPARE,
    SPECTRUM_FRESH,
    SPECTRUM_RANKS,
    SPECTRUM_EDGE_INTERVALS,
    SPECTRUM_TRIANGLE_INTERVALS,
    SPECTRUM_PASSES
};

extern const gpu_pass spectrum_passes[];
extern const int spectrum_pass_count;

#endif
