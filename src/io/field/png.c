#include "io/field/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"

/* What libpng's callbacks are given. */
typedef struct reader {
    error *err;
    io_stream *s;
    glshape_status status;
    png_structp png;
    png_infop info;
    jmp_buf failed; /* libpng leaves through it */
    png_byte *pixels;
    png_bytep *rows;
    size_t channels;
} reader;

static void reader_free(reader *r) {
    png_destroy_read_struct(&r->png, &r->info, NULL);
    free(r->pixels);
    free(r->rows);
}

static void on_error(png_structp png, png_const_charp text) {
    reader *r = png_get_error_ptr(png);
    if (!r->status) r->status = fail(r->err, GLSHAPE_BAD_INPUT, "%s is a damaged PNG: %s", r->s->name, text);
    longjmp(r->failed, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep to, png_size_t bytes) {
    reader *r = png_get_io_ptr(png);
    size_t got = 0;
    r->status = io_stream_read(r->err, r->s, to, bytes, &got);
    if (r->status || got < bytes) png_error(png, "it is cut short");
}

static void begin(reader *r) {
    r->info = png_create_info_struct(r->png);
    if (!r->info) png_error(r->png, "there is no memory for its header");
    png_set_read_fn(r->png, r, on_read);
    png_read_info(r->png, r->info);
}

static glshape_status make_room(reader *r, io_npy *npy) {
    png_uint_32 width = png_get_image_width(r->png, r->info), height = png_get_image_height(r->png, r->info);
    size_t row = times(times(width, npy->item), r->channels);
    if (times(width, height) >= UINT32_MAX)
        return fail(r->err, GLSHAPE_BAD_INPUT,
                    "%s has %u × %u pixels, more than the 2^32 - 2 that can be numbered", r->s->name,
                    (unsigned)height, (unsigned)width);
    TRY(allocate(r->err, &r->pixels, height, row, r->s->name));
    TRY(allocate(r->err, &r->rows, height, sizeof *r->rows, r->s->name));
    for (png_uint_32 y = 0; y < height; y++) r->rows[y] = r->pixels + y * row;
    npy->dimensions = 2;
    npy->extent[0] = npy->rows = height;
    npy->extent[1] = npy->cols = width;
    npy->extent[2] = 1;
    snprintf(npy->shape, sizeof npy->shape, "(%u, %u)", (unsigned)height, (unsigned)width);
    return GLSHAPE_OK;
}

/* libpng leaves every call below through r->failed, so no variable lives across them but in *r. */
static glshape_status read_all(reader *r, io_npy *npy) {
    if (setjmp(r->failed)) return r->status;
    begin(r);
    if (png_get_color_type(r->png, r->info) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(r->png);
    npy->item = png_get_bit_depth(r->png, r->info) == 16 ? 2 : 1;
    if (npy->item == 2 && io_is_little_endian()) png_set_swap(r->png);
    png_set_packing(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    r->channels = png_get_channels(r->png, r->info);
    TRY(make_room(r, npy));
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
    return GLSHAPE_OK;
}

glshape_status io_png_read(error *err, io_stream *s, io_npy *npy, size_t *channels, glshape_matrix *out) {
    OWNED_BY(reader_free) reader r = {.err = err, .s = s};
    *out = (glshape_matrix){.data = NULL};
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    if (!r.png) return fail(err, GLSHAPE_NO_MEMORY, "there is no memory to read %s", s->name);
    TRY(read_all(&r, npy));
    *channels = r.channels;
    *out = (glshape_matrix){npy->item == 2 ? GLSHAPE_U16 : GLSHAPE_U8, npy->rows, npy->cols * r.channels,
                            MOVE(r.pixels)};
    return GLSHAPE_OK;
}
