#include "io/graph/sparse.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/graph/bag.h"
#include "io/graph/scipy.h"
#include "io/market.h"
#include "io/npy.h"
#include "io/room.h"
#include "io/text.h"

/* ---- from files --------------------------------------------------------------------------------- */

/* Adds what an entry says: one place, or two. */
static glshape_status add_entry(error *err, const io_market *m, const io_market_entry *e,
                                io_entries *entries) {
    TRY(io_entries_add(err, entries, e->row, e->col, e->value));
    if (m->symmetry == IO_MARKET_GENERAL || e->row == e->col) return GLSHAPE_OK;
    double mirrored = m->symmetry == IO_MARKET_SKEW ? -e->value : e->value;
    return io_entries_add(err, entries, e->col, e->row, mirrored);
}

static glshape_status read_market(error *err, io_stream *s, io_entries *entries, size_t *rows, size_t *cols) {
    OWNED_BY(io_market_close) io_market m = {.s = s};
    io_market_entry e;
    TRY(io_market_open(err, s, &m));
    *entries = (io_entries){.name = s->name, .limit = io_market_limit(&m)};
    *rows = m.rows;
    *cols = m.cols;
    for (bool more = true;;) {
        TRY(io_market_next(err, &m, &e, &more));
        if (!more) return GLSHAPE_OK;
        TRY(add_entry(err, &m, &e, entries));
    }
}

/* The sum of the cells of one column, of which the first is at *k. Sets *k to the first cell of the next. */
static double sum_place(const io_cells *cells, size_t end, size_t *k) {
    uint32_t column = io_cells_column(cells, *k);
    double sum = 0;
    for (; *k < end && io_cells_column(cells, *k) == column; ++*k) sum += io_cells_value(cells, *k);
    return sum;
}

/* Fills out with a value for each place that has cells whose sum is not 0. *lost: single precision does not
 * have all of the sums. */
static glshape_status sum_equal_cells(error *err, const char *name, const io_cells *cells, io_sparse *out,
                                      bool *lost) {
    out->count = 0;
    for (size_t r = 0; r < cells->rows; r++) {
        size_t k = cells->start[r], end = cells->start[r + 1];
        out->start[r] = out->count;
        while (k < end) {
            uint32_t column = io_cells_column(cells, k);
            double sum = sum_place(cells, end, &k);
            float value = (float)sum;
            if (!isfinite(value))
                return fail(err, GLSHAPE_BAD_INPUT,
                            "%s: the entries at row %zu, column %lu sum to more than single "
                            "precision holds",
                            name, r + 1, (unsigned long)column + 1);
            if (value == 0) continue;
            *lost |= (double)value != sum;
            if (out->exact) out->exact[out->count] = sum;
            out->column[out->count] = column;
            out->value[out->count++] = value;
        }
    }
    out->start[cells->rows] = out->count;
    return GLSHAPE_OK;
}

/* Room for rows and count values, zeroed. */
static glshape_status allocate_sparse(error *err, const char *name, size_t rows, size_t count,
                                      io_sparse *out) {
    size_t starts = times(rows + 1, sizeof *out->start);
    size_t values = times(count, sizeof *out->column + sizeof *out->value);
    TRY(io_room_check(err, name, starts > SIZE_MAX - values ? SIZE_MAX : starts + values));
    TRY(allocate(err, &out->start, rows + 1, sizeof *out->start, name));
    TRY(allocate(err, &out->column, count, sizeof *out->column, name));
    return allocate(err, &out->value, count, sizeof *out->value, name);
}

static glshape_status allocate_exact(error *err, const char *name, io_sparse *m) {
    TRY(io_room_check(err, name, times(m->count, sizeof *m->exact)));
    return allocate(err, &m->exact, m->count, sizeof *m->exact, name);
}

