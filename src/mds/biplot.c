/* Scores of variables beside a layout of classical scaling. */
#include <math.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"
#include "gpu/context.h"

static glshape_status check_scores(error *err, const glshape_mds_result *r, const glshape_matrix *variables) {
    TRY(matrix_check(err, variables));
    if (!r->layout || !r->eigenvalues)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "scores of variables go with a layout of classical scaling (--method classical)");
    if (variables->rows == r->n) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "the variables have %zu row%s, but the layout has %zu points",
                variables->rows, variables->rows == 1 ? "" : "s", r->n);
}

/* Adds one row's part of the sums: its values, less their means, times its coordinates. */
static void add_row(const glshape_mds_result *r, size_t i, const double *row, const double *mean,
                    size_t columns, double *out) {
    size_t dim = (size_t)r->dim;
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < dim; k++)
            out[j * dim + k] += (row[j] - mean[j]) * (double)r->layout[i * dim + k];
}

static glshape_status score(error *err, const glshape_mds_result *r, const glshape_matrix *variables,
                            double *out) {
    OWNED double *row = NULL, *mean = NULL;
    size_t columns = variables->cols, dim = (size_t)r->dim;
    TRY(check_scores(err, r, variables));
    TRY(allocate(err, &row, columns, sizeof *row, "a row of the variables"));
    TRY(allocate(err, &mean, columns, sizeof *mean, "means of the variables"));
    for (size_t i = 0; i < r->n; i++) {
        TRY(dist_row(err, variables, GLSHAPE_METRIC_EUCLIDEAN, i, row));
        for (size_t j = 0; j < columns; j++) mean[j] += row[j] / (double)r->n;
    }
    for (size_t k = 0; k < columns * dim; k++) out[k] = 0;
    for (size_t i = 0; i < r->n; i++) {
        TRY(dist_row(err, variables, GLSHAPE_METRIC_EUCLIDEAN, i, row));
        add_row(r, i, row, mean, columns, out);
    }
    for (size_t k = 0; k < columns * dim; k++)
        out[k] = r->eigenvalues[k % dim] > 0 ? out[k] / r->eigenvalues[k % dim] : 0;
    return GLSHAPE_OK;
}

glshape_status glshape_mds_biplot(glshape_context *context, const glshape_mds_result *result,
                                  const glshape_matrix *variables, double *out) {
    run *r;
    TRY(context_begin_run(context, &r));
    return context_end(context, score(run_error(r), result, variables, out));
}
