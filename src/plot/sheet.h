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

/* Makes a canvas of white paper of width × height pixels; 0 stands for the sheet's own side. *unit: pixels
 * for one pixel of the default size. GLSHAPE_BAD_ARGUMENT, with the least size, if it is too small. */
glshape_status sheet_new(error *err, const sheet *s, uint32_t width, uint32_t height, plot_canvas *out,
                         double *unit);

#endif
