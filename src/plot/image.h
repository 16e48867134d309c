/* An image as a part of a chart. */
#ifndef GLSHAPE_PLOT_IMAGE_H
#define GLSHAPE_PLOT_IMAGE_H

#include "plot/axes.h"
#include "plot/canvas.h"

typedef struct image {
    size_t rows, columns;   /* from the top */
    const uint32_t *cells;  /* rows × columns: numbers of colours */
    const uint32_t *colour; /* 0xRRGGBB */
} image;

/* Returns the part of a frame, from its top left corner on, that the image fills with square cells. */
axes_frame image_place(const image *m, axes_frame within);
/* Draws the image there row by row, a rectangle for each run of one colour. If cells are smaller than pixels,
 * a pixel shows the cell at its middle. */
void image_draw(const image *m, plot_canvas *c, axes_frame place);

#endif
