/* Barcode and persistence diagram side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/axes.h"
#include "plot/font.h"
#include "plot/head.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/sheet.h"

#define TICK 18
#define NAME 20   /* what a panel and its axes are called */
#define GROUP 1.5 /* between the bars of two dimensions, in ems of TICK */
#define ARROW 16  /* the length of an arrow beyond the frame, on a bar that never ends */
#define ROW 20    /* of a bar, at most */
#define THICK 0.7 /* of a bar, as a part of its row */
#define LEAST_ROW 3
#define BARS 80    /* drawn of a dimension, at most */
#define DOTS 20000 /* likewise */
#define STRIP 34   /* above the diagram, for classes that never end */
#define DASH 7

/* Sizes above are pixels at this size. */
static const sheet paper = {"a barcode", 1600, 900, 480, 270, 0.3};

/* The intervals of one dimension, the longest first. Those that are drawn as bars come first, in order of
 * birth. */
typedef struct group {
    const glshape_interval **longest, **bars;
    size_t count, bar_count, dot_count;
} group;

typedef struct chart {
    const glshape_chart_barcode *o;
    const char *title;
    plot_canvas *canvas;
    double unit;
    glshape_interval *intervals;
    double end;
    group groups[PLOT_DIMS];
    double low, high; /* of finite births and deaths */
    legend legend;
    axes bars, dots;
    double row;
} chart;

/* ---- the input --------------------------------------------------------------------------------- */

static glshape_status check_interval(error *err, const glshape_chart_barcode *o, size_t k) {
    const glshape_interval *i = &o->intervals[k];
    if (i->dim < 0 || i->dim >= o->dims)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "interval %zu has dimension %d, but there are %d", k, i->dim,
                    o->dims);
    if (isnan(i->birth) || isnan(i->death))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the birth or death of interval %zu is not a number", k);
    return GLSHAPE_OK;
}

glshape_status plot_check_barcode(error *err, const glshape_chart_barcode *o) {
    if (o->dims < 1 || o->dims > PLOT_DIMS)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a barcode of %d dimensions: 1 to %d can be drawn", o->dims,
                    PLOT_DIMS);
    for (size_t k = 0; k < o->count; k++) TRY(check_interval(err, o, k));
    return GLSHAPE_OK;
}

static void widen(double value, double *least) {
    if (isfinite(value)) *least = fmin(*least, value);
}

/* The intervals as they are drawn: ascending. A birth at an infinity is drawn at the least value that is
 * finite. */
static glshape_status raise_intervals(error *err, chart *ch) {
    const glshape_chart_barcode *o = ch->o;
    double sign = o->falling ? -1 : 1, least = INFINITY;
    TRY(allocate(err, &ch->intervals, o->count, sizeof *ch->intervals, "the intervals of the picture"));
    ch->end = sign * o->end;
    widen(ch->end, &least);
    for (size_t k = 0; k < o->count; k++) {
        glshape_interval *i = &ch->intervals[k];
        *i = o->intervals[k];
        i->birth *= sign;
        if (i->death < INFINITY) i->death *= sign;
        widen(i->birth, &least);
        widen(i->death, &least);
    }
    if (!(least < INFINITY)) least = 0;
    for (size_t k = 0; k < o->count; k++)
        if (isinf(ch->intervals[k].birth)) ch->intervals[k].birth = least;
    return GLSHAPE_OK;
}

/* Ends of a range that is not empty. */
static void find_range(chart *ch) {
    const glshape_chart_barcode *o = ch->o;
    ch->low = o->count ? INFINITY : 0;
    ch->high = 0;
    for (size_t k = 0; k < o->count; k++) {
        const glshape_interval *i = &ch->intervals[k];
        ch->low = fmin(ch->low, i->birth);
        ch->high = fmax(ch->high, i->death < INFINITY ? i->death : i->birth);
    }
    if (!(ch->high > ch->low) && ch->end < INFINITY) ch->high = ch->end;
    if (!(ch->high > ch->low)) ch->high = ch->low + fmax(1, fabs(ch->low));
}

/* ---- groups ------------------------------------------------------------------------------------ */

static int compare_doubles(double a, double b) { return (a > b) - (a < b); }

