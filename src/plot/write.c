#include <string.h>

#include "plot/plot.h"

static glshape_status svg(gpu *g, error *err, const plot_canvas *c, FILE *to) {
    (void)g;
    return plot_write_svg(err, c, to);
}

typedef struct format {
    const char *extension;
    glshape_status (*write)(gpu *g, error *err, const plot_canvas *c, FILE *to);
} format;

static const format formats[] = {{".png", plot_write_png}, {".svg", svg}};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c; }

static bool ends_with(const char *path, const char *extension) {
    size_t n = strlen(path), m = strlen(extension);
    if (n < m) return false;
    for (size_t i = 0; i < m; i++)
        if (lower(path[n - m + i]) != extension[i]) return false;
    return true;
}

static const format *format_of(const char *path) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ends_with(path, formats[i].extension)) return &formats[i];
    return NULL;
}

glshape_status plot_format_check(error *err, const char *path) {
    if (format_of(path)) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s: a picture's name must end in .png or .svg", path);
}

glshape_status plot_write(gpu *g, error *err, const plot_canvas *c, const char *path, FILE *to) {
    TRY(plot_format_check(err, path));
    TRY(plot_canvas_check(err, c));
    return format_of(path)->write(g, err, c, to);
}
