/* glshape_mds_align: the rigid motion that brings a layout nearest to another (orthogonal Procrustes
 * problem). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "dist/source.h"
#include "gpu/context.h"
#include "mds/eigen.h"

#define NEGLIGIBLE 1e-7 /* of the largest singular value: such directions may go anywhere */

/* A layout and its target, in so many dimensions, each value i of dimension c at i·dim + c. */
typedef struct alignment {
    size_t n, dim;
    double *x, *target, *mean;                     /* both centered; mean: of the target */
    double *cross, *square, *v, *u, *value, *turn; /* dim × dim each, but for value: dim */
    double *memory;
} alignment;

static void alignment_free(alignment *a) { free(a->memory); }

static glshape_status alignment_new(error *err, const glshape_mds_result *r, const glshape_matrix *target,
                                    alignment *a) {
    a->n = r->n;
    a->dim = (size_t)r->dim;
    size_t layout = times(a->n, a->dim), square = a->dim * a->dim;
    TRY(allocate(err, &a->memory, times(2, layout) + 5 * square + 2 * a->dim + target->cols,
                 sizeof *a->memory, "the layouts"));
    double *at = a->memory,
           **const parts[] = {&a->x, &a->target, &a->cross, &a->square, &a->v, &a->u, &a->turn};
    for (int i = 0; i < 7; i++, at += i <= 2 ? layout : square) *parts[i] = at;
    a->value = at;
    a->mean = at + a->dim;
    return GLSHAPE_OK;
}

static void center(const alignment *a, double *x, double *mean) {
    for (size_t c = 0; c < a->dim; c++) {
        double sum = 0;
        for (size_t i = 0; i < a->n; i++) sum += x[i * a->dim + c] / (double)a->n;
        for (size_t i = 0; i < a->n; i++) x[i * a->dim + c] -= sum;
        if (mean) mean[c] = sum;
    }
}

/* Columns that the target has too few of are 0. */
static glshape_status read_both(error *err, const glshape_mds_result *r, const glshape_matrix *target,
                                alignment *a) {
    double *row = a->mean + a->dim;
    for (size_t k = 0; k < a->n * a->dim; k++) a->x[k] = (double)r->layout[k];
    for (size_t i = 0; i < a->n; i++) {
        TRY(dist_row(err, target, GLSHAPE_METRIC_EUCLIDEAN, i, row));
        memcpy(a->target + i * a->dim, row, target->cols * sizeof *row);
    }
    center(a, a->x, NULL);
    center(a, a->target, a->mean);
    return GLSHAPE_OK;
}

/* Makes column k of u orthogonal to those before it. Returns its length then, and makes that 1 unless it is
 * next to nothing. */
static double orthogonalize(const alignment *a, size_t k) {
    size_t dim = a->dim;
    double length = 0;
    for (int twice = 0; twice < 2; twice++)
        for (size_t before = 0; before < k; before++) {
            double along = 0;
            for (size_t c = 0; c < dim; c++) along += a->u[c * dim + k] * a->u[c * dim + before];
            for (size_t c = 0; c < dim; c++) a->u[c * dim + k] -= along * a->u[c * dim + before];
        }
    for (size_t c = 0; c < dim; c++) length += a->u[c * dim + k] * a->u[c * dim + k];
    length = sqrt(length);
    for (size_t c = 0; c < dim && length > 0; c++) a->u[c * dim + k] /= length;
    return length;
}

/* Column k of u: what the cross product makes of v's, or, if that is next to nothing, any direction that is
 * left. */
static void find_left(const alignment *a, size_t k, double least) {
    size_t dim = a->dim;
    for (size_t c = 0; c < dim; c++) {
        a->u[c * dim + k] = 0;
        for (size_t e = 0; e < dim; e++) a->u[c * dim + k] += a->cross[c * dim + e] * a->v[e * dim + k];
    }
    if (orthogonalize(a, k) > least) return;
    for (size_t axis = 0; axis < dim; axis++) {
        for (size_t c = 0; c < dim; c++) a->u[c * dim + k] = c == axis;
        if (orthogonalize(a, k) > 0.5 / sqrt((double)dim)) return;
    }
}

/* turn = U·Vᵀ of the singular value decomposition of xᵀ·target. */
static void find_turn(const alignment *a) {
    size_t dim = a->dim;
    for (size_t i = 0; i < a->n; i++)
        for (size_t c = 0; c < dim; c++)
            for (size_t e = 0; e < dim; e++)
                a->cross[c * dim + e] += a->x[i * dim + c] * a->target[i * dim + e];
    for (size_t c = 0; c < dim; c++)
        for (size_t e = 0; e < dim; e++)
            for (size_t k = 0; k < dim; k++)
                a->square[c * dim + e] += a->cross[k * dim + c] * a->cross[k * dim + e];
    mds_eigen((uint32_t)dim, a->square, a->value, a->v);
    double least = NEGLIGIBLE * sqrt(fmax(a->value[0], 0));
    for (size_t k = 0; k < dim; k++) find_left(a, k, least);
    for (size_t c = 0; c < dim; c++)
        for (size_t e = 0; e < dim; e++)
            for (size_t k = 0; k < dim; k++) a->turn[c * dim + e] += a->u[c * dim + k] * a->v[e * dim + k];
}

static void move(const alignment *a, glshape_mds_result *r) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t e = 0; e < a->dim; e++) {
            double sum = a->mean[e];
            for (size_t c = 0; c < a->dim; c++) sum += a->x[i * a->dim + c] * a->turn[c * a->dim + e];
            r->layout[i * a->dim + e] = (float)sum;
        }
}

static glshape_status check(error *err, const glshape_mds_result *r, const glshape_matrix *target) {
    TRY(matrix_check(err, target));
    if (!r->layout || r->dim < 1) return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no layout to align");
    if (target->rows != r->n)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "the layout to align with has %zu row%s, but there are %zu points", target->rows,
                    target->rows == 1 ? "" : "s", r->n);
    if (target->cols >= 1 && target->cols <= (size_t)r->dim) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "the layout to align with has %zu columns, but dim is %d",
                target->cols, r->dim);
}

static glshape_status align(error *err, glshape_mds_result *r, const glshape_matrix *target) {
    OWNED_BY(alignment_free) alignment a = {.memory = NULL};
    TRY(check(err, r, target));
    TRY(alignment_new(err, r, target, &a));
    TRY(read_both(err, r, target, &a));
    find_turn(&a);
    move(&a, r);
    return GLSHAPE_OK;
}

glshape_status glshape_mds_align(glshape_context *context, glshape_mds_result *result,
                                 const glshape_matrix *target) {
    run *r;
    TRY(context_begin_run(context, &r));
    return context_end(context, align(run_error(r), result, target));
}
