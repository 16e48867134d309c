/* Polygons as rows of rectangles, which is what the painter knows. Inside src/plot. */
#ifndef GLSHAPE_PLOT_POLYGON_H
#define GLSHAPE_PLOT_POLYGON_H

#include "plot/canvas.h"

/* Called with each part of a row of pixels whose middle line is inside. */
typedef void (*polygon_emit)(void *user, float x0, float y0, float x1, float y1);

/* In the first `height` rows. GLSHAPE_NO_MEMORY. */
glshape_status polygon_rows(error *err, const plot_corner *corners, size_t count, uint32_t height,
                            polygon_emit emit, void *user);

#endif
