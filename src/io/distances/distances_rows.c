/* Rectangles of the matrix, from memory or from the file. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/noise.h"
#include "io/distances/distances_internal.h"
#include "io/npy.h"

enum { PIECE = 1 << 16 }; /* bytes converted at a time, on the stack */

/* ---- from memory ------------------------------------------------------------------------------------ */

uint64_t distances_pairs(uint64_t n) { return n % 2 ? (n - 1) / 2 * n : n / 2 * (n ? n - 1 : 0); }

uint32_t distances_points(uint64_t count) {
    uint64_t n = (uint64_t)((1 + sqrt(1 + 8 * (double)count)) / 2);
    for (n = n > 2 ? n - 2 : 1; distances_pairs(n) < count;) n++;
    return distances_pairs(n) == count && n < (uint64_t)1 << 31 ? (uint32_t)n : 0;
}

/* The place in d->values of column 0 of row r, were it stored; modulo 2^64, as it may be negative. */
static uint64_t line_start(const io_distances *d, uint64_t r) {
    if (d->layout == DISTANCES_LOWER) return distances_pairs(r);
    return r * d->n - distances_pairs(r + 1) - r - 1;
}

static void copy_numbers(distances_numbers to, distances_numbers from, size_t count) {
    if (to.wide == from.wide) memcpy(to.at, from.at, count * distances_size(to));
    else
        for (size_t k = 0; k < count; k++) distances_set(to, k, distances_number(from, k));
}

static uint32_t at_least(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t at_most(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* On the stored side of the diagonal, rows of the rectangle are parts of rows of the triangle; on the other
 * side, columns of the rectangle are. */
static void triangle_tile(const io_distances *d, uint32_t row, uint32_t rows, uint32_t col, uint32_t cols,
                          distances_numbers out) {
    bool lower = d->layout == DISTANCES_LOWER;
    uint32_t row_end = row + rows, col_end = col + cols;
    for (uint32_t r = row; r < row_end; r++) {
        uint32_t from = lower ? col : at_least(col, r + 1), to = lower ? at_most(col_end, r) : col_end;
        size_t line = (size_t)(r - row) * cols;
        if (from < to)
            copy_numbers(distances_from(out, line + (from - col)),
                         distances_from(d->values, (size_t)(line_start(d, r) + from)), to - from);
        if (r >= col && r < col_end) distances_set(out, line + (r - col), 0);
    }
    for (uint32_t c = col; c < col_end; c++) {
        uint32_t from = lower ? row : at_least(row, c + 1), to = lower ? at_most(row_end, c) : row_end;
        uint64_t start = line_start(d, c);
        for (uint32_t r = from; r < to; r++)
            distances_set(out, (size_t)(r - row) * cols + (c - col),
                          distances_number(d->values, (size_t)(start + r)));
    }
}

/* ---- from the file ---------------------------------------------------------------------------------- */

static glshape_status check_size(error *err, const io_distances *d) {
    struct stat info;
    if (fstat(d->fd, &info))
        return fail(err, GLSHAPE_IO_ERROR, "cannot read %s: %s", d->name, strerror(errno));
    if ((uint64_t)info.st_size == d->identity.size) return GLSHAPE_OK;
    return fail(err, GLSHAPE_IO_ERROR,
                "%s changed while it was being read: it had %llu bytes, now it has %llu", d->name,
                (unsigned long long)d->identity.size, (unsigned long long)info.st_size);
}

static glshape_status read_at(error *err, const io_distances *d, void *to, size_t bytes, uint64_t at) {
    char *p = to;
    while (bytes) {
        ssize_t got = pread(d->fd, p, bytes, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(err, GLSHAPE_IO_ERROR, "cannot read %s: %s", d->name, strerror(errno));
        if (!got) {
            TRY(check_size(err, d));
            return fail(err, GLSHAPE_IO_ERROR, "%s ended early, at byte %llu", d->name,
                        (unsigned long long)at);
        }
        p += got;
        at += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return GLSHAPE_OK;
}

/* count values that follow each other in the file, from number start on. */
static glshape_status read_values(error *err, const io_distances *d, uint64_t start, size_t count,
                                  distances_numbers out) {
    size_t item = d->item->bytes;
    uint64_t at = d->header + start * item;
    if (!strcmp(d->item->code, out.wide ? "f8" : "f4")) {
        TRY(read_at(err, d, out.at, count * item, at));
        if (d->swapped) io_swap_bytes(out.at, count, item);
        return GLSHAPE_OK;
    }
    double piece[PIECE / sizeof(double)]; /* double: aligned for every type */
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE / item ? count - done : PIECE / item;
        TRY(read_at(err, d, piece, some * item, at + done * item));
        if (d->swapped) io_swap_bytes(piece, some, item);
        distances_convert(d, distances_from(out, done), piece, some);
    }
    return GLSHAPE_OK;
}

static glshape_status file_tile(error *err, const io_distances *d, uint32_t row, uint32_t rows, uint32_t col,
                                uint32_t cols, distances_numbers out) {
    TRY(check_size(err, d));
    if (cols == d->n) return read_values(err, d, (uint64_t)row * d->n, (size_t)rows * cols, out);
    for (uint32_t r = 0; r < rows; r++)
        TRY(read_values(err, d, (uint64_t)(row + r) * d->n + col, cols,
                        distances_from(out, (size_t)r * cols)));
    return GLSHAPE_OK;
}

/* Clears a tile of a matrix whose rows are known to have noise and no faults. */
static void clear_tile(uint32_t row, uint32_t rows, uint32_t col, uint32_t cols, distances_numbers out) {
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            double value = distances_number(out, r * cols + c);
            if ((value < 0 && !isinf(value)) || row + r == col + c) distances_set(out, r * cols + c, 0);
        }
}

glshape_status distances_tile(error *err, const io_distances *d, uint32_t row, uint32_t rows, uint32_t col,
                              uint32_t cols, distances_numbers out) {
    if (d->layout == DISTANCES_FILE) TRY(file_tile(err, d, row, rows, col, cols, out));
    else if (d->layout != DISTANCES_SQUARE) triangle_tile(d, row, rows, col, cols, out);
    else
        for (uint32_t r = 0; r < rows; r++)
            copy_numbers(distances_from(out, (size_t)r * cols),
                         distances_from(d->values, (size_t)(row + r) * d->n + col), cols);
    if (d->noise) clear_tile(row, rows, col, cols, out);
    return GLSHAPE_OK;
}

double distances_tolerance(const io_distances *d) {
    return d->item && !strcmp(d->item->code, "f2") ? 2e-3 : NOISE_TOLERANCE;
}

/* Clears noise, which a whole row tells from what is no distance. */
static glshape_status clear_rows(error *err, io_distances *d, uint32_t first, uint32_t count,
                                 distances_numbers out) {
    size_t n = d->n, from = d->rectangle ? n : first;
    if (d->weights) return GLSHAPE_OK;
    if (out.wide ? noise_clear_doubles(out.at, n, from, count, distances_tolerance(d))
                 : noise_clear(out.at, n, from, count, distances_tolerance(d)))
        d->noise = true;
    for (size_t k = 0; d->rectangle && k < count * n; k++)
        if (isinf(distances_number(out, k)) && distances_number(out, k) < 0)
            return fail(err, GLSHAPE_BAD_INPUT, "%s: row %zu, column %zu is beyond %g, the largest float32",
                        d->name, first + k / n + 1, k % n + 1, (double)FLT_MAX);
    return GLSHAPE_OK;
}

void distances_tell_noise(error *err, io_distances *d) {
    if (d->noise && !d->noise_told)
        note(err, "%s: values that rounding left below 0, or on the diagonal, are taken for 0", d->name);
    d->noise_told = d->noise;
}

glshape_status distances_read(error *err, io_distances *d, uint32_t first, uint32_t count,
                              distances_numbers out) {
    if (first > d->rows || count > d->rows - first)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s has %lu rows; %lu from row %lu on were asked for", d->name,
                    (unsigned long)d->rows, (unsigned long)count, (unsigned long)first + 1);
    TRY(distances_tile(err, d, first, count, 0, d->n, out));
    return clear_rows(err, d, first, count, out);
}

glshape_status io_distances_rows(error *err, io_distances *d, uint32_t first, uint32_t count, float *out) {
    return distances_read(err, d, first, count, (distances_numbers){out, false});
}

glshape_status io_distances_double_rows(error *err, io_distances *d, uint32_t first, uint32_t count,
                                        double *out) {
    TRY(distances_read(err, d, first, count, (distances_numbers){out, true}));
    if (!*d->rounded) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s has an integer beyond 2^53 that double precision does not have; subtract or divide first",
                d->name);
}

