#include "plot/pages.h"

glshape_status pages_write(error *err, const glshape_picture_options *on, const glshape_chart *chart,
                           FILE *to) {
    if (chart->scatter) return pages_scatter(err, on, chart->scatter, to);
    return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no page of this chart: draw it as .png or .svg");
}
