/* Regions beneath the points of a scatter plot. Inside src/plot. */
#ifndef GLSHAPE_PLOT_REGION_H
#define GLSHAPE_PLOT_REGION_H

#include "plot/axes.h"
#include "plot/plot.h"

/* Draws o->region. GLSHAPE_NO_MEMORY. */
glshape_status region_draw(error *err, plot_canvas *c, const axes *a, const glshape_chart_scatter *o,
                           double unit);

#endif
