/* Square matrices that hold a triangle: every value on one side of the diagonal is 0, and some on the other
 * side are not. The other side then stands for both. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/distances_internal.h"
#include "io/room.h"

enum { BLOCK_VALUES = 1 << 18 };

/* What rows have: on each side of the diagonal a value that is not 0; the greatest magnitudes, 0 if all
 * values are missing. */
typedef struct sides {
    bool above, below;
    float diagonal, largest;
} sides;

static void look(const io_distances *d, size_t first, size_t rows, const float *values, sides *out) {
    for (size_t r = first; r < first + rows; r++, values += d->n)
        for (size_t c = 0; c < d->n; c++) {
            float *greatest = r == c ? &out->diagonal : &out->largest;
            if (fabsf(values[c]) > *greatest) *greatest = fabsf(values[c]);
            if (values[c] == 0 || r == c) continue;
            out->above |= c > r;
            out->below |= c < r;
        }
}

/* Whether rows with these sides can be those of a triangle. */
static bool is_one_sided(const io_distances *d, const sides *s) {
    return s->above != s->below && s->largest > 0 &&
           s->diagonal <= (float)distances_tolerance(d) * s->largest;
}

static void tell(error *err, const io_distances *d, const sides *s) {
    bool above = s->above != d->fortran;
    note(err,
         "%s: every value %s the diagonal is 0: it is taken for a triangle, the distances %s the diagonal",
         d->name, above ? "below" : "above", above ? "above" : "below");
}

static void mirror(io_distances *d, bool above) {
    size_t n = d->n;
    for (size_t r = 1; r < n; r++)
        for (size_t c = 0; c < r; c++) {
            float *low = &d->values[r * n + c], *high = &d->values[c * n + r];
            if (above) *low = *high;
            else *high = *low;
        }
}

/* ---- in a file ---------------------------------------------------------------------------------------- */

/* Whether the first row, the last and one between leave it possible. */
static glshape_status look_at_three(error *err, io_distances *d, sides *out) {
    OWNED float *row = NULL;
    const uint32_t rows[] = {0, d->n / 2, d->n - 1};
    TRY(allocate(err, &row, d->n, sizeof *row, d->name));
    for (int i = 0; i < 3; i++) {
        TRY(io_distances_rows(err, d, rows[i], 1, row));
        look(d, rows[i], 1, row, out);
    }
    return GLSHAPE_OK;
}

/* Copies one side of these rows to where a triangle has it. */
static void copy_side(const io_distances *d, bool above, size_t first, size_t rows, const float *values,
                      float **to) {
    for (size_t r = first; r < first + rows; r++, values += d->n)
        for (size_t c = above ? r + 1 : 0, end = above ? d->n : r; c < end; c++) *(*to)++ = values[c];
}

/* Reads the triangle into *values, and the sides of the whole into *s. */
static glshape_status read_triangle(error *err, io_distances *d, bool above, float **values, sides *s) {
    OWNED float *block = NULL;
    uint32_t step = BLOCK_VALUES / d->n + 1;
    uint64_t pairs = distances_pairs(d->n);
    TRY(io_room_check(err, d->name, times((size_t)pairs, sizeof **values)));
    TRY(allocate(err, values, (size_t)pairs, sizeof **values, d->name));
    TRY(allocate(err, &block, times(step, d->n), sizeof *block, d->name));
    float *to = *values;
    for (uint32_t r = 0, some; r < d->n && s->above != s->below; r += some) {
        some = d->n - r < step ? d->n - r : step;
        TRY(io_distances_rows(err, d, r, some, block));
        look(d, r, some, block, s);
        copy_side(d, above, r, some, block, &to);
    }
    return GLSHAPE_OK;
}

static glshape_status load_triangle(error *err, io_distances *d) {
    OWNED float *values = NULL;
    sides s = {0};
    TRY(look_at_three(err, d, &s));
    if (s.above == s.below) return GLSHAPE_OK;
    TRY(read_triangle(err, d, s.above, &values, &s));
    if (!is_one_sided(d, &s)) return GLSHAPE_OK;
    tell(err, d, &s);
    close(d->fd);
    d->fd = -1;
    d->values = MOVE(values);
    d->layout = s.above ? DISTANCES_UPPER : DISTANCES_LOWER;
    return GLSHAPE_OK;
}

glshape_status distances_complete(error *err, io_distances *d) {
    sides s = {0};
    if (d->layout == DISTANCES_FILE) return load_triangle(err, d);
    if (d->layout != DISTANCES_SQUARE) return GLSHAPE_OK;
    look(d, 0, d->n, d->values, &s);
    if (!is_one_sided(d, &s)) return GLSHAPE_OK;
    tell(err, d, &s);
    mirror(d, s.above);
    return GLSHAPE_OK;
}
