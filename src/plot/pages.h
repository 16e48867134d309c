/* Charts as pages. */
#ifndef GLSHAPE_PLOT_PAGES_H
#define GLSHAPE_PLOT_PAGES_H

#include "plot/plot.h"

/* Writes the chart as a page. Errors: those of the chart; GLSHAPE_BAD_ARGUMENT: there is no page of its kind;
 * GLSHAPE_IO_ERROR if writing fails. */
glshape_status pages_write(error *err, const glshape_picture_options *on, const glshape_chart *chart,
                           FILE *to);

glshape_status pages_scatter(error *err, const glshape_picture_options *on, const glshape_chart_scatter *o,
                             FILE *to);

#endif
