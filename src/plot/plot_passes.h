/* The passes that paint a canvas; raster.c runs them. */
#ifndef GLSHAPE_PLOT_PLOT_PASSES_H
#define GLSHAPE_PLOT_PLOT_PASSES_H

#include "gpu/pass.h"

/* Samples per pixel are PLOT_SAMPLES × PLOT_SAMPLES; PLOT_DEFINES tells the shaders. */
#define PLOT_SAMPLES 4
#define PLOT_DEFINES "SAMPLES=4"

/* Values of the colour curve: entry i holds what 8-bit sRGB i is in linear light, 0..PLOT_LINEAR_ONE, and the
 * least sum over a pixel's samples that is written as i. */
#define PLOT_LINEAR_ONE 65535u

/* clang-format off */
#define PLOT_CLEAR(P) P(WRITE, R32UI, top)

#define PLOT_PAINT(P)                                                                             \
    P(READ, RGBA32F, geometry) P(READ, R32F, radius) P(READ, RGBA32UI, box) P(ATOMIC, R32UI, top) \
    P(UINT, items) P(UINT, stride) P(UINT, first_row)

#define PLOT_RESOLVE(P)                                                                        \
    P(READ, R32UI, top) P(READ, R32UI, colour) P(READ, RG32UI, curve) P(WRITE, R32UI, picture) \
    P(UINT, width) P(UINT, background)

#define PLOT_PASSES(PASS)                                          \
    PASS(plot_clear, "plot/clear", GPU_EACH_ELEMENT, PLOT_CLEAR)   \
    PASS(plot_paint, "plot/paint", GPU_GROUPS_OF(256), PLOT_PAINT) \
    PASS(plot_resolve, "plot/resolve", GPU_EACH_ELEMENT GPU_WITH(PLOT_DEFINES), PLOT_RESOLVE)
/* clang-format on */
GPU_DECLARE_PASSES(PLOT_PASSES, plot_passes)

#endif
