/* Classical scaling (Gower 1966): the leading eigenvectors of the doubly centered squared distances.
 *
 * Euclidean distances of points need no distances: their columns do (columns.h). Of everything else the
 * distances are read row by row, and multiplied as they come (product.h). */
#include "mds/classical.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "dist/narrow.h"
#include "mds/columns.h"
#include "mds/correction.h"
#include "mds/krylov.h"
#include "mds/product.h"
#include "mds/rows.h"
#include "mds/signs.h"
#include "mds/start.h"
#include "mds/state.h"

#define MOST_DIM 100
#define TOLERANCE 1e-6 /* of residuals, relative to the largest eigenvalue */
#define EXACT_TOLERANCE 1e-10

static glshape_status check_options(error *err, const glshape_source *source, const glshape_mds_options *o,
                                    size_t n, size_t dim) {
    size_t most = n - 1 < MOST_DIM ? n - 1 : MOST_DIM;
    TRY(error_check_choice(err, (int)o->correction, GLSHAPE_MDS_CAILLIEZ, "correction"));
    OWNED double *no_start = NULL;
    TRY(mds_start_new(err, o, n, (uint32_t)dim, &no_start));
    if (source->weights)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "classical scaling has no weights of pairs; use another method (--method glimmer)");
    if (o->attempts)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "classical scaling has one result; attempts (--attempts) are of other methods");
    if (dim <= most) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT,
                "dim is %zu; classical scaling of %zu points has at most %zu dimension%s", dim, n, most,
                most == 1 ? "" : "s");
}

/* ---- what is known at the end ------------------------------------------------------------------ */

static glshape_status make_room(error *err, size_t n, int dim, glshape_mds_result *r) {
    r->n = n;
    r->dim = dim;
    r->pairs = (uint64_t)n * (n - 1) / 2;
    r->converged = true;
    TRY(allocate(err, &r->layout, times(n, (size_t)dim), sizeof *r->layout, "the layout"));
    TRY(allocate(err, &r->eigenvalues, (size_t)dim, sizeof *r->eigenvalues, "the eigenvalues"));
    TRY(allocate(err, &r->mean_squares, n, sizeof *r->mean_squares, "the rows"));
    return allocate(err, &r->residuals, (size_t)dim, sizeof *r->residuals, "the residuals");
}

static double tolerance_of(const glshape_mds_options *o) { return o->exact ? EXACT_TOLERANCE : TOLERANCE; }

/* Eigenvalues in the unit of the input; those of the corrected matrix are by `added` larger. */
static void take_eigenvalues(const mds_eigenpairs *p, double unit, double added, glshape_mds_result *r) {
    for (uint32_t k = 0; k < p->count; k++) {
        r->eigenvalues[k] = p->value[k] * unit + added;
        r->residuals[k] = p->residual[k] * unit;
    }
    r->least_eigenvalue = p->least * unit;
    r->iterations += p->products;
    r->converged = r->converged && p->converged;
}

/* ---- distances --------------------------------------------------------------------------------- */

/* Products with all distances, of which `added` is known: it is on every eigenvalue. */
static glshape_status scale_product(run *run, mds_product *b, const glshape_mds_options *o, double added,
                                    glshape_mds_result *r) {
    OWNED_BY(mds_eigenpairs_free) mds_eigenpairs p = {.wanted = (uint32_t)r->dim, .noise = &b->noise};
    p.tolerance = tolerance_of(o);
    TRY(mds_krylov(run_error(run), &(mds_operator){mds_product_apply, b, b->n, true}, &p));
    take_eigenvalues(&p, 1, added, r);
    r->trace = b->trace + (b->n - 1) * added;
    for (uint32_t k = 0; k < p.count; k++)
        mds_write_column(r, (int)k, p.vector + (size_t)k * b->n, 1, sqrt(fmax(r->eigenvalues[k], 0)));
    for (size_t i = 0; i < r->n; i++) r->mean_squares[i] = b->squares[i] / (double)r->n;
    run_fact(run, b->readings, "readings of the matrix");
    if (b->on_device) run_fact(run, b->reading, "seconds of reading rows");
    if (b->on_device) run_fact(run, b->sending, "seconds of sending rows");
    return GLSHAPE_OK;
}

