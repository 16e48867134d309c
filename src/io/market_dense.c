#include "io/market_dense.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/room.h"
#include "io/sparse_lines.h"

enum { FIRST_VALUES = 1 << 12 };

glshape_status io_market_is_array(error *err, io_stream *s, bool *array) {
    char word[3][24], head[IO_MARKET_HEAD + 1];
    size_t length;
    *array = false;
    if (!io_market_starts(s)) return GLSHAPE_OK;
    TRY(io_stream_fill(err, s, IO_MARKET_HEAD));
    const char *banner = io_market_banner(s, &length);
    if (!banner) return GLSHAPE_OK; /* it only began like one */
    memcpy(head, banner, length);
    head[length] = '\0';
    *array = sscanf(head, "%23s %23s %23s", word[0], word[1], word[2]) == 3 && !strcasecmp(word[2], "array");
    return GLSHAPE_OK;
}

static glshape_status bad_line(error *err, const io_stream *s, const char *what) {
    return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu %s", s->name, (unsigned long long)s->line, what);
}

static glshape_status read_header(error *err, io_stream *s, bool *triangle, uint64_t size[2]) {
    io_line line = {.text = NULL};
    TRY(io_line_next(err, s, "", &line));
    io_line_split(&line, IO_BLANKS);
    size_t last = line.count - 1;
    if (line.count < 5 || last >= IO_LINE_FIELDS)
        return bad_line(err, s, "is not '%%MatrixMarket matrix array FIELD SYMMETRY'");
    *triangle = io_field_is(&line.field[last], "symmetric");
    bool known = io_field_is(&line.field[last - 1], "real") || io_field_is(&line.field[last - 1], "double") ||
                 io_field_is(&line.field[last - 1], "integer");
    if (!known || !(*triangle || io_field_is(&line.field[last], "general")))
        return bad_line(err, s,
                        "has values that are not read: real and integer are, general or symmetric; write the "
                        "matrix with numpy.save");
    TRY(io_line_next(err, s, "%", &line));
    if (!line.text) return bad_line(err, s, "is the last one, but the size is missing");
    io_line_split(&line, IO_BLANKS);
    bool whole = line.count == 2 && io_field_whole(&line.field[0], &size[0]) &&
                 io_field_whole(&line.field[1], &size[1]);
    if (whole && size[0] && size[1] && size[0] <= UINT32_MAX && size[1] <= UINT32_MAX &&
        (!*triangle || size[0] == size[1]))
        return GLSHAPE_OK;
    return bad_line(err, s, "is not the size of the matrix, 'ROWS COLUMNS'");
}

/* The values as they are in the file. */
static glshape_status read_values(error *err, io_stream *s, uint64_t count, double **out) {
    io_line line = {.text = NULL};
    size_t capacity = 0;
    for (uint64_t k = 0; k < count; k++) {
        if (k == capacity)
            TRY(io_room_grow(err, s->name, out, &capacity, (size_t)k + FIRST_VALUES, SIZE_MAX, sizeof **out));
        TRY(io_line_next(err, s, "%", &line));
        if (!line.text)
            return fail(err, GLSHAPE_BAD_INPUT, "%s ends after %llu of its %llu values", s->name,
                        (unsigned long long)k, (unsigned long long)count);
        io_line_split(&line, IO_BLANKS);
        if (line.count != 1) return bad_line(err, s, "is not one value, as lines of the array format are");
        TRY(io_field_value(err, s, &line.field[0], &(*out)[k]));
    }
    TRY(io_line_next(err, s, "%", &line));
    return line.text ? bad_line(err, s, "is a value more than the matrix has") : GLSHAPE_OK;
}

glshape_status io_market_read_array(error *err, io_stream *s, glshape_matrix *out) {
    OWNED double *from = NULL;
    OWNED double *to = NULL;
    bool triangle = false;
    uint64_t size[2], at = 0;
    *out = (glshape_matrix){.data = NULL};
    TRY(read_header(err, s, &triangle, size));
    size_t rows = (size_t)size[0], cols = (size_t)size[1];
    TRY(read_values(err, s, triangle ? size[0] * (size[0] + 1) / 2 : size[0] * size[1], &from));
    TRY(allocate(err, &to, times(rows, cols), sizeof *to, s->name));
    for (size_t c = 0; c < cols; c++)
        for (size_t r = triangle ? c : 0; r < rows; r++) {
            to[r * cols + c] = from[at++];
            if (triangle) to[c * cols + r] = to[r * cols + c];
        }
    *out = (glshape_matrix){GLSHAPE_F64, rows, cols, MOVE(to)};
    return GLSHAPE_OK;
}
