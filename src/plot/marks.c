/* An image with the births and deaths of intervals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/head.h"
#include "plot/image.h"
#include "plot/legend.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/sheet.h"

#define NAME 20
#define DISC 7 /* radius of a birth */
#define RING 5 /* outer radius of a death */
#define THICK 2.5
#define GREYS 256

static const sheet paper = {"an image", 1200, 1200, 200, 200, 0.3};
static const sheet strip = {"an image", 1200, 300, 200, 200, 0.3}; /* of a band: one row of many cells */

typedef struct chart {
    const plot_marked *o;
    plot_canvas *canvas;
    double unit;
    axes_frame frame;
    uint32_t colour[GREYS];
    uint32_t *cells;
    legend legend;
} chart;

static bool is_band(const plot_marked *o) { return o->rows == 1 && o->columns > 8; }

static glshape_status check_options(error *err, const plot_marked *o) {
    for (size_t k = 0; k < o->count; k++) {
        const plot_mark *m = &o->marks[k];
        bool inside = m->birth[0] < o->columns && m->death[0] < o->columns && m->birth[1] < o->rows &&
                      m->death[1] < o->rows;
        if (m->dim < 0 || m->dim >= PLOT_DIMS || !inside)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "mark %zu is outside the image, or has dimension %d", k,
                        m->dim);
    }
    return GLSHAPE_OK;
}

/* Greys by value; those beyond all finite ones as the nearest of these. */
static glshape_status shade(error *err, chart *ch) {
    const plot_marked *o = ch->o;
    size_t n = o->rows * o->columns;
    double least = INFINITY, greatest = -INFINITY;
    TRY(allocate(err, &ch->cells, n, sizeof *ch->cells, "the image"));
    for (size_t k = 0; k < n; k++) {
        if (!isfinite(o->image[k])) continue;
        least = fmin(least, o->image[k]);
        greatest = fmax(greatest, o->image[k]);
    }
    double range = greatest / 2 - least / 2; /* halved: it may not fit a double */
    for (size_t k = 0; k < n; k++) {
        double t = range > 0 ? (o->image[k] / 2 - least / 2) / range : o->image[k] > least;
        ch->cells[k] = (uint32_t)(fmin(fmax(t, 0), 1) * (GREYS - 1) + 0.5);
    }
    for (uint32_t g = 0; g < GREYS; g++) ch->colour[g] = g * 0x10101u;
    return GLSHAPE_OK;
}

static void fill_legend(chart *ch) {
    size_t count[PLOT_DIMS] = {0};
    for (size_t k = 0; k < ch->o->count; k++) count[ch->o->marks[k].dim]++;
    ch->legend.font = NAME * ch->unit;
    for (int dim = 0; dim < PLOT_DIMS; dim++) {
        char name[32];
        snprintf(name, sizeof name, "dimension %d", dim);
        if (count[dim]) legend_add(&ch->legend, name, count[dim], palette_colour((uint32_t)dim));
    }
    double width = ch->canvas->width - 2 * HEAD_MARGIN * ch->unit;
    legend_fit(&ch->legend, width, 4.5 * ch->legend.font, LEGEND_ENTRIES + 1);
}

/* The middle of a cell. */
static double at_column(const chart *ch, uint32_t column) {
    return ch->frame.x0 + (column + 0.5) * (ch->frame.x1 - ch->frame.x0) / (double)ch->o->columns;
}

static double at_row(const chart *ch, uint32_t row) {
    return ch->frame.y0 + (row + 0.5) * (ch->frame.y1 - ch->frame.y0) / (double)ch->o->rows;
}

/* A white edge keeps a mark visible on any gray. */
static void draw_mark(const chart *ch, const plot_mark *m) {
    double u = ch->unit, x0 = at_column(ch, m->birth[0]), y0 = at_row(ch, m->birth[1]);
    double x1 = at_column(ch, m->death[0]), y1 = at_row(ch, m->death[1]);
    uint32_t colour = palette_colour((uint32_t)m->dim);
    plot_canvas *c = ch->canvas;
    if (m->ends) {
        plot_line(c, x0, y0, x1, y1, (THICK + 2) * u, PALETTE_PAPER);
        plot_line(c, x0, y0, x1, y1, THICK * u, colour);
        plot_disc(c, x1, y1, (RING + 1) * u, PALETTE_PAPER);
        plot_disc(c, x1, y1, RING * u, colour);
        plot_disc(c, x1, y1, (RING - THICK) * u, PALETTE_PAPER);
    }
    plot_disc(c, x0, y0, (DISC + 1) * u, PALETTE_PAPER);
    plot_disc(c, x0, y0, DISC * u, colour);
}

static void chart_free(chart *ch) { free(ch->cells); }

glshape_status plot_marks(error *err, plot_canvas *c, const glshape_picture_options *on,
                          const plot_marked *o) {
    OWNED_BY(chart_free) chart ch = {.o = o, .canvas = c};
    char line[200];
    TRY(sheet_new(err, is_band(o) ? &strip : &paper, on, c, &ch.unit));
    TRY(check_options(err, o));
    TRY(shade(err, &ch));
    fill_legend(&ch);
    double margin = HEAD_MARGIN * ch.unit, top = head_height(on->title != NULL, ch.unit);
    double bottom = c->height - margin - ch.legend.height - margin / 2;
    const image cells = {o->rows, o->columns, ch.cells, ch.colour};
    const axes_frame room = {floor(margin), floor(top), floor(c->width - margin), floor(bottom)};
    ch.frame = is_band(o) ? room : image_place(&cells, room);
    snprintf(line, sizeof line, "discs: births; rings: deaths%s%s", o->what ? "; the image is " : "",
             o->what ? o->what : "");
    head_draw(c, ch.unit, on->title, line);
    image_draw(&cells, c, ch.frame);
    for (size_t k = 0; k < o->count; k++) draw_mark(&ch, &o->marks[k]);
    legend_draw(&ch.legend, c, margin, c->height - margin - ch.legend.height);
    return plot_canvas_check(err, c);
}
