#include "io/sparse.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/bag.h"
#include "io/market.h"
#include "io/npy.h"
#include "io/room.h"
#include "io/text.h"

/* ---- from files --------------------------------------------------------------------------------- */

/* Adds what an entry says: one place, or two. */
static glshape_status add_entry(error *err, const io_market *m, const io_market_entry *e,
                                io_entries *entries) {
    TRY(io_entries_add(err, entries, e->row, e->col, (float)e->value));
    if (m->symmetry == IO_MARKET_GENERAL || e->row == e->col) return GLSHAPE_OK;
    double mirrored = m->symmetry == IO_MARKET_SKEW ? -e->value : e->value;
    return io_entries_add(err, entries, e->col, e->row, (float)mirrored);
}

static glshape_status read_market(error *err, io_stream *s, io_entries *entries, size_t *rows, size_t *cols) {
    io_market m;
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

static glshape_status read_entries(error *err, io_stream *s, io_entries *entries, size_t *rows,
                                   size_t *cols) {
    if (io_stream_starts(s, IO_NPY_MAGIC, IO_NPY_MAGIC_BYTES))
        return fail(err, GLSHAPE_BAD_INPUT, "%s is a .npy file, which is dense; read it as a matrix",
                    s->name);
    TRY(io_check_text(err, s));
    if (io_market_starts(s)) return read_market(err, s, entries, rows, cols);
    return io_bag_read(err, s, entries, rows, cols);
}

/* The sum of the cells of one column, of which the first is at k; moves k behind them. */
static double sum_place(const io_cell *cell, size_t end, size_t *k) {
    uint32_t column = cell[*k].column;
    double sum = 0;
    for (; *k < end && cell[*k].column == column; ++*k) sum += cell[*k].value;
    return sum;
}

static glshape_status too_large(error *err, const char *name, size_t row, uint32_t column) {
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s: the entries at row %zu, column %lu sum to more than single "
                "precision holds",
                name, row + 1, (unsigned long)column + 1);
}

/* Sums and moves the cells into out, whose start becomes that of the rows that remain. */
static glshape_status merge(error *err, const char *name, const io_cells *cells, io_sparse *out) {
    for (size_t r = 0; r < cells->rows; r++) {
        size_t k = cells->start[r], end = cells->start[r + 1];
        out->start[r] = out->count;
        while (k < end) {
            uint32_t column = cells->cell[k].column;
            float value = (float)sum_place(cells->cell, end, &k);
            if (!isfinite(value)) return too_large(err, name, r, column);
            if (value == 0) continue;
            out->column[out->count] = column;
            out->value[out->count++] = value;
        }
    }
    out->start[cells->rows] = out->count;
    return GLSHAPE_OK;
}

/* Gives back the room of values that were merged or dropped. */
static void trim(io_sparse *m) {
    memory_resize(NULL, &m->column, m->count, sizeof *m->column, NULL);
    memory_resize(NULL, &m->value, m->count, sizeof *m->value, NULL);
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

static glshape_status build(error *err, io_entries *entries, size_t rows, size_t cols, io_sparse *out) {
    io_cells cells = {.rows = 0};
    const char *name = entries->name;
    size_t count = entries->count;
    glshape_status status = io_cells_of(err, entries, rows, &cells);
    if (status == GLSHAPE_OK) status = allocate_sparse(err, name, rows, count, out);
    if (status == GLSHAPE_OK) status = merge(err, name, &cells, out);
    io_cells_free(&cells);
    if (status != GLSHAPE_OK) return io_sparse_free(out), status;
    out->rows = rows;
    out->cols = cols;
    if (out->count < count) trim(out);
    return GLSHAPE_OK;
}

glshape_status io_read_sparse(error *err, const char *path, io_sparse *out) {
    io_stream s;
    io_entries entries = {.at = NULL};
    size_t rows = 0, cols = 0;
    *out = (io_sparse){.rows = 0};
    TRY(io_stream_open(err, path, &s));
    glshape_status status = read_entries(err, &s, &entries, &rows, &cols);
    if (status == GLSHAPE_OK) status = build(err, &entries, rows, cols, out);
    io_entries_free(&entries);
    io_stream_close(&s);
    return status;
}

/* ---- transposed, weighed --------------------------------------------------------------------------- */

/* Sets start[c + 1] to where column c ends in the transpose. */
static void find_columns(const io_sparse *m, size_t *start) {
    for (size_t k = 0; k < m->count; k++) start[m->column[k] + (size_t)1]++;
    for (size_t c = 0; c < m->cols; c++) start[c + 1] += start[c];
}

glshape_status io_sparse_transpose(error *err, const io_sparse *m, io_sparse *out) {
    *out = (io_sparse){.rows = 0};
    glshape_status status = allocate_sparse(err, "the transposed matrix", m->cols, m->count, out);
    if (status != GLSHAPE_OK) return io_sparse_free(out), status;
    out->rows = m->cols;
    out->cols = m->rows;
    out->count = m->count;
    find_columns(m, out->start);
    for (size_t r = m->rows; r-- > 0;)
        for (size_t k = m->start[r + 1]; k-- > m->start[r];) {
            size_t to = --out->start[m->column[k] + (size_t)1];
            out->column[to] = (uint32_t)r;
            out->value[to] = m->value[k];
        }
    /* Each end has become its row's start, one place too late. */
    for (size_t c = 0; c < m->cols; c++) out->start[c] = out->start[c + 1];
    out->start[m->cols] = m->count;
    return GLSHAPE_OK;
}

/* Multiplies row r by idf and divides it by its length. */
static void weigh_row(io_sparse *m, size_t r, const uint32_t *df) {
    double squares = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = m->start[r]; k < m->start[r + 1]; k++) {
            double idf = log((1 + (double)m->rows) / (1 + (double)df[m->column[k]])) + 1;
            double value = m->value[k] * idf;
            if (pass == 0) squares += value * value;
            else m->value[k] = (float)(value / sqrt(squares));
        }
}

glshape_status io_sparse_tfidf(error *err, io_sparse *m) {
    uint32_t *df;
    TRY(io_room_check(err, "the number of documents of each word", times(m->cols, sizeof *df)));
    TRY(allocate(err, &df, m->cols, sizeof *df, "the number of documents of each word"));
    for (size_t k = 0; k < m->count; k++) df[m->column[k]]++;
    for (size_t r = 0; r < m->rows; r++) weigh_row(m, r, df);
    free(df);
    return GLSHAPE_OK;
}

void io_sparse_free(io_sparse *m) {
    free(m->start);
    free(m->column);
    free(m->value);
    *m = (io_sparse){.rows = 0};
}
