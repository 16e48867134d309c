#include "cli/picture.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/owned.h"
#include "io/write.h"

static const struct {
    const char *extension;
    glshape_picture_format format;
} formats[] = {{".png", GLSHAPE_PICTURE_PNG}, {".svg", GLSHAPE_PICTURE_SVG}, {".html", GLSHAPE_PICTURE_HTML}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Returns the place of path's format in the table; FORMATS: it has none. */
static int format_of(const char *path) {
    const char *dot = strrchr(path, '.');
    int k = 0;
    while (k < FORMATS && (!dot || strcasecmp(dot, formats[k].extension))) k++;
    return k;
}

glshape_status picture_check(error *err, const char *path) {
    if (format_of(path) < FORMATS) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s: a picture's name must end in .png, .svg or .html", path);
}

bool picture_is_page(const char *path) {
    int k = format_of(path);
    return k < FORMATS && formats[k].format == GLSHAPE_PICTURE_HTML;
}

glshape_status picture_write(glshape_context *context, error *err, const char *path,
                             const glshape_chart *chart, const char *title, ...) {
    OWNED_BY(glshape_picture_free) glshape_picture picture = {0};
    char text[256];
    io_output out;
    va_list arguments;
    va_start(arguments, title);
    vsnprintf(text, sizeof text, title, arguments);
    va_end(arguments);
    TRY(picture_check(err, path));
    const glshape_picture_options options = {.format = formats[format_of(path)].format, .title = text};
    glshape_status status = glshape_draw(context, chart, &options, &picture);
    if (status) return fail(err, status, "%s: %s", path, glshape_last_error(context));
    TRY(io_output_open(err, path, &out));
    fwrite(picture.bytes, 1, picture.size, io_output_stream(&out));
    return io_output_commit(err, &out);
}