/* Of equal lengths, the one that is born first; then their place in the input decides. */
static int by_length(const void *a, const void *b) {
    const glshape_interval *x = *(const glshape_interval *const *)a, *y = *(const glshape_interval *const *)b;
    int lengths = compare_doubles(y->death - y->birth, x->death - x->birth);
    int births = lengths ? lengths : compare_doubles(x->birth, y->birth);
    return births ? births : (x > y) - (x < y);
}

static int by_birth(const void *a, const void *b) {
    const glshape_interval *x = *(const glshape_interval *const *)a, *y = *(const glshape_interval *const *)b;
    int births = compare_doubles(x->birth, y->birth);
    int deaths = births ? births : compare_doubles(x->death, y->death);
    return deaths ? deaths : (x > y) - (x < y);
}

/* Groups the intervals by dimension. room: for two pointers to each interval. */
static void find_groups(chart *ch, const glshape_interval **room) {
    const glshape_chart_barcode *o = ch->o;
    for (size_t k = 0; k < o->count; k++) ch->groups[o->intervals[k].dim].count++;
    for (int dim = 0; dim < o->dims; dim++) {
        group *g = &ch->groups[dim];
        g->longest = room;
        g->bars = room + g->count;
        room += 2 * g->count;
        g->count = 0;
    }
    for (size_t k = 0; k < o->count; k++) {
        group *g = &ch->groups[o->intervals[k].dim];
        g->longest[g->count++] = &ch->intervals[k];
    }
}

/* Chooses which intervals of a group are drawn: as dots, and as bars, of which there may be `bars`. */
static void choose_intervals(group *g, size_t bars) {
    if (!g->count) return;
    qsort(g->longest, g->count, sizeof *g->longest, by_length);
    g->dot_count = g->count < DOTS ? g->count : DOTS;
    g->bar_count = g->count < bars ? g->count : bars;
    for (size_t k = 0; k < g->bar_count; k++) g->bars[k] = g->longest[k];
    qsort(g->bars, g->bar_count, sizeof *g->bars, by_birth);
}

/* ---- layout ------------------------------------------------------------------------------------ */

static void fill_legend(chart *ch) {
    ch->legend.font = NAME * ch->unit;
    for (int dim = 0; dim < ch->o->dims; dim++) {
        char name[32];
        snprintf(name, sizeof name, "dimension %d", dim);
        legend_add(&ch->legend, name, ch->groups[dim].count, palette_colour((uint32_t)dim));
    }
    double width = ch->canvas->width - 2 * HEAD_MARGIN * ch->unit;
    legend_fit(&ch->legend, width, 4.5 * ch->legend.font, LEGEND_ENTRIES + 1);
}

/* Returns how many bars all groups have if none may have more than `most`. */
static size_t bars_of(const chart *ch, size_t most) {
    size_t bars = 0;
    for (int dim = 0; dim < ch->o->dims; dim++)
        bars += ch->groups[dim].count < most ? ch->groups[dim].count : most;
    return bars;
}

/* Rows for the bars of all groups, within `height`: as many as have room. */
static void share_rows(chart *ch, double height) {
    size_t groups = bars_of(ch, 1), most = 1;
    double least = fmax(LEAST_ROW * ch->unit, 1), room = height - (double)groups * GROUP * TICK * ch->unit;
    while (most < BARS && (double)bars_of(ch, most + 1) * least <= room) most++;
    for (int dim = 0; dim < ch->o->dims; dim++) choose_intervals(&ch->groups[dim], most);
    if (groups) ch->row = fmin(fmax(room, 1) / (double)bars_of(ch, most), ROW * ch->unit);
}

static axes_frame whole_pixels(axes_frame f) {
    return (axes_frame){floor(f.x0), floor(f.y0), floor(f.x1), floor(f.y1)};
}

