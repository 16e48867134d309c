/* The slow, obvious painter that the GPU's pictures are compared with. */
#ifndef GLSHAPE_TESTS_PLOT_TWIN_H
#define GLSHAPE_TESTS_PLOT_TWIN_H

#include "plot/canvas.h"

/* Every pixel, every sample, every shape from the top one down. out: height × width pixels 0xRRGGBB.
 * Whether a shape covers a sample is decided in the same float operations as in glsl/plot/paint.glsl; the
 * colour is mixed in double, so that a pixel may differ by 1 where the GPU's table rounds. */
void twin_paint(const plot_canvas *c, uint32_t *out);

/* The greatest difference of one channel of one pixel. */
int twin_difference(const uint32_t *a, const uint32_t *b, size_t pixels);

#endif
