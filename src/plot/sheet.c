#include "plot/sheet.h"

#include <math.h>

#include "plot/palette.h"

glshape_status sheet_new(error *err, const sheet *s, uint32_t width, uint32_t height, plot_canvas *out,
                         double *unit) {
    *out = (plot_canvas){0};
    if (!width) width = s->width;
    if (!height) height = s->height;
    *unit = fmax(fmin((double)width / s->width, (double)height / s->height), s->least_unit);
    if (width >= s->least_width && height >= s->least_height)
        return plot_canvas_new(err, out, width, height, PALETTE_PAPER);
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s of %u by %u pixels: it must be at least %u wide and %u high",
                s->what, width, height, s->least_width, s->least_height);
}
