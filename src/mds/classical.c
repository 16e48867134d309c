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
#include "dist/paths.h"
#include "mds/checked.h"
#include "mds/columns.h"
#include "mds/compare.h"
#include "mds/correction.h"
#include "mds/feed.h"
#include "mds/krylov.h"
#include "mds/product.h"
#include "mds/state.h"

#define MOST_DIM 100
#define TOLERANCE 1e-6 /* of residuals, relative to the largest eigenvalue */
#define EXACT_TOLERANCE 1e-10
#define TIE 1e-6 /* coordinates this near to the largest in magnitude are as large */

static glshape_status check_options(error *err, const glshape_source *source, const glshape_mds_options *o,
                                    size_t n, size_t dim) {
    size_t most = n - 1 < MOST_DIM ? n - 1 : MOST_DIM;
    TRY(error_check_choice(err, (int)o->correction, GLSHAPE_MDS_CAILLIEZ, "correction"));
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

/* Whether the entry of largest magnitude is negative; of equal ones the first. */
static bool is_negative(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i]) >= (1 - TIE) * most) return x[i] < 0;
    return false;
}

/* Column c of the layout becomes x times a factor, which is not negative. */
static void write_column(glshape_mds_result *r, int c, const double *x, double factor) {
    if (is_negative(x, r->n)) factor = -factor;
    for (size_t i = 0; i < r->n; i++)
        r->layout[i * (size_t)r->dim + (size_t)c] = (float)(x[i] * factor + 0.0); /* not -0 */
}

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
static glshape_status scale_product(gpu *g, mds_product *b, const glshape_mds_options *o, double added,
                                    glshape_mds_result *r) {
    OWNED_BY(mds_eigenpairs_free) mds_eigenpairs p = {.wanted = (uint32_t)r->dim, .noise = &b->noise};
    p.tolerance = tolerance_of(o);
    TRY(mds_krylov(gpu_error(g), &(mds_operator){mds_product_apply, b, b->n, true}, &p));
    take_eigenvalues(&p, 1, added, r);
    r->trace = b->trace + (b->n - 1) * added;
    for (uint32_t k = 0; k < p.count; k++)
        write_column(r, (int)k, p.vector + (size_t)k * b->n, sqrt(fmax(r->eigenvalues[k], 0)));
    for (size_t i = 0; i < r->n; i++) r->mean_squares[i] = b->squares[i] / (double)r->n;
    gpu_fact(g, b->readings, "readings of the matrix");
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
        return scale_product(g, &b, o, r->constant, r);
    mds_product_free(&b);
    changed.added = r->constant;
    dist_reader longer = mds_changed_reader(&changed);
    TRY(mds_product_new(g, &longer, keep, o->exact, &b));
    return scale_product(g, &b, o, 0, r);
}

/* Distances of a reader; what is no distance is refused as it is read. */
static glshape_status scale_checked(gpu *g, const glshape_source *source, bool alone,
                                    const glshape_mds_options *o, glshape_mds_result *r) {
    glshape_source checked_source = *source;
    mds_checked checked;
    mds_check_reader(&checked, &checked_source);
    dist_reader reader = {.read = checked_source.reader,
                          .user = checked_source.user,
                          .n = (uint32_t)source->n,
                          .unit = 1,
                          .alone = alone};
    glshape_status status = scale_reader(g, &reader, source->keep, o, r);
    return status && checked.refused ? GLSHAPE_BAD_INPUT : status;
}

static void free_paths(dist_paths **p) { dist_paths_free(*p); }

static glshape_status scale_graph(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                                  glshape_mds_result *r) {
    OWNED_BY(free_paths) dist_paths *paths = NULL;
    glshape_source rows = *source;
    TRY(dist_paths_new(gpu_error(g), source->graph, 0, &paths));
    rows.reader = dist_paths_read;
    rows.user = paths;
    rows.n = source->graph->nodes;
    return scale_checked(g, &rows, true, o, r);
}

static glshape_status scale_feeder(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                                   glshape_mds_result *r) {
    OWNED_BY(mds_fed_free) mds_fed fed = {0};
    glshape_source rows;
    TRY(mds_feed_all(g, source, &fed, &rows));
    return scale_checked(g, &rows, false, o, r);
}

static glshape_status scale_rows(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                                 glshape_mds_result *r) {
    OWNED_BY(mds_compared_free) mds_compared compared = {0};
    glshape_source rows;
    TRY(mds_compare(gpu_error(g), source, &compared, &rows));
    return scale_checked(g, &rows, false, o, r);
}

/* ---- points ------------------------------------------------------------------------------------ */

static glshape_status scale_columns(gpu *g, const glshape_matrix *m, const glshape_mds_options *o,
                                    glshape_mds_result *r) {
    OWNED_BY(mds_columns_free) mds_columns c = {0};
    OWNED_BY(mds_eigenpairs_free)
    mds_eigenpairs p = {.wanted = (uint32_t)r->dim, .tolerance = tolerance_of(o)};
    OWNED double *scores = NULL;
    double no_noise = 0;
    gpu_begin_stage(g, "products", GPU_NOT_BY_PASSES);
    TRY(mds_columns_new(g, m, &c));
    p.noise = &no_noise;
    TRY(mds_krylov(gpu_error(g), &(mds_operator){mds_columns_apply, &c, (uint32_t)c.columns, false}, &p));
    take_eigenvalues(&p, c.unit * c.unit, 0, r);
    r->least_eigenvalue = 0;
    r->trace = c.trace * c.unit * c.unit;
    TRY(allocate(gpu_error(g), &scores, times(p.count, c.rows), sizeof *scores, "the layout"));
    mds_columns_scores(&c, p.count, p.vector, scores);
    mds_columns_mean_squares(&c, r->mean_squares);
    for (uint32_t k = 0; k < p.count; k++) write_column(r, (int)k, scores + k * c.rows, c.unit);
    return GLSHAPE_OK;
}

static glshape_status scale(gpu *g, const glshape_source *source, const glshape_mds_options *o,
                            glshape_mds_result *r) {
    if (source->graph) return scale_graph(g, source, o, r);
    if (source->feeder) return scale_feeder(g, source, o, r);
    if (source->reader) return scale_checked(g, source, false, o, r);
    if (source->points && source->metric == GLSHAPE_METRIC_EUCLIDEAN)
        return scale_columns(g, source->points, o, r);
    return scale_rows(g, source, o, r);
}

glshape_status mds_classical(gpu *g, const glshape_source *given, const glshape_mds_options *o,
                             glshape_mds_result *r) {
    OWNED_BY(dist_narrowed_free) dist_narrowed narrowed = {0};
    error *err = gpu_error(g);
    glshape_source source;
    double since = wall_seconds();
    uint32_t dim;
    size_t n;
    TRY(mds_check_options(err, o, &dim));
    TRY(mds_check_source(err, given, &n));
    TRY(check_options(err, given, o, n, dim));
    gpu_begin_stage(g, "rows", GPU_NOT_BY_PASSES);
    TRY(dist_narrow_source(err, given, &narrowed, &source));
    TRY(make_room(err, n, (int)dim, r));
    r->correction = o->correction;
    TRY(scale(g, &source, o, r));
    r->gpu_bytes = gpu_recent_bytes(g);
    r->seconds.classical = clock_lap(&since);
    return gpu_tick(g, 1);
}
