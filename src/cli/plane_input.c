#include "cli/plane_input.h"

#include <string.h>
#include <strings.h>

#include "io/graph/tsplib.h"
#include "io/read.h"

static bool has_extension(const session *s, const char *extension) {
    size_t length = strlen(s->input), own = strlen(extension);
    if (length > 3 && !strcasecmp(s->input + length - 3, ".gz")) length -= 3;
    return length > own && !strncasecmp(s->input + length - own, extension, own);
}

/* Returns true if --format is this format or, without --format, the input has its extension. */
static bool has_format(const session *s, const char *format) {
    char extension[8] = ".tsp";
    if (s->format) return !strcmp(s->format, format);
    if (strcmp(format, "tsplib")) snprintf(extension, sizeof extension, ".%s", format);
    return has_extension(s, extension);
}

glshape_status plane_check(session *s) {
    io_format format;
    error *err = &s->err;
    if (s->format && !has_format(s, "tsplib") && io_format_from_name(err, s->format, &format)) {
        error why = *err;
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s; also tsplib", why.text);
    }
    TRY(session_check_columns(s, true));
    size_t count = io_columns_count(&s->columns);
    if (count && count != 2)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "--columns %s: two are needed, x and y, such as lon,lat",
                    s->columns.chosen);
    const char *chosen = s->columns.chosen, *left_out = s->columns.left_out;
    const char *option = chosen ? "--columns" : "--index";
    if ((!chosen && !left_out) || !has_format(s, "tsplib")) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "%s %s: %s is no table of text with names in its first line; leave %s out", option,
                chosen ? chosen : left_out, io_input_name(s->input), option);
}

/* Reads INPUT as a matrix. If that fails and it looks like a table with names, the message also says how to
 * name two columns. */
static glshape_status read_matrix(session *s, glshape_matrix *out) {
    char names[IO_COLUMN_PAIR];
    glshape_status status = session_read_points(s, out);
    if (status != GLSHAPE_BAD_INPUT || s->columns.chosen || !io_columns_guess(s->input, names)) return status;
    error why = s->err;
    return fail(&s->err, status, "%s; name two columns of the table, as --columns %s", why.text, names);
}

static glshape_status read_input(session *s, glshape_matrix *out) {
    if (!has_format(s, "tsplib")) return read_matrix(s, out);
    TRY(io_read_tsplib(&s->err, s->input, out));
    return io_check_finite(&s->err, s->input, out);
}

glshape_status plane_read(session *s, glshape_matrix *out) {
    char names[IO_COLUMN_PAIR] = "";
    TRY(read_input(s, out));
    if (out->cols == 2) return GLSHAPE_OK;
    bool named = io_columns_guess(s->input, names);
    return fail(&s->err, GLSHAPE_BAD_INPUT, "%s has %zu column%s; points in the plane have two, x and y%s%s",
                io_input_name(s->input), out->cols, plural(out->cols),
                out->cols < 2          ? ""
                : named                ? ": name two of them with --columns "
                : has_format(s, "npy") ? ": save two of them, as numpy.save(..., arr[:, :2])"
                                       : ": keep two of them, as --columns 1,2 does",
                names);
}
