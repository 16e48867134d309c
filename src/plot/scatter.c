#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/random.h"
#include "plot/axes.h"
#include "plot/head.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/region.h"
#include "plot/sheet.h"

#define MARGIN HEAD_MARGIN
#define TICK 18
#define LEGEND 20
#define EDGE_WIDTH 1.1
#define EDGE_COLOUR 0x9AA5B1
#define WIDE 1.25 /* a picture wider than this times its height has its legend beside the points */

/* Sizes above are pixels at this size. */
static const sheet paper = {"a scatter plot", 1200, 1200, 200, 200, 0.5};
static const sheet strip = {"a scatter plot", 1200, 360, 200, 200, 0.5}; /* of one dimension */

typedef struct chart {
    const glshape_chart_scatter *o;
    const char *title;
    plot_canvas *canvas;
    double unit; /* pixels per pixel at the default size */
    double radius;
    bool beside; /* the legend is right of the points, not below */
    legend legend;
    axes axes;
} chart;

/* ---- the input -------------------------------------------------------------------------------- */

glshape_status plot_check_scatter(error *err, const glshape_chart_scatter *o) {
    if (o->dim == 0)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a scatter plot needs at least one coordinate a point");
    if (o->n > UINT32_MAX / 2)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a scatter plot of %zu points: at most %u can be drawn", o->n,
                    UINT32_MAX / 2);
    for (size_t i = 0; i < o->n * o->dim; i++)
        if (!isfinite(o->xy[i]))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "row %zu, column %zu of the points is not finite",
                        i / o->dim + 1, i % o->dim + 1);
    for (size_t i = 0; o->labels && i < o->n; i++)
        if (o->labels[i] >= o->classes)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "point %zu has class %u, but there are %u classes", i,
                        o->labels[i], o->classes);
    return GLSHAPE_OK;
}

static double coordinate(const glshape_chart_scatter *o, size_t i, size_t k) {
    return k < o->dim ? o->xy[i * o->dim + k] : 0;
}

static axes_range range_of(const glshape_chart_scatter *o) {
    axes_range r = {{0, 0}, {0, 0}};
    for (size_t k = 0; k < 2 && o->n; k++) r.lo[k] = DBL_MAX, r.hi[k] = -DBL_MAX;
    for (size_t i = 0; i < o->n; i++)
        for (size_t k = 0; k < 2; k++) {
            r.lo[k] = fmin(r.lo[k], coordinate(o, i, k));
            r.hi[k] = fmax(r.hi[k], coordinate(o, i, k));
        }
    return r;
}

static uint32_t colour_of(const glshape_chart_scatter *o, uint32_t class) {
    return o->noise && class + 1 == o->classes ? PALETTE_NOISE : palette_colour(class);
}

/* ---- layout ----------------------------------------------------------------------------------- */

/* Makes the legend; a class without points is left out. */
static glshape_status fill_legend(error *err, chart *ch) {
    const glshape_chart_scatter *o = ch->o;
    OWNED size_t *counts = NULL;
    if (!o->labels) return GLSHAPE_OK;
    TRY(allocate(err, &counts, o->classes, sizeof *counts, "the counts of the classes"));
    for (size_t i = 0; i < o->n; i++) counts[o->labels[i]]++;
    for (uint32_t k = 0; k < o->classes; k++) {
        char number[32];
        if (o->noise && k + 1 == o->classes) snprintf(number, sizeof number, "noise");
        else snprintf(number, sizeof number, "%.16s %u", o->kind ? o->kind : "class", k);
        if (counts[k])
            legend_add(&ch->legend, o->names ? o->names[k] : number, counts[k], colour_of(ch->o, k));
    }
    return GLSHAPE_OK;
}

/* Frame, legend and axes for labels that take `left` pixels left of the frame. */
static void place_parts(chart *ch, const axes_range *range, double left) {
    double u = ch->unit, margin = MARGIN * u, width = ch->canvas->width, height = ch->canvas->height;
    axes_frame f = {margin + left, head_height(ch->title != NULL, u), width - margin, height - margin};
    f.y1 -= axes_below(&(axes){.font = TICK * u});
    if (ch->legend.classes && ch->beside) {
        legend_fit(&ch->legend, 0.3 * width, f.y1 - f.y0, 1);
        f.x1 -= ch->legend.width + margin;
    } else if (ch->legend.classes) {
        legend_fit(&ch->legend, f.x1 - f.x0, 0.34 * height, LEGEND_ENTRIES + 1);
        f.y1 -= ch->legend.height + margin / 2;
    }
    f = (axes_frame){floor(f.x0), floor(f.y0), floor(f.x1), floor(f.y1)};
    double pad = ch->radius + 0.03 * fmin(f.x1 - f.x0, f.y1 - f.y0);
    ch->axes = axes_fit(f, *range, pad, TICK * u, ch->o->dim == 1);
}

