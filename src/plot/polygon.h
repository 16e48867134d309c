/* Polygons as rows of rectangles, which the painter can draw. Inside src/plot. */
#ifndef GLSHAPE_PLOT_POLYGON_H
#define GLSHAPE_PLOT_POLYGON_H

#include "plot/canvas.h"

/* Called with each part of a row of pixels whose centre line is inside the polygon. */
typedef void (*polygon_emit)(void *user, float x0, float y0, float x1, float y1);

/* Calls emit for the first `height` rows of pixels. GLSHAPE_NO_MEMORY. */
glshape_status polygon_rows(error *err, const plot_corner *corners, size_t count, uint32_t height,
                            polygon_emit emit, void *user);

#endif
