/* A canvas: a display list of shapes in pixels, painted in order (later on top).
 *
 * (0, 0) is the top-left corner of the top-left pixel, y points down. Colours are 0xRRGGBB (sRGB), opaque.
 * Charts draw onto a canvas; plot.h turns it into a file. Drawing calls cannot fail on the spot: the first
 * allocation that fails is remembered, later shapes are dropped, and plot_canvas_check reports it. */
#ifndef GLSHAPE_PLOT_CANVAS_H
#define GLSHAPE_PLOT_CANVAS_H

#include "base/error.h"

typedef enum { PLOT_CAPSULE, PLOT_RECT, PLOT_TEXT, PLOT_POLYGON } plot_kind;
typedef enum { PLOT_START, PLOT_MIDDLE, PLOT_END } plot_anchor;

/* CAPSULE: all points within size of the segment (x0,y0)-(x1,y1); a disc if both ends are equal.
 * RECT: x0 <= x < x1, y0 <= y < y1.
 * TEXT: baseline at (x0,y0), size pixels per em, the UTF-8 string at canvas.text + first.
 * POLYGON: what an odd number of rings goes around; `count` corners from canvas.corners + first on. */
typedef struct plot_shape {
    plot_kind kind;
    plot_anchor anchor;
    bool bold;
    uint32_t colour;
    float x0, y0, x1, y1, size;
    size_t first, count;
} plot_shape;

/* A corner of a polygon; last: it is joined to the first one of its ring, and the next corner begins another.
 */
typedef struct plot_corner {
    float x, y;
    bool last;
} plot_corner;

/* Read it freely; change it only through the calls below. */
typedef struct plot_canvas {
    uint32_t width, height, background;
    plot_shape *shapes;
    size_t count, capacity;
    char *text;
    size_t text_bytes, text_capacity;
    plot_corner *corners;
    size_t corner_count, corner_capacity;
    bool failed; /* a shape was lost for want of memory */
} plot_canvas;

#define PLOT_SIZE_MAX 16384

/* An empty canvas of 1..PLOT_SIZE_MAX pixels each way; release it with plot_canvas_free. */
glshape_status plot_canvas_new(error *err, plot_canvas *out, uint32_t width, uint32_t height,
                               uint32_t background);
/* A zero-initialised or freed canvas may be freed. */
void plot_canvas_free(plot_canvas *c);
/* GLSHAPE_NO_MEMORY if any drawing call so far lost its shape. */
glshape_status plot_canvas_check(error *err, const plot_canvas *c);

/* Adds a shape that belongs to another canvas, whose text is copied. No polygons. */
void plot_shape_add(plot_canvas *c, const plot_shape *shape, const plot_canvas *from);
void plot_disc(plot_canvas *c, double x, double y, double radius, uint32_t colour);
/* Round caps; width is the full thickness. */
void plot_line(plot_canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour);
void plot_rect(plot_canvas *c, double x0, double y0, double x1, double y1, uint32_t colour);
/* The corners are copied. */
void plot_polygon(plot_canvas *c, const plot_corner *corners, size_t count, uint32_t colour);
/* size: pixels per em; capitals are 0.72 of it high. The string is copied. */
typedef struct plot_style {
    double size;
    uint32_t colour;
    plot_anchor anchor;
    bool bold;
} plot_style;
void plot_text(plot_canvas *c, double x, double y, const char *text, plot_style style);

#endif
