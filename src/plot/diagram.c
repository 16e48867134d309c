#include "plot/diagram.h"

#include <float.h>
#include <math.h>

#include "plot/palette.h"

#define TICK 18 /* pixels at unit 1 */
#define DIAGONAL 0x9AA5B1

axes_range diagram_range(size_t n, const double (*pairs)[2]) {
    double lo = DBL_MAX, hi = -DBL_MAX;
    for (size_t k = 0; k < n; k++)
        for (int end = 0; end < 2; end++)
            if (isfinite(pairs[k][end])) {
                lo = fmin(lo, pairs[k][end]);
                hi = fmax(hi, pairs[k][end]);
            }
    if (lo > hi) lo = hi = 0;
    return (axes_range){{lo, lo}, {hi, hi}};
}

/* A birth at infinity has no place. */
static void draw_pairs(plot_canvas *c, const axes *a, double radius, const diagram *d, bool beneath) {
    double edge = d->falling ? a->frame.y1 - 2 * radius : a->frame.y0 + 2 * radius;
    for (size_t k = 0; k < d->n; k++) {
        const double *pair = d->pairs[k];
        bool ends = isfinite(pair[1]);
        if (isfinite(pair[0]) && (d->colours[k] == PALETTE_AXIS) == beneath)
            palette_disc(c, axes_x(a, pair[0]), ends ? axes_y(a, pair[1]) : edge,
                         ends ? radius : 1.5 * radius, d->colours[k]);
    }
}

static double radius_for(size_t n, double unit) {
    return fmin(fmax(1.2 * pow(1e6 / fmax((double)n, 1), 0.2), 1.2), 6) * unit;
}

axes diagram_axes(axes_frame frame, axes_range range, double unit, size_t n) {
    double pad = 3 * radius_for(n, unit) + 0.04 * (frame.y1 - frame.y0);
    return axes_fit(frame, range, pad, TICK * unit, false);
}

void diagram_draw(plot_canvas *c, axes_frame frame, axes_range range, double unit, const diagram *d) {
    double radius = radius_for(d->n, unit);
    axes a = diagram_axes(frame, range, unit, d->n);
    axes_draw(&a, c);
    plot_line(c, axes_x(&a, range.lo[0]), axes_y(&a, range.lo[1]), axes_x(&a, range.hi[0]),
              axes_y(&a, range.hi[1]), 1.5 * unit, DIAGONAL);
    draw_pairs(c, &a, radius, d, true);
    draw_pairs(c, &a, radius, d, false);
}