/* The frame of the bars, and the square of the diagram right of it, whose labels take `labels` pixels. */
static void place_panels(chart *ch, double labels) {
    double u = ch->unit, margin = HEAD_MARGIN * u, width = ch->canvas->width, height = ch->canvas->height;
    double top = head_height(ch->title != NULL, u) + 2 * NAME * u;
    double bottom = height - margin - ch->legend.height - margin / 2 - 1.6 * NAME * u;
    bottom -= axes_below(&(axes){.font = TICK * u});
    double strip = STRIP * u;
    double side = fmin(bottom - top - strip, 0.45 * (width - 2 * margin) - labels);
    double group_name = font_width("dim 00", TICK * u) + TICK * u / 2;
    double right = width - margin - side;
    axes_frame dots = {right, bottom - side, width - margin, bottom};
    axes_frame bars = {margin + group_name, top, right - labels - margin - ARROW * u, bottom};
    axes_range line = {{ch->low, 0}, {ch->high, 0}}, square = {{ch->low, ch->low}, {ch->high, ch->high}};
    ch->bars = axes_fit(whole_pixels(bars), line, 0, TICK * u, true);
    ch->dots = axes_fit(whole_pixels(dots), square, 0.03 * side, TICK * u, false);
}

/* The width of labels depends on the scale, and the scale on the width of labels: three rounds are enough. */
static void lay_out(chart *ch) {
    double labels = font_width("00000000", TICK * ch->unit);
    for (int round = 0; round < 3; round++) {
        place_panels(ch, labels);
        labels = fmax(labels, axes_left(&ch->dots));
    }
    share_rows(ch, ch->bars.frame.y1 - ch->bars.frame.y0);
}

/* ---- drawing ----------------------------------------------------------------------------------- */

static bool is_essential(const glshape_interval *i) { return !(i->death < INFINITY); }

static void draw_head(const chart *ch) {
    char text[256], number[32];
    size_t bars = 0, dots = 0;
    for (int dim = 0; dim < ch->o->dims; dim++) {
        const group *g = &ch->groups[dim];
        if (g->bar_count < g->count) bars = g->bar_count;
        if (g->dot_count < g->count) dots = g->dot_count;
    }
    legend_number(number, sizeof number, ch->o->count);
    int used = snprintf(text, sizeof text, "%s interval%s", number, ch->o->count == 1 ? "" : "s");
    if (bars)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "; bars show the %zu longest of each dimension", bars);
    if (dots) snprintf(text + used, sizeof text - (size_t)used, ", dots the %zu longest", dots);
    head_draw(ch->canvas, ch->unit, ch->title, text);
}

static void draw_name(const chart *ch, double x, double y, const char *text, plot_anchor anchor, bool bold) {
    plot_text(ch->canvas, x, y, text,
              (plot_style){NAME * ch->unit, bold ? PALETTE_INK : PALETTE_GREY, anchor, bold});
}

/* The head of an arrow that points right, from x on: upright strokes, each shorter than the one before. */
static void draw_arrow(const chart *ch, double x, double y, uint32_t colour) {
    double u = ch->unit, length = ARROW * u, spread = fmin(fmax(ch->row / 2, 4 * u), 9 * u), stroke = 1.5 * u;
    for (double at = stroke / 2; at < length - stroke / 2; at += stroke / 2) {
        double half = spread * (1 - at / length);
        plot_line(ch->canvas, x + at, y - half, x + at, y + half, stroke, colour);
    }
}

/* Draws a bar. The bar of an essential class leaves the frame. */
static void draw_bar(const chart *ch, const glshape_interval *i, double y, uint32_t colour) {
    double half = fmax(THICK * ch->row / 2, 0.5), from = axes_x(&ch->bars, i->birth);
    double to = is_essential(i) ? ch->bars.frame.x1 + 1 : axes_x(&ch->bars, i->death);
    plot_rect(ch->canvas, from, y - half, fmax(to, from + 1), y + half, colour);
    if (is_essential(i)) draw_arrow(ch, ch->bars.frame.x1, y, colour);
}

static void draw_bars(const chart *ch) {
    const axes_frame *f = &ch->bars.frame;
    double font = TICK * ch->unit, y = f->y0;
    char text[32];
    axes_draw(&ch->bars, ch->canvas);
    for (int dim = 0; dim < ch->o->dims; dim++) {
        const group *g = &ch->groups[dim];
        if (!g->count) continue;
        double top = y + GROUP * font / 2, height = (double)g->bar_count * ch->row;
        snprintf(text, sizeof text, "dim %d", dim);
        plot_text(ch->canvas, f->x0 - font / 2, top + height / 2 + 0.36 * font, text,
                  (plot_style){font, PALETTE_INK, PLOT_END, false});
        for (size_t k = 0; k < g->bar_count; k++)
            draw_bar(ch, g->bars[k], top + ((double)k + 0.5) * ch->row, palette_colour((uint32_t)dim));
        y += height + GROUP * font;
    }
}

