#include "plot/raster.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/items.h"
#include "plot/plot_passes.h"

#define SAMPLE_BYTES (32u << 20)
#define ITEMS (1u << 15)
#define LOCAL 256u

typedef struct raster {
    gpu *g;
    const plot_canvas *canvas;
    primitives list;
    uint32_t band; /* rows of pixels */
    uint32_t capacity, items;
    item_geometry *geometry;
    float *radius;
    item_box *box;
    gpu_texture top, colours, curve, picture, geometries, radii, boxes;
} raster;

/* ---- making and unmaking ---------------------------------------------------------------------- */

static double linear_light(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

static glshape_status send_curve(raster *r) {
    uint32_t curve[256][2];
    const double one = PLOT_LINEAR_ONE, most = one * PLOT_SAMPLES * PLOT_SAMPLES;
    for (int i = 0; i < 256; i++) {
        curve[i][0] = (uint32_t)lround(one * linear_light(i / 255.0));
        curve[i][1] = i ? (uint32_t)ceil(most * linear_light((i - 0.5) / 255)) : 0;
    }
    TRY(gpu_texture_new(r->g, &r->curve, "color curve", GPU_RG32UI, 256, 1));
    return gpu_upload(r->g, &r->curve, 0, 256, curve);
}

static glshape_status send_colours(raster *r) {
    OWNED uint32_t *colours = NULL;
    uint32_t n = (uint32_t)r->list.count;
    TRY(gpu_texture_new(r->g, &r->colours, "shape colors", GPU_R32UI, n, 1));
    if (n == 0) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(r->g)), &colours, n, sizeof *colours, "the shapes' colors"));
    for (uint32_t i = 0; i < n; i++) colours[i] = r->list.at[i].colour & 0xFFFFFF;
    return gpu_upload(r->g, &r->colours, 0, n, colours);
}

static glshape_status new_batch(raster *r) {
    error *err = run_error(run_of(r->g));
    TRY(allocate(err, &r->geometry, r->capacity, sizeof *r->geometry, "a batch of shapes"));
    TRY(allocate(err, &r->radius, r->capacity, sizeof *r->radius, "a batch of shapes"));
    TRY(allocate(err, &r->box, r->capacity, sizeof *r->box, "a batch of shapes"));
    TRY(gpu_texture_new(r->g, &r->geometries, "shape geometry", GPU_RGBA32F, r->capacity, 1));
    TRY(gpu_texture_new(r->g, &r->radii, "shape radii", GPU_R32F, r->capacity, 1));
    return gpu_texture_new(r->g, &r->boxes, "shape boxes", GPU_RGBA32UI, r->capacity, 1);
}

/* Makes the band's textures, halving the band while there is no GPU memory for them. */
static glshape_status new_band(raster *r) {
    for (;; r->band /= 2) {
        uint32_t pixels = r->canvas->width * r->band;
        glshape_status status = gpu_texture_new(r->g, &r->top, "picture samples", GPU_R32UI,
                                                pixels * PLOT_SAMPLES * PLOT_SAMPLES, 1);
        if (status == GLSHAPE_OK)
            status = gpu_texture_new(r->g, &r->picture, "picture", GPU_R32UI, pixels, 1);
        if (status != GLSHAPE_NO_GPU_MEMORY || r->band == 1) return status;
        gpu_texture_free(&r->top);
    }
}

static void free_raster(raster *r) {
    gpu_texture *textures[] = {&r->top,        &r->colours, &r->curve, &r->picture,
                               &r->geometries, &r->radii,   &r->boxes};
    for (size_t i = 0; i < sizeof textures / sizeof *textures; i++) gpu_texture_free(textures[i]);
    free(r->list.at);
    free(r->geometry);
    free(r->radius);
    free(r->box);
}

/* ---- painting --------------------------------------------------------------------------------- */

static glshape_status paint_batch(raster *r, uint32_t first_row) {
    uint32_t n = r->items;
    r->items = 0;
    if (n == 0) return GLSHAPE_OK;
    TRY(gpu_upload(r->g, &r->geometries, 0, n, r->geometry));
    TRY(gpu_upload(r->g, &r->radii, 0, n, r->radius));
    TRY(gpu_upload(r->g, &r->boxes, 0, n, r->box));
    return gpu_run(r->g, plot_paint, .geometry = &r->geometries, .radius = &r->radii, .box = &r->boxes,
                   .top = &r->top, .items = n, .stride = r->canvas->width * PLOT_SAMPLES,
                   .first_row = first_row, .groups = (n - 1) / LOCAL + 1);
}

static glshape_status paint_shapes(raster *r, sample_region region) {
    for (size_t i = 0; i < r->list.count; i++) {
        item_cutter cutter = item_begin(&r->list.at[i], (uint32_t)i + 1, region);
        const primitive *s = &cutter.shape;
        for (item_box box; item_next(&cutter, &box); r->items++) {
            if (r->items == r->capacity) TRY(paint_batch(r, region.y0));
            r->geometry[r->items] = (item_geometry){s->x0, s->y0, s->x1, s->y1};
            r->radius[r->items] = s->radius;
            r->box[r->items] = box;
        }
    }
    return paint_batch(r, region.y0);
}

/* Rows [first, first+rows) of the picture, into out. */
static glshape_status paint_band(raster *r, uint32_t first, uint32_t rows, uint32_t *out) {
    uint32_t width = r->canvas->width, pixels = width * rows;
    sample_region region = {0, first * PLOT_SAMPLES, width * PLOT_SAMPLES, (first + rows) * PLOT_SAMPLES};
    TRY(gpu_run(r->g, plot_clear, .top = &r->top, .elements = pixels * PLOT_SAMPLES * PLOT_SAMPLES));
    TRY(paint_shapes(r, region));
    TRY(gpu_run(r->g, plot_resolve, .top = &r->top, .colour = &r->colours, .curve = &r->curve,
                .picture = &r->picture, .width = width, .background = r->canvas->background & 0xFFFFFF,
                .elements = pixels));
    return gpu_download(r->g, &r->picture, 0, pixels, out);
}

static uint32_t band_rows(const plot_canvas *c, size_t bytes) {
    size_t rows = (bytes ? bytes : SAMPLE_BYTES) / ((size_t)c->width * PLOT_SAMPLES * PLOT_SAMPLES * 4);
    return rows < 1 ? 1 : rows > c->height ? c->height : (uint32_t)rows;
}

static glshape_status paint_picture(gpu *g, const plot_canvas *c, const raster_limits *limits,
                                    uint32_t *out) {
    OWNED_BY(free_raster)
    raster r = {.g = g,
                .canvas = c,
                .band = band_rows(c, limits->sample_bytes),
                .capacity = limits->items ? limits->items : ITEMS};
    TRY(primitives_of(run_error(run_of(g)), c, &r.list));
    TRY(send_curve(&r));
    TRY(send_colours(&r));
    TRY(new_batch(&r));
    TRY(new_band(&r));
    for (uint32_t y = 0, rows; y < c->height; y += rows) {
        rows = c->height - y < r.band ? c->height - y : r.band;
        TRY(paint_band(&r, y, rows, out + (size_t)y * c->width));
    }
    return GLSHAPE_OK;
}
glshape_status raster_paint(gpu *g, error *err, const plot_canvas *c, const raster_limits *limits,
                            uint32_t *out) {
    TRY(plot_canvas_check(err, c));
    glshape_status status = gpu_enter(g);
    if (!status) {
        status = paint_picture(g, c, limits, out);
        gpu_leave(g);
    }
    if (status && err && err != run_error(run_of(g))) *err = *run_error(run_of(g));
    return status;
}
