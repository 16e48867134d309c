/* The paper of a chart: its size, and how large things are on it. */
#ifndef GLSHAPE_PLOT_SHEET_H
#define GLSHAPE_PLOT_SHEET_H

#include "plot/canvas.h"

typedef struct sheet {
    const char *what;                   /* "a barcode" */
    uint32_t width, height;             /* by default */
    uint32_t least_width, least_height; /* that can be drawn on */
    double least_unit;
} sheet;

/* Makes a canvas of white paper, of the sheet's own size where the options have none. *unit: pixels for one
 * pixel of the default size. GLSHAPE_BAD_ARGUMENT, with the least size, if it is too small. */
glshape_status sheet_new(error *err, const sheet *s, const glshape_picture_options *on, plot_canvas *out,
                         double *unit);

#endif