static double strip_y(const chart *ch) { return ch->dots.frame.y0 - STRIP * ch->unit / 2; }

/* Draws the line of essential classes, and the diagonal, where birth is death. */
static void draw_lines(const chart *ch) {
    const axes_frame *f = &ch->dots.frame;
    double u = ch->unit, y = strip_y(ch), width = fmax(1, u), font = TICK * u;
    for (double x = f->x0; x < f->x1; x += 2 * DASH * u)
        plot_rect(ch->canvas, x, floor(y), fmin(x + DASH * u, f->x1), floor(y) + width, PALETTE_AXIS);
    plot_text(ch->canvas, f->x0 - 0.6 * font, y + 0.36 * font, "never",
              (plot_style){font, PALETTE_GREY, PLOT_END, false});
    plot_line(ch->canvas, f->x0, f->y1, f->x1, f->y0, 1.5 * u, PALETTE_AXIS);
}

/* 5.5 pixels for up to a hundred dots, 1.8 for twenty thousand. */
static double radius_of(const chart *ch) {
    size_t dots = 0;
    for (int dim = 0; dim < ch->o->dims; dim++) dots += ch->groups[dim].dot_count;
    return fmax(fmin(5.5, 5.5 * pow(100 / fmax((double)dots, 1), 0.21)) * ch->unit, 0.8);
}

static void draw_dots(const chart *ch) {
    double radius = radius_of(ch);
    axes_draw(&ch->dots, ch->canvas);
    draw_lines(ch);
    for (int dim = 0; dim < ch->o->dims; dim++)
        for (size_t k = ch->groups[dim].dot_count; k-- > 0;) {
            const glshape_interval *i = ch->groups[dim].longest[k];
            double x = axes_x(&ch->dots, i->birth);
            double y = is_essential(i) ? strip_y(ch) : axes_y(&ch->dots, i->death);
            /* Dots of dimension 0 stand in one column, where rims would hide what is beneath. */
            double rim = dim && radius > 2.2 ? fmin(1, 0.2 * radius) : 0;
            if (rim > 0) plot_disc(ch->canvas, x, y, radius + rim / 2, PALETTE_PAPER);
            palette_disc(ch->canvas, x, y, radius - rim / 2, palette_colour((uint32_t)dim));
        }
}

static void draw_names(const chart *ch) {
    const axes_frame *b = &ch->bars.frame, *d = &ch->dots.frame;
    double below = axes_below(&ch->bars) + 1.1 * NAME * ch->unit, above = 0.7 * NAME * ch->unit;
    draw_name(ch, b->x0, b->y0 - above, "Barcode", PLOT_START, true);
    draw_name(ch, d->x0, b->y0 - above, "Persistence diagram", PLOT_START, true);
    draw_name(ch, (b->x0 + b->x1) / 2, b->y1 + below, ch->o->scale ? ch->o->scale : "diameter", PLOT_MIDDLE,
              false);
    draw_name(ch, (d->x0 + d->x1) / 2, d->y1 + below, "birth", PLOT_MIDDLE, false);
    draw_name(ch, d->x0 - 0.6 * NAME * ch->unit, b->y0 - above, "death", PLOT_END, false);
}

static void chart_free(chart *ch) { free(ch->intervals); }

glshape_status plot_barcode(error *err, plot_canvas *c, const glshape_picture_options *on,
                            const glshape_chart_barcode *o) {
    OWNED const glshape_interval **room = NULL;
    OWNED_BY(chart_free) chart ch = {.o = o, .title = on->title, .canvas = c};
    TRY(sheet_new(err, &paper, on, c, &ch.unit));
    TRY(plot_check_barcode(err, o));
    TRY(allocate(err, &room, 2 * o->count, sizeof *room, "the intervals of the picture"));
    TRY(raise_intervals(err, &ch));
    find_groups(&ch, room);
    find_range(&ch);
    fill_legend(&ch);
    lay_out(&ch);
    draw_head(&ch);
    draw_names(&ch);
    draw_bars(&ch);
    draw_dots(&ch);
    legend_draw(&ch.legend, c, ch.bars.frame.x0, c->height - HEAD_MARGIN * ch.unit - ch.legend.height);
    return plot_canvas_check(err, c);
}
