#include <errno.h>
#include <png.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "plot/plot.h"
#include "plot/raster.h"

/* 0xRRGGBB to three bytes, in place: byte 3i is never ahead of word i. */
static void pack(uint32_t *pixels, size_t n) {
    unsigned char *bytes = (unsigned char *)pixels;
    for (size_t i = 0; i < n; i++) {
        uint32_t rgb = pixels[i];
        for (int k = 0; k < 3; k++) bytes[3 * i + k] = (unsigned char)(rgb >> (16 - 8 * k));
    }
}

static glshape_status encode(error *err, const plot_canvas *c, const void *rgb, FILE *to) {
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = c->width, .height = c->height, .format = PNG_FORMAT_RGB};
    errno = 0;
    if (png_image_write_to_stdio(&image, to, 0, rgb, 0, NULL) && fflush(to) == 0) return GLSHAPE_OK;
    return fail(err, GLSHAPE_IO_ERROR, "the PNG picture could not be written: %s",
                errno            ? strerror(errno)
                : *image.message ? image.message
                                 : "write error");
}

glshape_status plot_write_png(gpu *g, error *err, const plot_canvas *c, FILE *to) {
    OWNED uint32_t *pixels = NULL;
    size_t n = (size_t)c->width * c->height;
    TRY(allocate(err, &pixels, n, sizeof *pixels, "the picture"));
    TRY(raster_paint(g, err, c, &(raster_limits){0}, pixels));
    pack(pixels, n);
    return encode(err, c, pixels, to);
}
