#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

glshape_status fail(error *err, glshape_status status, const char *format, ...) {
    if (!err) return status;
    err->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return status;
}

void note(error *err, const char *format, ...) {
    char line[1024];
    if (!err) return;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    strcat(line, "\n");
    if (!strstr(err->notes, line) && strlen(err->notes) + strlen(line) < sizeof err->notes)
        strcat(err->notes, line);
}

glshape_status error_check_choice(error *err, int choice, int last, const char *what) {
    if (choice >= 0 && choice <= last) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no %s %d; the last one is %d", what, choice, last);
}

glshape_status error_check_reserved(error *err, const char *what, const uint64_t *reserved) {
    for (int k = 0; reserved && k < GLSHAPE_RESERVED; k++)
        if (reserved[k])
            return fail(
                err, GLSHAPE_BAD_ARGUMENT,
                "reserved word %d of the %s is %llu, not 0: the program was compiled with the header of a "
                "later version than this library, " GLSHAPE_VERSION ", or the structure was not zeroed",
                k, what, (unsigned long long)reserved[k]);
    return GLSHAPE_OK;
}

const char *glshape_status_text(glshape_status status) {
#define TEXT(name, text) [name] = text,
    static const char *const texts[] = {GLSHAPE_STATUSES(TEXT)};
#undef TEXT
    size_t known = sizeof texts / sizeof *texts;
    return (size_t)status < known ? texts[status] : "unknown status";
}
