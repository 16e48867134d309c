/* glshape_mds_shepard: distances of a layout beside the dissimilarities that they stand for. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "gpu/context.h"
#include "mds/isotonic.h"
#include "mds/rows.h"
#include "mds/state.h"

typedef struct shepard {
    run *run;
    const glshape_mds_result *r;
    uint32_t points;           /* that are shown: k·n / points for k = 0, 1, … */
    float *given;              /* by pairs of these */
    double *distance, *fitted; /* by places */
    mds_isotonic order;
} shepard;

static void shepard_free(shepard *s) {
    free(s->given);
    free(s->distance);
    free(s->fitted);
    mds_isotonic_free(&s->order);
}

static uint32_t point_of(const shepard *s, uint32_t k) {
    return (uint32_t)((uint64_t)k * s->r->n / s->points);
}

static glshape_status read_pairs(shepard *s, const glshape_source *source) {
    OWNED_BY(mds_rows_free) mds_rows rows = {.paths = NULL};
    OWNED float *row = NULL;
    error *err = run_error(s->run);
    TRY(mds_rows_new(s->run, source, &rows));
    TRY(allocate(err, &row, s->r->n, sizeof *row, "a row of distances"));
    for (uint32_t i = 0; i + 1 < s->points; i++) {
        glshape_status status = dist_read_raw(err, &rows.reader, point_of(s, i), 1, row);
        if (status) return rows.checked.refused ? GLSHAPE_BAD_INPUT : status;
        for (uint32_t j = i + 1; j < s->points; j++)
            s->given[mds_pair_number(s->points, i, j)] = row[point_of(s, j)];
    }
    return GLSHAPE_OK;
}

static double length_of(const shepard *s, mds_pair p) {
    size_t dim = (size_t)s->r->dim, a = point_of(s, p.i) * dim, b = point_of(s, p.j) * dim;
    double sum = 0;
    for (size_t c = 0; c < dim; c++) {
        double d = (double)s->r->layout[a + c] - (double)s->r->layout[b + c];
        sum += d * d;
    }
    return sqrt(sum);
}

static glshape_status compare(shepard *s, double *out, size_t *count) {
    bool ordinal = s->r->method == GLSHAPE_MDS_ORDINAL;
    error *err = run_error(s->run);
    TRY(mds_isotonic_new(err, s->points, s->given, NULL, s->r->ties == GLSHAPE_MDS_TIES_SECONDARY,
                         &s->order));
    TRY(allocate(err, &s->distance, s->order.count, sizeof *s->distance, "distances"));
    TRY(allocate(err, &s->fitted, s->order.count, sizeof *s->fitted, "distances"));
    for (uint32_t k = 0; k < s->order.count; k++) s->distance[k] = length_of(s, s->order.pair[k]);
    mds_isotonic_fit(&s->order, s->distance, s->fitted);
    for (uint32_t k = 0; k < s->order.count; k++, out += 3) {
        out[0] = (double)s->given[mds_pair_number(s->points, s->order.pair[k].i, s->order.pair[k].j)];
        out[1] = s->distance[k];
        out[2] = ordinal ? s->fitted[k] : out[0];
    }
    *count = s->order.count;
    return GLSHAPE_OK;
}

static glshape_status check(error *err, const glshape_source *source, const glshape_mds_result *r,
                            size_t points) {
    size_t n;
    TRY(mds_check_source(err, source, &n));
    if (points < 2 || !r->layout)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a Shepard diagram is of a layout, and of at least 2 points");
    if (n == r->n) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "the source has %zu points, but the layout is of %zu", n, r->n);
}

static glshape_status show(run *run, const glshape_source *source, const glshape_mds_result *r, size_t points,
                           double *out, size_t *count) {
    OWNED_BY(shepard_free) shepard s = {.run = run, .r = r};
    TRY(check(run_error(run), source, r, points));
    s.points = (uint32_t)(points < r->n ? points : r->n);
    if (s.points > MDS_ISOTONIC_POINTS) s.points = MDS_ISOTONIC_POINTS;
    size_t pairs = (size_t)s.points * (s.points - 1) / 2;
    TRY(allocate(run_error(run), &s.given, pairs, sizeof *s.given, "the dissimilarities"));
    TRY(read_pairs(&s, source));
    return compare(&s, out, count);
}

glshape_status glshape_mds_shepard(glshape_context *context, const glshape_source *source,
                                   const glshape_mds_result *result, size_t points, double *out,
                                   size_t *count) {
    run *r;
    *count = 0;
    TRY(context_begin_run(context, &r));
    return context_end(context, show(r, source, result, points, out, count));
}