/* Finds the correction's constant with products b of c->given's distances. */
static glshape_status find_constant(mds_product *b, const glshape_mds_options *o, glshape_keep keep,
                                    mds_changed *c, glshape_mds_result *r) {
    mds_search s = {.b = b, .c = c, .keep = keep, .tolerance = tolerance_of(o), .converged = true};
    if (o->correction == GLSHAPE_MDS_LINGOES) TRY(mds_find_lingoes(&s, &r->constant));
    if (o->correction == GLSHAPE_MDS_CAILLIEZ) TRY(mds_find_cailliez(&s, &r->constant));
    r->iterations = s.products;
    r->converged = s.converged;
    return GLSHAPE_OK;
}

static glshape_status scale_reader(gpu *g, const dist_reader *reader, glshape_keep keep,
                                   const glshape_mds_options *o, glshape_mds_result *r) {
    OWNED_BY(mds_product_free) mds_product b = {0};
    mds_changed changed = {.given = *reader};
    TRY(mds_product_new(g, reader, keep, o->exact, &b));
    TRY(find_constant(&b, o, keep, &changed, r));
    if (o->correction != GLSHAPE_MDS_CAILLIEZ || !(r->constant > 0))
        return scale_product(run_of(g), &b, o, r->constant, r);
    mds_product_free(&b);
    changed.added = r->constant;
    dist_reader longer = mds_changed_reader(&changed);
    TRY(mds_product_new(g, &longer, keep, o->exact, &b));
    return scale_product(run_of(g), &b, o, 0, r);
}

/* Distances of any source; what is no distance is refused as it is read. */
static glshape_status scale_rows(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                                 glshape_mds_result *r) {
    OWNED_BY(mds_rows_free) mds_rows rows = {.paths = NULL};
    TRY(mds_rows_new(run_of(g), source, &rows));
    glshape_status status = scale_reader(g, &rows.reader, source->keep, o, r);
    return status && rows.checked.refused ? GLSHAPE_BAD_INPUT : status;
}

/* ---- points ------------------------------------------------------------------------------------ */

static glshape_status scale_columns(run *run, const glshape_matrix *m, const glshape_mds_options *o,
                                    glshape_mds_result *r) {
    OWNED_BY(mds_columns_free) mds_columns c = {0};
    OWNED_BY(mds_eigenpairs_free)
    mds_eigenpairs p = {.wanted = (uint32_t)r->dim, .tolerance = tolerance_of(o)};
    OWNED double *scores = NULL;
    double no_noise = 0;
    run_begin_stage(run, "products", RUN_NOT_BY_PASSES);
    TRY(mds_columns_new(run, m, &c));
    p.noise = &no_noise;
    TRY(mds_krylov(run_error(run), &(mds_operator){mds_columns_apply, &c, (uint32_t)c.columns, false}, &p));
    take_eigenvalues(&p, c.unit * c.unit, 0, r);
    r->least_eigenvalue = 0;
    r->trace = c.trace * c.unit * c.unit;
    TRY(allocate(run_error(run), &scores, times(p.count, c.rows), sizeof *scores, "the layout"));
    mds_columns_scores(&c, p.count, p.vector, scores);
    mds_columns_mean_squares(&c, r->mean_squares);
    for (uint32_t k = 0; k < p.count; k++) mds_write_column(r, (int)k, scores + k * c.rows, 1, c.unit);
    return GLSHAPE_OK;
}

static glshape_status scale(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                            glshape_mds_result *r) {
    if (source->points && source->metric == GLSHAPE_METRIC_EUCLIDEAN)
        return scale_columns(run_of(g), source->points, o, r);
    return scale_rows(g, source, o, r);
}

glshape_status mds_classical(gpu *g, const glshape_source *given, const glshape_mds_options *o,
                             glshape_mds_result *r) {
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    error *err = run_error(run_of(g));
    glshape_source source;
    double since = wall_seconds();
    uint32_t dim;
    size_t n;
    TRY(mds_check_options(err, o, &dim));
    TRY(mds_check_source(err, given, &n));
    TRY(check_options(err, given, o, n, dim));
    run_begin_stage(run_of(g), "rows", RUN_NOT_BY_PASSES);
    TRY(dist_narrow_source(err, given, &narrowed, &source));
    TRY(make_room(err, n, (int)dim, r));
    r->correction = o->correction;
    TRY(scale(g, &source, o, r));
    r->gpu_bytes = gpu_recent_bytes(g);
    r->seconds.classical = clock_lap(&since);
    return run_tick(run_of(g), 1);
}
