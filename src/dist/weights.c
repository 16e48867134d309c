/* Weights of all pairs, from a reader. */
#include <math.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"

#define BLOCK_BYTES (4u << 20)
#define LEAST                                                                                           \
    1e-30f /* of the largest weight: a smaller one that is not 0 is raised to it, as it would vanish in \
              float32 */

/* Refuses row r, as it was read, if a value off the diagonal is no weight or all are 0. Raises *largest. */
static glshape_status check_row(error *err, uint32_t n, uint32_t r, const float *row, float *largest) {
    float most = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (j == r) continue;
        if (!(row[j] >= 0 && row[j] < INFINITY))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %u, column %u of the weights is %g; weights are finite and not negative", r + 1,
                        j + 1, (double)row[j]);
        if (row[j] > most) most = row[j];
    }
    if (most == 0)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "row %u of the weights is all zeros: nothing says where it belongs; remove it", r + 1);
    if (most > *largest) *largest = most;
    return GLSHAPE_OK;
}

glshape_status dist_weights_check(run *run, dist_reader *r) {
    OWNED float *rows = NULL;
    uint32_t block = BLOCK_BYTES / 4 / r->n + 1;
    float largest = 0;
    TRY(allocate(run_error(run), &rows, block, r->n * sizeof *rows, "rows of weights"));
    for (uint32_t first = 0; first < r->n; first += block) {
        uint32_t count = r->n - first < block ? r->n - first : block;
        TRY(dist_read_raw(run_error(run), r, first, count, rows));
        for (uint32_t i = 0; i < count; i++)
            TRY(check_row(run_error(run), r->n, first + i, rows + (size_t)i * r->n, &largest));
        TRY(run_tick(run, 0));
    }
    r->unit = largest;
    return GLSHAPE_OK;
}

/* Raises weights to LEAST, and puts the mean of the row on the diagonal, where no pair is. */
static void finish_row(uint32_t e, uint32_t n, float *row) {
    double sum = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (j == e) continue;
        if (row[j] > 0 && row[j] < LEAST) row[j] = LEAST;
        sum += row[j];
    }
    row[e] = (float)(sum / (n - 1));
}

glshape_status dist_weights_new(gpu *g, dist_reader *r, const uint32_t *order, gpu_texture *out) {
    TRY(dist_weights_check(run_of(g), r));
    return dist_upload_matrix(g, r, order, "the weights", finish_row, out);
}
