/* Paints a canvas on the GPU, band of rows by band of rows, so that GPU memory stays modest for any picture.
 */
#ifndef GLSHAPE_PLOT_RASTER_H
#define GLSHAPE_PLOT_RASTER_H

#include "gpu/gpu.h"
#include "plot/canvas.h"

/* The size of batches; 0 is the default. Tests make them tiny. */
typedef struct raster_limits {
    size_t sample_bytes; /* of the band's samples; 0: 32 MiB. At least one row of pixels is taken */
    uint32_t items;      /* shapes sent to the GPU at once; 0: 32768 */
} raster_limits;

/* Paints c into out: height × width pixels 0xRRGGBB, row after row from the top. The result does not depend
 * on the device or the limits. If GPU memory is short, the bands become smaller. */
glshape_status raster_paint(gpu *g, error *err, const plot_canvas *c, const raster_limits *limits,
                            uint32_t *out);

#endif
