#include "plot/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

glshape_status plot_canvas_new(error *err, plot_canvas *out, uint32_t width, uint32_t height,
                               uint32_t background) {
    *out = (plot_canvas){.width = width, .height = height, .background = background};
    if (width - 1 < PLOT_SIZE_MAX && height - 1 < PLOT_SIZE_MAX) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "a picture of %u by %u pixels: each side must be 1 to %d", width,
                height, PLOT_SIZE_MAX);
}

void plot_canvas_free(plot_canvas *c) {
    free(c->shapes);
    free(c->text);
    free(c->corners);
    *c = (plot_canvas){0};
}

glshape_status plot_canvas_check(error *err, const plot_canvas *c) {
    if (!c->failed) return GLSHAPE_OK;
    return fail(err, GLSHAPE_NO_MEMORY,
                "the picture has more than %zu shapes, for which there is no host memory", c->count);
}

static void add(plot_canvas *c, plot_shape shape) {
    if (c->failed || memory_reserve(NULL, &c->shapes, &c->capacity, c->count + 1, sizeof shape, NULL))
        c->failed = true;
    else c->shapes[c->count++] = shape;
}

void plot_line(plot_canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour) {
    add(c, (plot_shape){.kind = PLOT_CAPSULE,
                        .colour = colour,
                        .x0 = (float)x0,
                        .y0 = (float)y0,
                        .x1 = (float)x1,
                        .y1 = (float)y1,
                        .size = (float)(width / 2)});
}

void plot_disc(plot_canvas *c, double x, double y, double radius, uint32_t colour) {
    plot_line(c, x, y, x, y, 2 * radius, colour);
}

void plot_rect(plot_canvas *c, double x0, double y0, double x1, double y1, uint32_t colour) {
    add(c, (plot_shape){.kind = PLOT_RECT,
                        .colour = colour,
                        .x0 = (float)x0,
                        .y0 = (float)y0,
                        .x1 = (float)x1,
                        .y1 = (float)y1});
}

void plot_text(plot_canvas *c, double x, double y, const char *text, plot_style style) {
    size_t bytes = strlen(text) + 1, at = c->text_bytes;
    if (c->failed || memory_reserve(NULL, &c->text, &c->text_capacity, at + bytes, 1, NULL)) {
        c->failed = true;
        return;
    }
    memcpy(c->text + at, text, bytes);
    c->text_bytes += bytes;
    add(c, (plot_shape){.kind = PLOT_TEXT,
                        .anchor = style.anchor,
                        .bold = style.bold,
                        .colour = style.colour,
                        .x0 = (float)x,
                        .y0 = (float)y,
                        .size = (float)style.size,
                        .first = at});
}

void plot_shape_add(plot_canvas *c, const plot_shape *shape, const plot_canvas *from) {
    plot_style style = {shape->size, shape->colour, shape->anchor, shape->bold};
    if (shape->kind == PLOT_TEXT) plot_text(c, shape->x0, shape->y0, from->text + shape->first, style);
    else if (shape->kind != PLOT_POLYGON) add(c, *shape);
}

void plot_polygon(plot_canvas *c, const plot_corner *corners, size_t count, uint32_t colour) {
    size_t at = c->corner_count;
    if (c->failed ||
        memory_reserve(NULL, &c->corners, &c->corner_capacity, at + count, sizeof *corners, NULL)) {
        c->failed = true;
        return;
    }
    if (count) memcpy(c->corners + at, corners, count * sizeof *corners);
    c->corner_count += count;
    add(c, (plot_shape){.kind = PLOT_POLYGON, .colour = colour, .first = at, .count = count});
}
