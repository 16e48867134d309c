#include "io/read.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/market_dense.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/text.h"

#define CHECKED ((size_t)1 << 18) /* values that a thread checks at a time */

/* What may separate fields, in the order of preference. */
static const char *const delimiters[] = {
    [IO_AUTO] = "\t;, ", [IO_CSV] = ";,", [IO_TSV] = "\t", [IO_TEXT] = "\t;, ", [IO_CLOUD] = "\t;, "};

static const char *const names[] = {
#define NAME(format, name) [format] = name,
    IO_FORMATS(NAME)
#undef NAME
};

glshape_status io_format_from_name(error *err, const char *name, io_format *out) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(name, names[i])) {
            *out = (io_format)i;
            return GLSHAPE_OK;
        }
    }
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "'%.40s' is not an input format; known are auto, npy, csv, tsv and text, and of clouds ply, "
                "off, obj, xyz, "
                "pcd, geojson and wkt",
                name);
}

const char *io_input_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

/* Whether s is an .npz, and its first array none of a sparse matrix of scipy. */
static bool is_dense_npz(const io_stream *s) {
    static const char *const sparse[] = {"data.npy",  "indices.npy", "indptr.npy", "format.npy",
                                         "shape.npy", "row.npy",     "col.npy",    "_is_array.npy"};
    enum { HEADER = 30, LENGTH = 26 }; /* where the length of the first name stands, and before the name */
    const unsigned char *at = (const unsigned char *)s->window + s->at;
    if (!io_stream_starts(s, "PK\3\4", 4) || s->have < HEADER) return false;
    size_t length = at[LENGTH] | (size_t)at[LENGTH + 1] << 8;
    const char *name = (const char *)at + HEADER;
    if (length < 4 || s->have < HEADER + length || memcmp(name + length - 4, ".npy", 4) != 0) return false;
    for (size_t i = 0; i < sizeof sparse / sizeof *sparse; i++)
        if (strlen(sparse[i]) == length && !memcmp(name, sparse[i], length)) return false;
    return true;
}

static glshape_status read_npz(error *err, io_stream *s, glshape_matrix *out) {
    OWNED_BY(io_stream_close) io_stream array = {.fd = -1};
    TRY(io_npz_find_only(err, s, &array));
    return io_npy_read(err, &array, out);
}

static glshape_status read_any(error *err, io_stream *s, io_format format, bool exact, glshape_matrix *out,
                               io_label_list *names) {
    *out = (glshape_matrix){.data = NULL};
    bool npy = io_stream_starts(s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES), array = false;
    if ((format == IO_NPY || format == IO_AUTO) && is_dense_npz(s)) return read_npz(err, s, out);
    if (format == IO_NPY || ((format == IO_AUTO || format == IO_CLOUD) && npy))
        return io_npy_read(err, s, out);
    if (format == IO_AUTO) TRY(io_market_is_array(err, s, &array));
    if (array) return io_market_read_array(err, s, out);
    if (format == IO_AUTO && io_market_starts(s))
        return fail(
            err, GLSHAPE_BAD_INPUT,
            "%s is a sparse matrix of Matrix Market: read its rows with --input documents, or the edges of a "
            "graph with --input graph",
            s->name);
    TRY(io_check_text(err, s));
    const io_text_rules rules = {.delimiters = format <= IO_CLOUD ? delimiters[format] : delimiters[IO_AUTO],
                                 .each = format == IO_CLOUD,
                                 .exact = exact,
                                 .names = names};
    return io_text_read(err, s, rules, out);
}

static glshape_status read_path(error *err, const char *path, io_format format, bool exact,
                                glshape_matrix *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    *out = (glshape_matrix){.data = NULL};
    TRY(io_stream_open(err, path, &s));
    return read_any(err, &s, format, exact, out, NULL);
}

glshape_status io_read_matrix(error *err, const char *path, io_format format, glshape_matrix *out) {
    return read_path(err, path, format, false, out);
}

