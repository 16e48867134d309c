#include "plot/region.h"

#include "base/memory.h"
#include "base/owned.h"
#include "plot/palette.h"

#define FILL 0xCFE3F3u
#define RING 0x0B5A94u
#define LINE 0x6A8FAFu
#define RING_WIDTH 1.6
#define LINE_WIDTH 1.2

typedef struct drawing {
    plot_canvas *canvas;
    const axes *axes;
    const glshape_chart_scatter *o;
} drawing;

static double place_x(const drawing *d, uint32_t p) { return axes_x(d->axes, d->o->xy[d->o->dim * p]); }
static double place_y(const drawing *d, uint32_t p) {
    return axes_y(d->axes, d->o->dim > 1 ? d->o->xy[d->o->dim * p + 1] : 0);
}

/* Side i of ring r, from its point to the next. */
static void side_of(const glshape_chart_region *g, size_t r, size_t i, uint32_t end[2]) {
    end[0] = g->ring[i];
    end[1] = g->ring[i + 1 < g->ring_start[r + 1] ? i + 1 : g->ring_start[r]];
}

static glshape_status fill_rings(error *err, const drawing *d) {
    const glshape_chart_region *g = d->o->region;
    size_t count = g->rings ? g->ring_start[g->rings] : 0;
    OWNED plot_corner *corners = NULL;
    if (!count) return GLSHAPE_OK;
    TRY(allocate(err, &corners, count, sizeof *corners, "the inside of the region"));
    for (size_t i = 0; i < count; i++)
        corners[i] = (plot_corner){(float)place_x(d, g->ring[i]), (float)place_y(d, g->ring[i]), false};
    for (size_t r = 0; r < g->rings; r++) corners[g->ring_start[r + 1] - 1].last = true;
    plot_polygon(d->canvas, corners, count, FILL);
    return GLSHAPE_OK;
}

static void draw_line(drawing *d, const uint32_t end[2], double width, uint32_t colour) {
    plot_line(d->canvas, place_x(d, end[0]), place_y(d, end[0]), place_x(d, end[1]), place_y(d, end[1]),
              width, colour);
}

glshape_status region_draw(error *err, plot_canvas *c, const axes *a, const glshape_chart_scatter *o,
                           double unit) {
    const glshape_chart_region *g = o->region;
    drawing d = {.canvas = c, .axes = a, .o = o};
    uint32_t end[2];
    TRY(fill_rings(err, &d));
    for (size_t i = 0; i < g->lines; i++) draw_line(&d, g->line[i], LINE_WIDTH * unit, LINE);
    for (size_t r = 0; r < g->rings; r++)
        for (size_t i = g->ring_start[r]; i < g->ring_start[r + 1]; i++) {
            side_of(g, r, i, end);
            draw_line(&d, end, RING_WIDTH * unit, RING);
        }
    return GLSHAPE_OK;
}
