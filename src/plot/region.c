/* The inside is filled by rows of pixels: a canvas knows rectangles, no polygons. */
#include "plot/region.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "plot/palette.h"

#define FILL 0xCFE3F3u
#define RING 0x0B5A94u
#define LINE 0x6A8FAFu
#define RING_WIDTH 1.6
#define LINE_WIDTH 1.2

typedef struct crossing {
    int row;
    double x;
} crossing;

typedef struct drawing {
    plot_canvas *canvas;
    const axes *axes;
    const plot_scatter_options *o;
    crossing *at;
    size_t count;
} drawing;

static double place_x(const drawing *d, uint32_t p) { return axes_x(d->axes, d->o->xy[d->o->dim * p]); }
static double place_y(const drawing *d, uint32_t p) {
    return axes_y(d->axes, d->o->dim > 1 ? d->o->xy[d->o->dim * p + 1] : 0);
}

/* Side i of ring r, from its point to the next. */
static void side_of(const plot_region *g, size_t r, size_t i, uint32_t end[2]) {
    end[0] = g->ring[i];
    end[1] = g->ring[i + 1 < g->ring_start[r + 1] ? i + 1 : g->ring_start[r]];
}

/* Where a side crosses the middles of rows; at is NULL: only counts. */
static void cross_rows(drawing *d, const uint32_t end[2]) {
    double x0 = place_x(d, end[0]), y0 = place_y(d, end[0]), x1 = place_x(d, end[1]), y1 = place_y(d, end[1]);
    double top = fmin(y0, y1), bottom = fmax(y0, y1);
    for (int row = (int)ceil(top - 0.5); row + 0.5 < bottom; row++) {
        if (row + 0.5 < top) continue;
        if (d->at) d->at[d->count] = (crossing){row, x0 + (row + 0.5 - y0) / (y1 - y0) * (x1 - x0)};
        d->count++;
    }
}

static void cross_all(drawing *d) {
    const plot_region *g = d->o->region;
    uint32_t end[2];
    d->count = 0;
    for (size_t r = 0; r < g->rings; r++)
        for (size_t i = g->ring_start[r]; i < g->ring_start[r + 1]; i++) {
            side_of(g, r, i, end);
            cross_rows(d, end);
        }
}

static int by_place(const void *a, const void *b) {
    const crossing *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

/* Rings cross each row an even number of times. */
static glshape_status fill(error *err, drawing *d) {
    cross_all(d);
    TRY(allocate(err, &d->at, d->count, sizeof *d->at, "the inside of the region"));
    cross_all(d);
    qsort(d->at, d->count, sizeof *d->at, by_place);
    for (size_t k = 0; k + 1 < d->count; k += 2)
        plot_rect(d->canvas, d->at[k].x, d->at[k].row, d->at[k + 1].x, d->at[k].row + 1, FILL);
    free(d->at);
    return GLSHAPE_OK;
}

static void draw_line(drawing *d, const uint32_t end[2], double width, uint32_t colour) {
    plot_line(d->canvas, place_x(d, end[0]), place_y(d, end[0]), place_x(d, end[1]), place_y(d, end[1]),
              width, colour);
}

glshape_status region_draw(error *err, plot_canvas *c, const axes *a, const plot_scatter_options *o,
                           double unit) {
    const plot_region *g = o->region;
    drawing d = {.canvas = c, .axes = a, .o = o};
    uint32_t end[2];
    TRY(fill(err, &d));
    for (size_t i = 0; i < g->lines; i++) draw_line(&d, g->line[i], LINE_WIDTH * unit, LINE);
    for (size_t r = 0; r < g->rings; r++)
        for (size_t i = g->ring_start[r]; i < g->ring_start[r + 1]; i++) {
            side_of(g, r, i, end);
            draw_line(&d, end, RING_WIDTH * unit, RING);
        }
    return GLSHAPE_OK;
}