glshape_status io_read_points(error *err, const char *path, io_format format, glshape_matrix *out) {
    return read_path(err, path, format, true, out);
}

glshape_status io_read_stream(error *err, io_stream *s, io_format format, glshape_matrix *out,
                              io_label_list *names) {
    return read_any(err, s, format, true, out, names);
}

static double value_at(const glshape_matrix *m, size_t i) {
    return m->type == GLSHAPE_F32 ? (double)((const float *)m->data)[i] : ((const double *)m->data)[i];
}

typedef struct finite_check {
    const glshape_matrix *m;
    size_t count;
    _Atomic size_t bad; /* the first value that is not finite; count: none is known */
} finite_check;

static bool check_values(void *user, uint64_t block, int thread) {
    finite_check *c = user;
    size_t i = block * CHECKED, end = c->count - i < CHECKED ? c->count : i + CHECKED;
    (void)thread;
    while (i < end && isfinite(value_at(c->m, i))) i++;
    if (i == end) return true;
    for (size_t known = c->bad; i < known;)
        if (atomic_compare_exchange_weak(&c->bad, &known, i)) break;
    return false;
}

glshape_status io_check_finite(error *err, const char *path, const glshape_matrix *m) {
    if (m->type != GLSHAPE_F32 && m->type != GLSHAPE_F64) return GLSHAPE_OK;
    finite_check c = {.m = m, .count = m->rows * m->cols, .bad = m->rows * m->cols};
    threads_share(0, (c.count + CHECKED - 1) / CHECKED, check_values, &c);
    size_t i = c.bad;
    if (i == c.count) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: row %zu, column %zu is %s; leave that row out, or fill it in",
                io_input_name(path), i / m->cols + 1, i % m->cols + 1,
                isnan(value_at(m, i)) ? "NaN" : "infinite");
}

/* ---- points that look like distances ------------------------------------------------------------ */

/* The value at i of a matrix of any type. */
static double any_value(const glshape_matrix *m, size_t i) {
    double value;
    matrix_doubles(m, i, 1, &value);
    return value;
}

/* numpy.allclose(b, a), by which scipy and scikit-learn look for distances. */
static bool is_close(double a, double b) { return fabs(a - b) <= 1e-8 + 1e-5 * fabs(b); }

static bool is_square_of_distances(const glshape_matrix *m) {
    size_t n = m->rows;
    if (n != m->cols || n < 2) return false;
    for (size_t i = 0; i < n; i++)
        if (fabs(any_value(m, i * n + i)) > 1e-8) return false;
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double a = any_value(m, i * n + j), b = any_value(m, j * n + i);
            if (a < 0 || b < 0 || !is_close(a, b)) return false;
        }
    return true;
}

/* Fewer than three pairs are as likely two points of one column. */
static bool is_condensed(const glshape_matrix *m) {
    size_t n = 1;
    while (n * (n - 1) / 2 < m->rows) n++;
    if (m->cols != 1 || m->rows < 3 || n * (n - 1) / 2 != m->rows) return false;
    for (size_t i = 0; i < m->rows; i++)
        if (any_value(m, i) < 0) return false;
    return true;
}

void io_note_distances(error *err, const char *path, const glshape_matrix *m) {
    const char *name = io_input_name(path);
    if (is_square_of_distances(m))
        note(err,
             "%s looks suspiciously like a distance matrix, but is read as points; for distances say --input "
             "distances",
             name);
    if (is_condensed(m))
        note(err,
             "%s looks suspiciously like a condensed distance matrix, of %zu values, but is read as points; "
             "for distances "
             "say --input distances",
             name, m->rows);
}

glshape_status io_matrix_doubles(error *err, const glshape_matrix *m, double **out) {
    size_t count = m->rows * m->cols;
    TRY(allocate(err, out, count, sizeof **out, "the points"));
    matrix_doubles(m, 0, count, *out);
    return GLSHAPE_OK;
}

void io_matrix_free(glshape_matrix *m) {
    free(m->data);
    *m = (glshape_matrix){.data = NULL};
}
