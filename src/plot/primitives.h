/* A canvas as the painter takes it: capsules and rectangles. Text becomes strokes. */
#ifndef GLSHAPE_PLOT_PRIMITIVES_H
#define GLSHAPE_PLOT_PRIMITIVES_H

#include "plot/canvas.h"

/* In pixels. radius < 0: the rectangle (x0,y0)-(x1,y1). */
typedef struct primitive {
    float x0, y0, x1, y1, radius;
    uint32_t colour;
} primitive;

typedef struct primitives {
    primitive *at;
    size_t count;
} primitives;

/* Sets *out to the canvas's shapes in painting order; free(out->at). GLSHAPE_NO_MEMORY, or
 * GLSHAPE_BAD_ARGUMENT for more than 2^32 - 2 of them. */
glshape_status primitives_of(error *err, const plot_canvas *c, primitives *out);

#endif
