/* Pictures as files: .png, .svg or .html. */
#ifndef GLSHAPE_CLI_PICTURE_H
#define GLSHAPE_CLI_PICTURE_H

#include "base/error.h"

/* Returns GLSHAPE_OK if the name ends in .png, .svg or .html, in upper or lower case, else
 * GLSHAPE_BAD_ARGUMENT. To be asked before any long work. */
glshape_status picture_check(error *err, const char *path);
/* Returns true if the name ends in .html: not every chart has a page. */
bool picture_is_page(const char *path);
/* Draws a chart and writes it to path, whole or not at all. title, as printf. */
glshape_status picture_write(glshape_context *context, error *err, const char *path,
                             const glshape_chart *chart, const char *title, ...)
    __attribute__((format(printf, 5, 6)));

#endif
