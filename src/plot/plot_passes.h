/* The passes that paint a canvas; raster.c runs them. */
#ifndef GLSHAPE_PLOT_PLOT_PASSES_H
#define GLSHAPE_PLOT_PLOT_PASSES_H

#include "gpu/gpu.h"

enum { PLOT_CLEAR, PLOT_PAINT, PLOT_RESOLVE };
extern const gpu_pass plot_passes[];
extern const int plot_pass_count;

/* Samples per pixel are PLOT_SAMPLES × PLOT_SAMPLES; PLOT_DEFINES tells the shaders. */
#define PLOT_SAMPLES 4
#define PLOT_DEFINES "SAMPLES=4"

/* Values of the colour curve: entry i holds what 8-bit sRGB i is in linear light, 0..PLOT_LINEAR_ONE, and the
 * least sum over a pixel's samples that is written as i. */
#define PLOT_LINEAR_ONE 65535u

#endif
