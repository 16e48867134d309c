#include "plot/picture.h"

#include "base/owned.h"
#include "gpu/context.h"
#include "io/write.h"

/* Paints on the context's device; the sentence of a GPU failure is already in err. */
static glshape_status paint_file(glshape_context *context, error *err, const plot_canvas *canvas,
                                 const char *path, FILE *to) {
    gpu *g;
    glshape_status status = context_begin_closed(context, &g); /* only a PNG needs the device */
    if (status) return fail(err, status, "%s", glshape_last_error(context));
    return context_end(context, plot_write(g, err, canvas, path, to));
}

static glshape_status write_canvas(glshape_context *context, error *err, const plot_canvas *canvas,
                                   const char *path) {
    OWNED_BY(io_output_abort) io_output output = {.stream = NULL};
    TRY(io_output_open(err, path, &output));
    glshape_status status = paint_file(context, err, canvas, path, io_output_stream(&output));
    if (!status) return io_output_commit(err, &output);
    error why = *err;
    return fail(err, status, "%s: %s", path, why.text);
}

glshape_status plot_scatter_picture(glshape_context *context, error *err, const plot_scatter_options *o,
                                    const char *path) {
    OWNED_BY(plot_canvas_free) plot_canvas canvas = {0};
    TRY(plot_scatter(err, &canvas, o));
    return write_canvas(context, err, &canvas, path);
}

glshape_status plot_barcode_picture(glshape_context *context, error *err, const plot_barcode_options *o,
                                    const char *path) {
    OWNED_BY(plot_canvas_free) plot_canvas canvas = {0};
    TRY(plot_barcode(err, &canvas, o));
    return write_canvas(context, err, &canvas, path);
}

glshape_status plot_dendrogram_picture(glshape_context *context, error *err, const plot_dendrogram_options *o,
                                       const char *path) {
    OWNED_BY(plot_canvas_free) plot_canvas canvas = {0};
    TRY(plot_dendrogram(err, &canvas, o));
    return write_canvas(context, err, &canvas, path);
}

glshape_status plot_branches_picture(glshape_context *context, error *err, const plot_branches_options *o,
                                     const char *path) {
    OWNED_BY(plot_canvas_free) plot_canvas canvas = {0};
    TRY(plot_branches(err, &canvas, o));
    return write_canvas(context, err, &canvas, path);
}

glshape_status plot_icicles_picture(glshape_context *context, error *err, const plot_icicles_options *o,
                                    const char *path) {
    OWNED_BY(plot_canvas_free) plot_canvas canvas = {0};
    TRY(plot_icicles(err, &canvas, o));
    return write_canvas(context, err, &canvas, path);
}

glshape_status plot_marks_picture(glshape_context *context, error *err, const plot_marks_options *o,
                                  const char *path) {
    OWNED_BY(plot_canvas_free) plot_canvas canvas = {0};
    TRY(plot_marks(err, &canvas, o));
    return write_canvas(context, err, &canvas, path);
}
