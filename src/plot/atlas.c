/* A map of shapes, and barcodes of medoids. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/plot.h"

enum { SHOWN = 6 };    /* medoids, at most */
enum { A_COLUMN = 3 }; /* barcodes above each other */
#define WIDE (2.0 / 3) /* of a barcode, as a part of the map's side; it is half as high */

glshape_status plot_check_atlas(error *err, const glshape_chart_atlas *o) {
    for (size_t k = 0; k < 2 * o->n; k++)
        if (!isfinite(o->xy[k]))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "row %zu, column %zu of the map is not finite", k / 2 + 1,
                        k % 2 + 1);
    for (size_t k = 0; k < o->n; k++)
        if (o->labels[k] >= 0 && (size_t)o->labels[k] >= o->clusters)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "shape %zu is in cluster %d, but there are %zu", k,
                        o->labels[k], o->clusters);
    for (size_t c = 0; c < o->clusters; c++)
        if (o->medoids[c] >= o->n)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "the medoid of cluster %zu is %u, but there are %zu shapes", c, o->medoids[c], o->n);
    for (size_t k = 0; k < o->first[o->n]; k++) {
        const glshape_interval *i = &o->intervals[k];
        if (i->dim < 0 || i->dim >= PLOT_DIMS || isnan(i->birth) || isnan(i->death))
            return fail(err, GLSHAPE_BAD_ARGUMENT, "interval %zu has dimension %d, birth %g, death %g", k,
                        i->dim, i->birth, i->death);
    }
    return GLSHAPE_OK;
}

typedef struct cluster {
    size_t size;
    uint32_t number;
} cluster;

static int by_size(const void *a, const void *b) {
    const cluster *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Lists the clusters, the largest first. */
static glshape_status list_clusters(error *err, const glshape_chart_atlas *o, cluster **out) {
    TRY(allocate(err, out, o->clusters, sizeof **out, "the clusters of the picture"));
    for (uint32_t c = 0; c < o->clusters; c++) (*out)[c].number = c;
    for (size_t k = 0; k < o->n; k++)
        if (o->labels[k] >= 0) (*out)[o->labels[k]].size++;
    if (o->clusters) qsort(*out, o->clusters, sizeof **out, by_size);
    return GLSHAPE_OK;
}

/* Puts one canvas onto another, its corner at (x, y). */
static void paste(plot_canvas *c, const plot_canvas *part, double x, double y) {
    plot_rect(c, x, y, x + part->width, y + part->height, part->background);
    for (size_t k = 0; k < part->count; k++) {
        plot_shape s = part->shapes[k];
        s.x0 += (float)x, s.x1 += (float)x, s.y0 += (float)y, s.y1 += (float)y;
        plot_shape_add(c, &s, part);
    }
}

static glshape_status draw_map(error *err, plot_canvas *c, const char *title, uint32_t side,
                               const glshape_chart_atlas *o) {
    OWNED_BY(plot_canvas_free) plot_canvas part = {0};
    OWNED uint32_t *labels = NULL;
    TRY(allocate(err, &labels, o->n, sizeof *labels, "the clusters of the picture"));
    for (size_t k = 0; k < o->n; k++)
        labels[k] = (uint32_t)(o->labels[k] < 0 ? (int32_t)o->clusters : o->labels[k]);
    const glshape_chart_scatter map = {.n = o->n,
                                       .dim = 2,
                                       .xy = o->xy,
                                       .labels = labels,
                                       .classes = (uint32_t)o->clusters + 1,
                                       .kind = "cluster",
                                       .noise = true};
    TRY(plot_scatter(err, &part, &(glshape_picture_options){.title = title, .width = side, .height = side},
                     &map));
    paste(c, &part, 0, 0);
    return GLSHAPE_OK;
}

static int dims_of(const glshape_chart_atlas *o, size_t row) {
    int dims = 1;
    for (size_t k = o->first[row]; k < o->first[row + 1]; k++)
        dims = o->intervals[k].dim >= dims ? o->intervals[k].dim + 1 : dims;
    return dims;
}

static glshape_status draw_medoid(error *err, plot_canvas *c, const glshape_chart_atlas *o, uint32_t number,
                                  const plot_shape *at) {
    OWNED_BY(plot_canvas_free) plot_canvas part = {0};
    char title[200];
    size_t row = o->medoids[number];
    if (o->names) snprintf(title, sizeof title, "Cluster %u: %.120s", number, o->names[row]);
    else snprintf(title, sizeof title, "Cluster %u: shape %zu", number, row);
    const glshape_chart_barcode bars = {.count = o->first[row + 1] - o->first[row],
                                        .intervals = o->intervals + o->first[row],
                                        .dims = dims_of(o, row),
                                        .falling = o->falling,
                                        .end = NAN,
                                        .scale = o->scale};
    const glshape_picture_options on = {
        .title = title, .width = (uint32_t)(at->x1 - at->x0), .height = (uint32_t)(at->y1 - at->y0)};
    TRY(plot_barcode(err, &part, &on, &bars));
    paste(c, &part, at->x0, at->y0);
    return GLSHAPE_OK;
}

/* The map is a square at the left. */
glshape_status plot_atlas(error *err, plot_canvas *c, const glshape_picture_options *on,
                          const glshape_chart_atlas *o) {
    OWNED cluster *order = NULL;
    TRY(plot_check_atlas(err, o));
    TRY(list_clusters(err, o, &order));
    size_t shown = o->clusters < SHOWN ? o->clusters : SHOWN;
    double columns = (double)((shown + A_COLUMN - 1) / A_COLUMN), sides = 1 + columns * WIDE;
    double side = on->height ? on->height : on->width ? on->width / sides : 1200;
    if (on->width) side = fmin(side, on->width / sides);
    if (side < 800)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "an atlas of %u by %u pixels: it must be at least %.0f wide and 800 high", on->width,
                    on->height, ceil(800 * sides));
    TRY(plot_canvas_new(err, c, on->width ? on->width : (uint32_t)ceil(side * sides),
                        on->height ? on->height : (uint32_t)side, 0xFFFFFF));
    TRY(draw_map(err, c, on->title, (uint32_t)side, o));
    for (size_t k = 0; k < shown; k++) {
        double wide = floor(side * WIDE), high = floor(side / A_COLUMN);
        double x = side + (double)(k / A_COLUMN) * wide, y = (double)(k % A_COLUMN) * high;
        const plot_shape at = {
            .x0 = (float)x, .y0 = (float)y, .x1 = (float)(x + wide), .y1 = (float)(y + high)};
        TRY(draw_medoid(err, c, o, order[k].number, &at));
    }
    return plot_canvas_check(err, c);
}
