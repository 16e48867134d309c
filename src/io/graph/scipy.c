#include "io/graph/scipy.h"

#include <math.h>
#include <string.h>

#include "base/matrix.h"
#include "base/owned.h"
#include "io/npz.h"
#include "io/read.h"
#include "io/text.h"

enum { SHAPE, DATA, INDICES, STARTS, ROW, COLUMN, FORMAT, ARRAYS };

typedef struct arrays {
    io_npz_wanted of[ARRAYS];
    char format[8];
    size_t count;     /* of entries */
    size_t extent[2]; /* rows, columns */
} arrays;

static void arrays_free(arrays *a) {
    for (int k = 0; k < ARRAYS; k++) io_matrix_free(&a->of[k].out);
}

static glshape_status bad(error *err, const io_stream *s, const char *what) {
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s: %s; it should be a sparse matrix as scipy.sparse.save_npz writes it", s->name, what);
}

/* Value i of an array of whole numbers, which is at most `most`. */
static bool whole_at(const glshape_matrix *m, size_t i, size_t most, size_t *out) {
    double value;
    matrix_doubles(m, i, 1, &value);
    *out = value >= 0 && value <= (double)most ? (size_t)value : 0;
    return value >= 0 && value <= (double)most && (double)*out == value;
}

static size_t length_of(const glshape_matrix *m) { return m->data ? m->rows * m->cols : 0; }

static bool is_read(const char *format) {
    return !strcmp(format, "coo") || !strcmp(format, "csr") || !strcmp(format, "csc");
}

static glshape_status refuse_format(error *err, const io_stream *s, const arrays *a) {
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s is a sparse matrix in the format '%s'; save it with scipy's tocsr()", s->name, a->format);
}

static glshape_status check(error *err, const io_stream *s, arrays *a) {
    bool coo = !strcmp(a->format, "coo"), rows = !strcmp(a->format, "csr");
    const glshape_matrix *shape = &a->of[SHAPE].out;
    a->count = length_of(&a->of[DATA].out);
    if (!is_read(a->format)) return refuse_format(err, s, a);
    if (length_of(shape) != 2 || !whole_at(shape, 0, UINT32_MAX - 1, &a->extent[0]) ||
        !whole_at(shape, 1, UINT32_MAX - 1, &a->extent[1]) || !a->extent[0] || !a->extent[1])
        return bad(err, s, "its shape is none that is read");
    size_t lines = a->extent[!rows];
    bool right =
        coo ? length_of(&a->of[ROW].out) == a->count && length_of(&a->of[COLUMN].out) == a->count
            : length_of(&a->of[INDICES].out) == a->count && length_of(&a->of[STARTS].out) == lines + 1;
    return right ? GLSHAPE_OK : bad(err, s, "its arrays are of lengths that do not go together");
}

static glshape_status add(error *err, const io_stream *s, const arrays *a, size_t k, size_t row, size_t col,
                          io_entries *entries) {
    double value;
    matrix_doubles(&a->of[DATA].out, k, 1, &value);
    if (!isfinite(value)) return bad(err, s, "a value is NaN or infinite");
    if (row >= a->extent[0] || col >= a->extent[1]) return bad(err, s, "an entry is outside the matrix");
    return io_entries_add(err, entries, (uint32_t)row, (uint32_t)col, value);
}

static glshape_status read_listed(error *err, const io_stream *s, const arrays *a, io_entries *entries) {
    for (size_t k = 0; k < a->count; k++) {
        size_t row, col;
        if (!whole_at(&a->of[ROW].out, k, UINT32_MAX, &row) ||
            !whole_at(&a->of[COLUMN].out, k, UINT32_MAX, &col))
            return bad(err, s, "an entry is outside the matrix");
        TRY(add(err, s, a, k, row, col, entries));
    }
    return GLSHAPE_OK;
}

/* Entries line after line: rows, or columns of csc. */
static glshape_status read_lines(error *err, const io_stream *s, const arrays *a, io_entries *entries) {
    bool rows = !strcmp(a->format, "csr");
    size_t at = 0, lines = a->extent[!rows];
    for (size_t line = 0; line < lines; line++) {
        size_t start, end, other;
        if (!whole_at(&a->of[STARTS].out, line, a->count, &start) ||
            !whole_at(&a->of[STARTS].out, line + 1, a->count, &end) || start != at || end < at)
            return bad(err, s, "its indptr does not ascend from 0");
        for (; at < end; at++) {
            if (!whole_at(&a->of[INDICES].out, at, UINT32_MAX, &other))
                return bad(err, s, "an entry is outside the matrix");
            TRY(add(err, s, a, at, rows ? line : other, rows ? other : line, entries));
        }
    }
    return at == a->count ? GLSHAPE_OK : bad(err, s, "its indptr does not end with the number of values");
}

bool io_scipy_starts(const io_stream *s) { return io_stream_starts(s, "PK\3\4", 4); }

glshape_status io_scipy_read(error *err, io_stream *s, io_entries *entries, size_t *rows, size_t *cols) {
    OWNED_BY(arrays_free)
    arrays a = {.of = {[SHAPE] = {.name = "shape"},
                       [DATA] = {.name = "data", .optional = true}, /* none: without entries */
                       [INDICES] = {.name = "indices", .optional = true},
                       [STARTS] = {.name = "indptr", .optional = true},
                       [ROW] = {.name = "row", .optional = true},
                       [COLUMN] = {.name = "col", .optional = true},
                       [FORMAT] = {.name = "format", .word = a.format}}};
    TRY(io_check_office(err, s));
    glshape_status status = io_read_npz_stream(err, s, a.of, ARRAYS);
    if (status == GLSHAPE_BAD_INPUT && *a.format && !is_read(a.format)) return refuse_format(err, s, &a);
    TRY(status);
    TRY(check(err, s, &a));
    entries->limit = a.count;
    TRY(!strcmp(a.format, "coo") ? read_listed(err, s, &a, entries) : read_lines(err, s, &a, entries));
    *rows = a.extent[0];
    *cols = a.extent[1];
    return GLSHAPE_OK;
}
