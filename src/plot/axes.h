/* A plane with equal units on both axes: where the data stands, grid lines at round numbers, and their
 * labels. */
#ifndef GLSHAPE_PLOT_AXES_H
#define GLSHAPE_PLOT_AXES_H

#include "plot/canvas.h"

/* The rectangle of the canvas that shows data, in pixels: left, top, right, bottom. */
typedef struct axes_frame {
    double x0, y0, x1, y1;
} axes_frame;

/* lo <= hi of each coordinate, in data units. */
typedef struct axes_range {
    double lo[2], hi[2];
} axes_range;

/* pixel x = frame.x0 + (x·unit - left)·scale, pixel y = frame.y1 - (y·unit - bottom)·scale. */
typedef struct axes {
    axes_frame frame;
    double unit;                /* 1; another power of two near the ends of the doubles' range */
    double left, bottom, scale; /* scale: pixels per data unit / unit */
    double step;                /* between grid lines, in data units × unit */
    double font;                /* of labels, pixels per em */
    bool bare_y;                /* the vertical axis has no labels */
    bool bare_x;                /* the horizontal axis has neither lines nor labels; set after axes_fit */
} axes;

/* Returns the axes with the largest scale at which range fits into the frame, centred, with `pad` pixels to
 * spare on each side. */
axes axes_fit(axes_frame frame, axes_range range, double pad, double font, bool bare_y);
double axes_x(const axes *a, double x);
double axes_y(const axes *a, double y);
/* Return how many pixels the labels need left of the frame and below it. */
double axes_left(const axes *a);
double axes_below(const axes *a);
void axes_draw(const axes *a, plot_canvas *c);

/* Returns the least of 1, 2 and 5 times a power of ten that is >= v; v > 0. */
double axes_nice(double v);
/* Prints value, a multiple of step, with as many digits as multiples of step up to `most` need. */
void axes_label(char *out, size_t size, double value, double step, double most);

#endif
