/* The panel of a persistence diagram: birth to the right, death upwards, the diagonal between them. */
#ifndef GLSHAPE_PLOT_DIAGRAM_H
#define GLSHAPE_PLOT_DIAGRAM_H

#include "plot/axes.h"

typedef struct diagram {
    size_t n;
    const double (*pairs)[2]; /* n times birth, death; a death that is not finite lies at the frame's edge */
    const uint32_t *colours;  /* n; those of colour PALETTE_AXIS lie beneath the others */
    bool falling;             /* deaths lie below births, and that edge is the lower one */
} diagram;

/* The least and greatest of all finite births and deaths, in both directions; 0 if there are none. */
axes_range diagram_range(size_t n, const double (*pairs)[2]);
/* The axes that diagram_draw draws. */
axes diagram_axes(axes_frame frame, axes_range range, double unit, size_t n);
/* range: what diagram_range says; unit: pixels per pixel at the default size. */
void diagram_draw(plot_canvas *c, axes_frame frame, axes_range range, double unit, const diagram *d);

#endif
