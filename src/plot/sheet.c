#include "plot/sheet.h"

#include <math.h>

#include "plot/palette.h"

glshape_status sheet_new(error *err, const sheet *s, const glshape_picture_options *on, plot_canvas *out,
                         double *unit) {
    uint32_t width = on->width ? on->width : s->width, height = on->height ? on->height : s->height;
    *out = (plot_canvas){0};
    *unit = fmax(fmin((double)width / s->width, (double)height / s->height), s->least_unit);
    if (width >= s->least_width && height >= s->least_height)
        return plot_canvas_new(err, out, width, height, PALETTE_PAPER);
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s of %u by %u pixels: it must be at least %u wide and %u high",
                s->what, width, height, s->least_width, s->least_height);
}
