/* The head of every chart: a title and a line beneath it. */
#ifndef GLSHAPE_PLOT_HEAD_H
#define GLSHAPE_PLOT_HEAD_H

#include "plot/canvas.h"

/* Pixels at unit 1. */
#define HEAD_MARGIN 44 /* on every side of a picture */
#define HEAD_LINE 20   /* the font of the line beneath the title */

/* Returns the height of the head in pixels. title: the chart has one. */
double head_height(bool title, double unit);
/* Draws the head; title may be NULL. Both lines are cut at the edge of the picture. */
void head_draw(plot_canvas *c, double unit, const char *title, const char *line);

#endif
