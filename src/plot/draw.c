/* glshape_draw: from a chart to the bytes of a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "gpu/context.h"
#include "plot/pages.h"
#include "plot/plot.h"

static glshape_status check_chart(error *err, const glshape_chart *o, const glshape_picture_options *on) {
    int given = !!o->scatter + !!o->barcode + !!o->dendrogram + !!o->icicles + !!o->branches + !!o->located +
                !!o->atlas;
    if (given != 1)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a picture shows one chart: exactly one is to be set, not %d",
                    given);
    return error_check_choice(err, (int)on->format, GLSHAPE_PICTURE_HTML, "format");
}

static glshape_status draw_chart(error *err, plot_canvas *c, const glshape_picture_options *on,
                                 const glshape_chart *o) {
    if (o->scatter) return plot_scatter(err, c, on, o->scatter);
    if (o->barcode) return plot_barcode(err, c, on, o->barcode);
    if (o->dendrogram) return plot_dendrogram(err, c, on, o->dendrogram);
    if (o->icicles) return plot_icicles(err, c, on, o->icicles);
    if (o->branches) return plot_merge_tree(err, c, on, o->branches);
    if (o->atlas) return plot_atlas(err, c, on, o->atlas);
    return plot_located(err, c, on, o->located);
}

static glshape_status write_chart(gpu *g, const glshape_chart *chart, const glshape_picture_options *on,
                                  FILE *to) {
    OWNED_BY(plot_canvas_free) plot_canvas canvas = {0};
    if (on->format == GLSHAPE_PICTURE_HTML) return pages_write(run_error(run_of(g)), on, chart, to);
    TRY(draw_chart(run_error(run_of(g)), &canvas, on, chart));
    return plot_write(g, run_error(run_of(g)), &canvas, on->format, to);
}

/* The bytes are the stream's, once it is closed. */
static glshape_status draw(gpu *g, const glshape_chart *chart, const glshape_picture_options *on,
                           glshape_picture *out) {
    error *err = run_error(run_of(g));
    char *bytes = NULL;
    TRY(check_chart(err, chart, on));
    FILE *to = open_memstream(&bytes, &out->size);
    if (!to) return fail(err, GLSHAPE_NO_MEMORY, "not enough memory for the picture");
    glshape_status status = write_chart(g, chart, on, to);
    if (fclose(to) && !status) status = fail(err, GLSHAPE_NO_MEMORY, "not enough memory for the picture");
    out->bytes = bytes;
    if (status) glshape_picture_free(out);
    return status;
}

glshape_status glshape_draw(glshape_context *context, const glshape_chart *chart,
                            const glshape_picture_options *options, glshape_picture *picture) {
    static const glshape_picture_options plain = {0};
    gpu *g;
    *picture = (glshape_picture){0};
    TRY(context_begin_closed(context, &g)); /* only a PNG needs the device */
    if (!options) options = &plain;
    glshape_status status = error_check_reserved(run_error(run_of(g)), "options", options->reserved);
    return context_end(context, status ? status : draw(g, chart, options, picture));
}

void glshape_picture_free(glshape_picture *picture) {
    free(picture->bytes);
    *picture = (glshape_picture){0};
}
