/* What stands above every chart: a title and a line beneath it. */
#ifndef GLSHAPE_PLOT_HEAD_H
#define GLSHAPE_PLOT_HEAD_H

#include "plot/canvas.h"

/* Pixels at unit 1. */
#define HEAD_MARGIN 44 /* on every side of a picture */
#define HEAD_LINE 20   /* the font of the line beneath the title */

/* Pixels from the top of the picture to what is below the head; title: whether there is one. */
double head_height(bool title, double unit);
/* title may be NULL. Both are cut where the picture ends. */
void head_draw(plot_canvas *c, double unit, const char *title, const char *line);

#endif
