#include "plot/pages.h"

glshape_status pages_write(error *err, const glshape_picture_options *on, const glshape_chart *chart,
                           FILE *to) {
    if (chart->scatter) return pages_scatter(err, on, chart->scatter, to);
    if (chart->barcode) return pages_barcode(err, on, chart->barcode, to);
    if (chart->dendrogram) return pages_dendrogram(err, on, chart->dendrogram, to);
    if (chart->icicles) return pages_icicles(err, on, chart->icicles, to);
    if (chart->branches) return pages_merge_tree(err, on, chart->branches, to);
    if (chart->atlas) return pages_atlas(err, on, chart->atlas, to);
    return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no page of this chart: draw it as .png or .svg");
}
