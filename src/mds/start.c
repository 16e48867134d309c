/* The layout that a caller starts from. */
#include <math.h>
#include <stdlib.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "dist/source.h"
#include "mds/start.h"

static glshape_status check_shape(error *err, const glshape_matrix *start, size_t n, uint32_t dim) {
    TRY(matrix_check(err, start));
    if (start->rows != n)
        return fail(err, GLSHAPE_BAD_INPUT, "the start layout has %zu row%s, but there are %zu points",
                    start->rows, start->rows == 1 ? "" : "s", n);
    if (start->cols == dim) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "the start layout has %zu column%s, but dim is %u", start->cols,
                start->cols == 1 ? "" : "s", dim);
}

glshape_status mds_start_new(error *err, const glshape_mds_options *o, size_t n, uint32_t dim, double **out) {
    *out = NULL;
    if (!o->start) return GLSHAPE_OK;
    if (o->method != GLSHAPE_MDS_GLIMMER && o->method != GLSHAPE_MDS_ORDINAL)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "a start layout (--start) goes with --method glimmer or ordinal, which go downhill from it");
    TRY(check_shape(err, o->start, n, dim));
    TRY(allocate(err, out, n, dim * sizeof **out, "the start layout"));
    for (size_t i = 0; i < n; i++) TRY(dist_row(err, o->start, GLSHAPE_METRIC_EUCLIDEAN, i, *out + i * dim));
    return GLSHAPE_OK;
}