glshape_status io_read_sparse(error *err, const char *path, io_sparse *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(io_entries_free) io_entries entries = {.at = NULL};
    OWNED_BY(io_cells_free) io_cells cells = {.rows = 0};
    OWNED_BY(io_sparse_free) io_sparse m = {.rows = 0};
    *out = (io_sparse){.rows = 0};
    TRY(io_stream_open(err, path, &s));
    if (io_stream_starts(&s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES))
        return fail(err, GLSHAPE_BAD_INPUT, "%s is a .npy file, which is dense; read it as a matrix", s.name);
    bool scipy = io_scipy_starts(&s);
    if (!scipy) TRY(io_check_text(err, &s));
    if (scipy) TRY(io_scipy_read(err, &s, &entries, &m.rows, &m.cols));
    else if (io_market_starts(&s)) TRY(read_market(err, &s, &entries, &m.rows, &m.cols));
    else TRY(io_bag_read(err, &s, &entries, &m.rows, &m.cols));
    size_t count = entries.count;
    TRY(io_cells_of(err, &entries, m.rows, &cells));
    TRY(allocate_sparse(err, s.name, m.rows, count, &m));
    bool lost = false;
    TRY(sum_equal_cells(err, s.name, &cells, &m, &lost));
    if (m.count < count) { /* some were merged or dropped */
        memory_resize(NULL, &m.column, m.count, sizeof *m.column, NULL);
        memory_resize(NULL, &m.value, m.count, sizeof *m.value, NULL);
    }
    if (lost) {
        TRY(allocate_exact(err, s.name, &m));
        TRY(sum_equal_cells(err, s.name, &cells, &m, &lost));
    }
    *out = MOVE(m);
    return GLSHAPE_OK;
}

/* ---- transposed, weighed --------------------------------------------------------------------------- */

glshape_status io_sparse_transpose(error *err, const io_sparse *m, io_sparse *out) {
    OWNED_BY(io_sparse_free) io_sparse t = {.rows = m->cols, .cols = m->rows, .count = m->count};
    *out = (io_sparse){.rows = 0};
    TRY(allocate_sparse(err, "the transposed matrix", t.rows, t.count, &t));
    if (m->exact) TRY(allocate_exact(err, "the transposed matrix", &t));
    for (size_t k = 0; k < m->count; k++) t.start[m->column[k] + (size_t)1]++;
    for (size_t c = 0; c < m->cols; c++) t.start[c + 1] += t.start[c];
    /* start[c + 1] is where column c ends; filled from there, it becomes where column c starts. */
    for (size_t r = m->rows; r-- > 0;)
        for (size_t k = m->start[r + 1]; k-- > m->start[r];) {
            size_t to = --t.start[m->column[k] + (size_t)1];
            t.column[to] = (uint32_t)r;
            t.value[to] = m->value[k];
            if (m->exact) t.exact[to] = m->exact[k];
        }
    for (size_t c = 0; c < m->cols; c++) t.start[c] = t.start[c + 1];
    t.start[m->cols] = m->count;
    *out = MOVE(t);
    return GLSHAPE_OK;
}

/* Multiplies row r by idf and divides it by its length. */
static void weigh_row(io_sparse *m, size_t r, const uint32_t *df) {
    double squares = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
            double idf = log((1 + (double)m->rows) / (1 + (double)df[m->column[k]])) + 1;
            double value = (m->exact ? m->exact[k] : (double)m->value[k]) * idf;
            if (pass == 0) squares += value * value;
            else m->value[k] = (float)(value / sqrt(squares));
        }
}

glshape_status io_sparse_tfidf(error *err, io_sparse *m) {
    OWNED uint32_t *df = NULL;
    TRY(io_room_check(err, "the number of documents of each word", times(m->cols, sizeof *df)));
    TRY(allocate(err, &df, m->cols, sizeof *df, "the number of documents of each word"));
    for (size_t k = 0; k < m->count; k++) df[m->column[k]]++;
    for (size_t r = 0; r < m->rows; r++) weigh_row(m, r, df);
    free(m->exact);
    m->exact = NULL; /* the weights are rounded */
    return GLSHAPE_OK;
}

void io_sparse_free(io_sparse *m) {
    free(m->start);
    free(m->column);
    free(m->value);
    free(m->exact);
    *m = (io_sparse){.rows = 0};
}
