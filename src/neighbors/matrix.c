/* Neighbors from a matrix of distances, row by row as its reader gives them. Nothing of it is kept. */
#include <math.h>

#include "base/noise.h"
#include "neighbors/rows.h"

static glshape_status read_row(error *err, void *user, uint32_t i, void *scratch, double *out) {
    const knn_matrix *m = user;
    const glshape_source *s = m->source;
    dist_reader reader = {
        .read = s->reader, .read_double = s->double_reader, .user = s->user, .n = (uint32_t)s->n};
    (void)scratch;
    TRY(dist_read_doubles(err, &reader, i, 1, out));
    noise_clear_doubles(out, reader.n, m->own ? i : reader.n, 1, NOISE_TOLERANCE);
    for (uint32_t j = 0; j < reader.n; j++)
        if (!(out[j] >= 0) && !(m->own && i == j)) /* infinity: the two are never near */
            return fail(err, GLSHAPE_BAD_INPUT, "row %u, column %u: %g is no distance", i + 1, j + 1, out[j]);
    return GLSHAPE_OK;
}

void knn_matrix_rows(knn_matrix *m, size_t queries, knn_rows *out) {
    uint32_t n = (uint32_t)m->source->n;
    m->own = !queries;
    *out = (knn_rows){
        .count = queries ? (uint32_t)queries : n, .n = n, .own = m->own, .bounds = read_row, .user = m};
}
