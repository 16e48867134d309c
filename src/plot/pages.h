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
glshape_status pages_barcode(error *err, const glshape_picture_options *on, const glshape_chart_barcode *o,
                             FILE *to);
glshape_status pages_dendrogram(error *err, const glshape_picture_options *on,
                                const glshape_chart_dendrogram *o, FILE *to);
glshape_status pages_icicles(error *err, const glshape_picture_options *on, const glshape_chart_icicles *o,
                             FILE *to);
glshape_status pages_merge_tree(error *err, const glshape_picture_options *on,
                                const glshape_chart_branches *o, FILE *to);
glshape_status pages_atlas(error *err, const glshape_picture_options *on, const glshape_chart_atlas *o,
                           FILE *to);
glshape_status pages_branch_rows(error *err, const glshape_picture_options *on, const plot_branch_rows *o,
                                 FILE *to);

#endif
