/* A persistence diagram: birth to the right, death upwards, the diagonal between them. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "plot/axes.h"
#include "plot/head.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"

#define SIDE 1200 /* default width and height; sizes below are pixels at this size */
#define SIDE_MIN 200
#define TICK 18
#define DIAGONAL 0x9AA5B1

typedef struct chart {
    const plot_diagram_options *o;
    plot_canvas *canvas;
    double unit; /* pixels per pixel at the default size */
    double radius;
    size_t endless;
    axes axes;
} chart;

/* Of all births and deaths, in both directions. A birth at infinity has no place. */
static axes_range range_of(const plot_diagram_options *o) {
    double lo = DBL_MAX, hi = -DBL_MAX;
    for (size_t k = 0; k < o->n; k++)
        for (int end = 0; end < 2; end++)
            if (isfinite(o->pairs[k][end])) {
                lo = fmin(lo, o->pairs[k][end]);
                hi = fmax(hi, o->pairs[k][end]);
            }
    if (lo > hi) lo = hi = 0;
    return (axes_range){{lo, lo}, {hi, hi}};
}

static void lay_out(chart *ch) {
    axes_range range = range_of(ch->o);
    double u = ch->unit, margin = HEAD_MARGIN * u, left = 0;
    double top = head_height(ch->o->title != NULL, u);
    for (int round = 0; round < 3; round++) { /* the labels' width and the scale depend on each other */
        axes_frame f = {floor(margin + left), floor(top), floor(ch->canvas->width - margin),
                        floor(ch->canvas->height - margin - axes_below(&(axes){.font = TICK * u}))};
        ch->axes = axes_fit(f, range, 3 * ch->radius + 0.04 * (f.y1 - f.y0), TICK * u, false);
        left = fmax(left, axes_left(&ch->axes));
    }
}

static void draw_head(const chart *ch) {
    size_t ending = ch->o->n - ch->endless;
    char number[32], text[160];
    legend_number(number, sizeof number, ending);
    snprintf(text, sizeof text, "%s pair%s, birth to the right, death upwards; %zu without end at the top",
             number, ending == 1 ? "" : "s", ch->endless);
    head_draw(ch->canvas, ch->unit, ch->o->title, text);
}

static void draw_pairs(const chart *ch) {
    const axes *a = &ch->axes;
    double top = a->frame.y0 + 2 * ch->radius;
    for (size_t k = 0; k < ch->o->n; k++) {
        const double *pair = ch->o->pairs[k];
        bool ends = isfinite(pair[1]);
        if (!isfinite(pair[0])) continue;
        palette_disc(ch->canvas, axes_x(a, pair[0]), ends ? axes_y(a, pair[1]) : top,
                     ends ? ch->radius : 1.5 * ch->radius, palette_colour(ends ? 0 : 1));
    }
}

static void draw_diagonal(const chart *ch) {
    const axes *a = &ch->axes;
    axes_range r = range_of(ch->o);
    plot_line(ch->canvas, axes_x(a, r.lo[0]), axes_y(a, r.lo[1]), axes_x(a, r.hi[0]), axes_y(a, r.hi[1]),
              1.5 * ch->unit, DIAGONAL);
}

glshape_status plot_diagram(error *err, plot_canvas *c, const plot_diagram_options *o) {
    uint32_t width = o->width ? o->width : SIDE, height = o->height ? o->height : SIDE;
    *c = (plot_canvas){0};
    if (width < SIDE_MIN || height < SIDE_MIN)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "a persistence diagram of %u by %u pixels: each side must be at least %d", width, height,
                    SIDE_MIN);
    TRY(plot_canvas_new(err, c, width, height, PALETTE_PAPER));
    chart ch = {.o = o, .canvas = c, .unit = fmin(width, height) / SIDE};
    ch.radius = fmin(fmax(1.2 * pow(1e6 / fmax((double)o->n, 1), 0.2), 1.2), 7) * ch.unit;
    for (size_t k = 0; k < o->n; k++) ch.endless += !isfinite(o->pairs[k][1]);
    lay_out(&ch);
    draw_head(&ch);
    axes_draw(&ch.axes, c);
    draw_diagonal(&ch);
    draw_pairs(&ch);
    return plot_canvas_check(err, c);
}
