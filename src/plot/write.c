#include "plot/plot.h"

glshape_status plot_write(gpu *g, error *err, const plot_canvas *c, glshape_picture_format format, FILE *to) {
    TRY(plot_canvas_check(err, c));
    return format == GLSHAPE_PICTURE_SVG ? plot_write_svg(err, c, to) : plot_write_png(g, err, c, to);
}
