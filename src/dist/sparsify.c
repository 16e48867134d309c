/* Turns dense rows that are mostly zero, such as documents, into sparse rows. They take less memory, and the
 * layout is that of the same rows given as sparse ones. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"

#define WIDE 128u /* columns; sparse rows with fewer are no faster */
#define FEW 8u    /* at most one value in so many is other than 0 */

/* Returns how many values of row r are not 0, and puts them into column and value if these are not NULL.
 * Returns SIZE_MAX if a value is not finite as float. */
static size_t take_values(const glshape_matrix *m, size_t r, double *row, uint32_t *column, float *value) {
    size_t count = 0;
    if (dist_row(NULL, m, GLSHAPE_METRIC_EUCLIDEAN, r, row)) return SIZE_MAX;
    for (size_t c = 0; c < m->cols; c++) {
        float x = (float)row[c];
        if (!isfinite(x)) return SIZE_MAX;
        if (x == 0) continue;
        if (value) column[count] = (uint32_t)c, value[count] = x;
        count++;
    }
    return count;
}

/* Returns how many values of all rows are not 0; SIZE_MAX if these are too many for sparse rows. */
static size_t count_values(const glshape_matrix *m, double *row) {
    size_t all = 0;
    for (size_t r = 0; r < m->rows; r++) {
        size_t count = take_values(m, r, row, NULL, NULL);
        if (count == SIZE_MAX || (all += count) > times(m->rows, m->cols) / FEW) return SIZE_MAX;
    }
    return all;
}

glshape_status dist_sparsify(error *err, const glshape_matrix *m, glshape_metric metric,
                             glshape_sparse *out) {
    OWNED double *row = NULL;
    OWNED size_t *start = NULL;
    OWNED uint32_t *column = NULL;
    OWNED float *value = NULL;
    *out = (glshape_sparse){0};
    if (dist_points_check(NULL, m) || !m->data || m->cols <= WIDE || metric == GLSHAPE_METRIC_CORRELATION)
        return GLSHAPE_OK;
    TRY(allocate(err, &row, m->cols, sizeof *row, "a row"));
    size_t all = count_values(m, row);
    if (all == SIZE_MAX) return GLSHAPE_OK;
    TRY(allocate(err, &start, m->rows + 1, sizeof *start, "sparse rows"));
    TRY(allocate(err, &column, all, sizeof *column, "sparse rows"));
    TRY(allocate(err, &value, all, sizeof *value, "sparse rows"));
    for (size_t r = 0; r < m->rows; r++)
        start[r + 1] = start[r] + take_values(m, r, row, column + start[r], value + start[r]);
    *out = (glshape_sparse){m->rows, m->cols, MOVE(start), MOVE(column), MOVE(value)};
    return GLSHAPE_OK;
}

void dist_sparsify_free(glshape_sparse *rows) {
    free((void *)rows->start);
    free((void *)rows->column);
    free((void *)rows->value);
    *rows = (glshape_sparse){0};
}