void distances_convert(const io_distances *d, distances_numbers out, const void *from, size_t count) {
    if (out.wide && d->item->to_double(out.at, from, count)) *d->rounded = true;
    if (!out.wide && d->item->to_float(out.at, from, count)) *d->lost = true;
}

/* ---- symmetry --------------------------------------------------------------------------------------- */

double distances_mean(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
    return a / 2 + b / 2;
}

glshape_status io_distances_symmetrize(error *err, io_distances *d) {
    enum { TILE = 32 };
    if (d->layout == DISTANCES_FILE)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "%s is read from the file as it is needed; run 'glshape pack --symmetrize' on it first",
                    d->name);
    d->symmetrized = true;
    if (d->layout != DISTANCES_SQUARE) return GLSHAPE_OK;
    size_t n = d->n;
    for (size_t r0 = 0; r0 < n; r0 += TILE)
        for (size_t c0 = 0; c0 <= r0; c0 += TILE)
            for (size_t r = r0; r < n && r < r0 + TILE; r++)
                for (size_t c = c0; c < r && c < c0 + TILE; c++) {
                    double mean = distances_mean(distances_number(d->values, r * n + c),
                                                 distances_number(d->values, c * n + r));
                    distances_set(d->values, r * n + c, mean);
                    distances_set(d->values, c * n + r, mean);
                }
    return GLSHAPE_OK;
}

void io_distances_are_weights(io_distances *d) { d->weights = true; }

void io_distances_allow_asymmetry(io_distances *d) { d->asymmetry_allowed = true; }

void io_distances_take(io_distances *d, bool missing, bool infinite) {
    d->missing_refused = !missing;
    d->infinite_allowed = infinite;
}