/* The width of labels depends on the scale, and the scale on the width of labels: three rounds are enough. */
static void lay_out(chart *ch) {
    axes_range range = range_of(ch->o);
    double left = 0;
    for (int round = 0; round < 3; round++) {
        place_parts(ch, &range, left);
        left = fmax(left, axes_left(&ch->axes));
    }
}

/* ---- drawing ---------------------------------------------------------------------------------- */

static void draw_head(const chart *ch) {
    const glshape_chart_scatter *o = ch->o;
    char number[32], text[128];
    legend_number(number, sizeof number, o->n);
    int used = snprintf(text, sizeof text, "%s point%s", number, o->n == 1 ? "" : "s");
    if (o->dim > 2) snprintf(text + used, sizeof text - (size_t)used, ", dimensions 1 and 2 of %zu", o->dim);
    head_draw(ch->canvas, ch->unit, ch->title, text);
}

static void draw_legend(const chart *ch) {
    const axes_frame *f = &ch->axes.frame;
    double margin = MARGIN * ch->unit;
    if (!ch->legend.classes) return;
    if (ch->beside) legend_draw(&ch->legend, ch->canvas, f->x1 + margin, f->y0);
    else legend_draw(&ch->legend, ch->canvas, f->x0, f->y1 + axes_below(&ch->axes) + margin / 2);
}

/* A large disc has a white rim, so that neighbours stay apart. */
static void draw_point(const chart *ch, size_t i) {
    const glshape_chart_scatter *o = ch->o;
    double x = axes_x(&ch->axes, coordinate(o, i, 0)), y = axes_y(&ch->axes, coordinate(o, i, 1));
    double rim = ch->radius >= 2.2 ? fmin(1, 0.2 * ch->radius) : 0;
    if (rim > 0) plot_disc(ch->canvas, x, y, ch->radius + rim / 2, PALETTE_PAPER);
    palette_disc(ch->canvas, x, y, ch->radius - rim / 2, colour_of(o, o->labels ? o->labels[i] : 0));
}

static void draw_edges(const chart *ch) {
    const glshape_chart_scatter *o = ch->o;
    if (!o->edges) return;
    for (size_t v = 0; v < o->n; v++)
        for (size_t k = o->edges->start[v]; k < o->edges->start[v + 1]; k++) {
            size_t w = o->edges->to[k];
            if (w <= v) continue; /* each edge is there from both its ends */
            plot_line(ch->canvas, axes_x(&ch->axes, coordinate(o, v, 0)),
                      axes_y(&ch->axes, coordinate(o, v, 1)), axes_x(&ch->axes, coordinate(o, w, 0)),
                      axes_y(&ch->axes, coordinate(o, w, 1)), EDGE_WIDTH * ch->unit, EDGE_COLOUR);
        }
}

static bool is_noise(const glshape_chart_scatter *o, size_t i) {
    return o->noise && o->labels && o->labels[i] + 1 == o->classes;
}

/* Noise lies beneath the others. */
static glshape_status draw_points(error *err, const chart *ch) {
    OWNED uint32_t *order = NULL;
    TRY(allocate(err, &order, ch->o->n, sizeof *order, "the order of the points"));
    random_state state = {1};
    random_permutation(&state, (uint32_t)ch->o->n, order);
    for (int beneath = ch->o->noise; beneath >= 0; beneath--)
        for (size_t i = 0; i < ch->o->n; i++)
            if (is_noise(ch->o, order[i]) == beneath) draw_point(ch, order[i]);
    return GLSHAPE_OK;
}

/* 7.5 pixels for 100 points, 1.2 for a million. */
static double radius_for(size_t n, double unit) {
    double r = 1.2 * pow(1e6 / fmax((double)n, 1), 0.2) * unit;
    return fmin(fmax(r, 0.8), 9 * unit);
}

glshape_status plot_scatter(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_scatter *o) {
    chart ch = {.o = o, .title = on->title, .canvas = c};
    TRY(sheet_new(err, o->dim == 1 ? &strip : &paper, on, c, &ch.unit));
    TRY(plot_check_scatter(err, o));
    ch.radius = radius_for(o->n, ch.unit) * (o->edges || o->region ? 0.6 : 1);
    ch.beside = c->width > WIDE * c->height;
    ch.legend.font = LEGEND * ch.unit;
    TRY(fill_legend(err, &ch));
    lay_out(&ch);
    draw_head(&ch);
    axes_draw(&ch.axes, c);
    if (o->region) TRY(region_draw(err, c, &ch.axes, o, ch.unit));
    draw_edges(&ch);
    TRY(draw_points(err, &ch));
    draw_legend(&ch);
    return plot_canvas_check(err, c);
}
