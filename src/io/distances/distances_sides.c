/* Square matrices that hold a triangle: every value on one side of the diagonal is 0, and some on the other
 * side are not. The other side then stands for both. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/distances/distances_internal.h"
#include "io/room.h"

enum { BLOCK_VALUES = 1 << 18 };

/* What rows have: on each side of the diagonal a value that is not 0; the greatest magnitudes, 0 if all
 * values are missing. */
typedef struct sides {
    bool above, below;
    double diagonal, largest;
} sides;

static void look(const io_distances *d, size_t first, size_t rows, distances_numbers values, sides *out) {
    for (size_t r = first, k = 0; r < first + rows; r++)
        for (size_t c = 0; c < d->n; c++, k++) {
            double value = distances_number(values, k), *greatest = r == c ? &out->diagonal : &out->largest;
            if (fabs(value) > *greatest) *greatest = fabs(value);
            if (value == 0 || r == c) continue;
            out->above |= c > r;
            out->below |= c < r;
        }
}

/* Whether rows with these sides can be those of a triangle. */
static bool is_one_sided(const io_distances *d, const sides *s) {
    return s->above != s->below && s->largest > 0 && s->diagonal <= distances_tolerance(d) * s->largest;
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
            size_t low = r * n + c, high = c * n + r;
            if (above) distances_set(d->values, low, distances_number(d->values, high));
            else distances_set(d->values, high, distances_number(d->values, low));
        }
}

/* ---- in a file ---------------------------------------------------------------------------------------- */

/* How its values are read: without room yet. */
static distances_numbers numbers_of(const io_distances *d) {
    return (distances_numbers){NULL, io_distances_are_double(d)};
}

/* Whether the first row, the last and one between leave it possible. */
static glshape_status look_at_three(error *err, io_distances *d, sides *out) {
    OWNED double *row = NULL;
    const uint32_t rows[] = {0, d->n / 2, d->n - 1};
    distances_numbers numbers = numbers_of(d);
    TRY(allocate(err, &row, d->n, sizeof *row, d->name));
    numbers.at = row;
    for (int i = 0; i < 3; i++) {
        TRY(distances_read(err, d, rows[i], 1, numbers));
        look(d, rows[i], 1, numbers, out);
    }
    return GLSHAPE_OK;
}

/* Copies one side of these rows to where a triangle has it. */
static void copy_side(const io_distances *d, bool above, size_t first, size_t rows, distances_numbers values,
                      distances_numbers to, size_t *at) {
    for (size_t r = first; r < first + rows; r++)
        for (size_t c = above ? r + 1 : 0, end = above ? d->n : r; c < end; c++)
            distances_set(to, (*at)++, distances_number(values, (r - first) * d->n + c));
}

/* Reads the triangle into values->at, and the sides of the whole into *s. */
static glshape_status read_triangle(error *err, io_distances *d, bool above, distances_numbers *values,
                                    sides *s) {
    OWNED void *room = NULL;
    uint32_t step = BLOCK_VALUES / d->n + 1;
    size_t size = distances_size(*values), at = 0;
    uint64_t pairs = distances_pairs(d->n);
    TRY(io_room_check(err, d->name, times((size_t)pairs, size)));
    TRY(allocate(err, &values->at, (size_t)pairs, size, d->name));
    TRY(allocate(err, &room, times(step, d->n), size, d->name));
    distances_numbers block = {room, values->wide};
    for (uint32_t r = 0, some; r < d->n && s->above != s->below; r += some) {
        some = d->n - r < step ? d->n - r : step;
        TRY(distances_read(err, d, r, some, block));
        look(d, r, some, block, s);
        copy_side(d, above, r, some, block, *values, &at);
    }
    return GLSHAPE_OK;
}

static void numbers_free(distances_numbers *n) { free(n->at); }

static glshape_status load_triangle(error *err, io_distances *d) {
    OWNED_BY(numbers_free) distances_numbers values = numbers_of(d);
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
