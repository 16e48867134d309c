/* Pictures as files: from a result to a .png or .svg on disk. */
#ifndef GLSHAPE_PLOT_PICTURE_H
#define GLSHAPE_PLOT_PICTURE_H

#include "plot/plot.h"

/* Draw a chart and write it to path, whole or not at all ("-" is not possible). context paints PNGs.
 * Errors: those of the chart (plot.h), plot_write and io_output_open. */
glshape_status plot_scatter_picture(glshape_context *context, error *err, const plot_scatter_options *o,
                                    const char *path);
glshape_status plot_dendrogram_picture(glshape_context *context, error *err, const plot_dendrogram_options *o,
                                       const char *path);

glshape_status plot_barcode_picture(glshape_context *context, error *err, const plot_barcode_options *o,
                                    const char *path);

glshape_status plot_branches_picture(glshape_context *context, error *err, const plot_branches_options *o,
                                     const char *path);

glshape_status plot_icicles_picture(glshape_context *context, error *err, const plot_icicles_options *o,
                                    const char *path);

glshape_status plot_marks_picture(glshape_context *context, error *err, const plot_marks_options *o,
                                  const char *path);

#endif
