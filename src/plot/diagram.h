/* The panel of a persistence diagram: birth to the right, death upwards, the diagonal between them. */
#ifndef GLSHAPE_PLOT_DIAGRAM_H
#define GLSHAPE_PLOT_DIAGRAM_H

#include "plot/axes.h"

typedef struct diagram {
    size_t n;
    const double (
        *pairs)[2];          /* n times birth, death; a death that is not finite stands at the frame's edge */
    const uint32_t *colours; /* n; dots of colour PALETTE_AXIS are painted first, beneath the others */
    bool falling;            /* deaths are below births, and infinite ones stand at the lower edge */
} diagram;

/* Returns the range of all finite births and deaths, the same on both axes; 0 to 0 if there are none. */
axes_range diagram_range(size_t n, const double (*pairs)[2]);
/* Returns the axes that diagram_draw() draws. */
axes diagram_axes(axes_frame frame, axes_range range, double unit, size_t n);
/* Draws the panel. range: from diagram_range(); unit: pixels for one pixel of the default size. */
void diagram_draw(plot_canvas *c, axes_frame frame, axes_range range, double unit, const diagram *d);

#endif
