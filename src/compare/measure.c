/* What the options ask for, diagrams as they are compared, and the distance of two of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/compare.h"
#include "compare/diagrams.h"

enum { DIRECTIONS = 50, MOST_DIRECTIONS = 4096, MOST_ORDER = 64 };
#define TOLERANCE 0.01

/* ---- options ------------------------------------------------------------------------------------ */

static glshape_status read_norms(error *err, measure *m) {
    const glshape_compare_options *o = &m->o;
    m->norms = (norms){o->order == 0 ? 1 : o->order, o->internal_p == 0 ? INFINITY : o->internal_p,
                       o->exact            ? 0
                       : o->tolerance == 0 ? TOLERANCE
                                           : o->tolerance};
    if (!(m->norms.order >= 1 && m->norms.order <= MOST_ORDER))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the order is %g; it is 1 to %d, or 0 for 1", o->order,
                    MOST_ORDER);
    if (!(m->norms.internal >= 1))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "internal_p is %g; it is 1 or above, or 0 for infinite",
                    o->internal_p);
    if (!(m->norms.tolerance >= 0 && isfinite(m->norms.tolerance)))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "the tolerance is %g; it is a finite number above 0, or 0 for %g", o->tolerance,
                    TOLERANCE);
    return GLSHAPE_OK;
}

static glshape_status check_errors(error *err, const measure *m) {
    if (m->o.error_rows && !m->o.rows)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "error_rows goes with rows: both take the rows of matrices that the result then has not");
    if (!m->o.errors && !m->o.error_rows) return GLSHAPE_OK;
    if (m->o.metric != GLSHAPE_COMPARE_SLICED_WASSERSTEIN)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "errors are of the sliced Wasserstein distance; other metrics have none");
    if (m->o.directions < 2)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "errors need two directions or more, not one");
    return GLSHAPE_OK;
}

glshape_status measure_read(error *err, const glshape_compare_options *options, measure *out) {
    *out = (measure){.o = options ? *options : (glshape_compare_options){0}};
    glshape_compare_options *o = &out->o;
    TRY(error_check_choice(err, o->metric, GLSHAPE_COMPARE_LANDSCAPE, "metric"));
    if (o->directions < 0 || o->directions > MOST_DIRECTIONS)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "directions are %d; they are 1 to %d, or 0 for %d",
                    o->directions, MOST_DIRECTIONS, DIRECTIONS);
    if (!o->directions) o->directions = DIRECTIONS;
    if (o->vectors && o->vectors->weights && o->more_count)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "weights are of the pairs of one dimension; vectors of more have a power of lifetimes");
    TRY(check_errors(err, out));
    return read_norms(err, out);
}

glshape_status measure_check(error *err, const measure *m, const glshape_diagrams *in) {
    TRY(diagrams_check(err, in));
    for (size_t k = 0; k < m->o.more_count; k++) {
        TRY(diagrams_check(err, &m->o.more[k]));
        if (m->o.more[k].count != in->count)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "%zu diagrams, and %zu of another dimension; they are as many", in->count,
                        m->o.more[k].count);
    }
    return GLSHAPE_OK;
}

/* ---- diagrams ----------------------------------------------------------------------------------- */

/* By death, then by birth. */
static int compare_endless(const void *a, const void *b) {
    const double *p = a, *q = b;
    return p[1] != q[1] ? (p[1] > q[1]) - (p[1] < q[1]) : (p[0] > q[0]) - (p[0] < q[0]);
}

/* Pairs of superlevel sets die at -∞. */
static glshape_status take_pair(error *err, diagrams *d, size_t diagram, size_t k, const double *p) {
    TRY(diagrams_check_pair(err, diagram, k, p));
    if (isinf(p[1])) memcpy(d->endless + 2 * d->first_endless[diagram + 1]++, p, 2 * sizeof *p);
    else if (p[0] != p[1]) memcpy(d->pairs + 2 * d->first[diagram + 1]++, p, 2 * sizeof *p);
    return GLSHAPE_OK;
}

glshape_status diagrams_take(error *err, const glshape_diagrams *in, diagrams *d) {
    size_t all = in->first[in->count] - in->first[0];
    *d = (diagrams){.n = (uint32_t)in->count};
    TRY(allocate(err, &d->first, in->count + 1, sizeof *d->first, "the diagrams"));
    TRY(allocate(err, &d->first_endless, in->count + 1, sizeof *d->first_endless, "the diagrams"));
    TRY(allocate(err, &d->pairs, all + 1, 2 * sizeof *d->pairs, "the pairs"));
    TRY(allocate(err, &d->endless, all + 1, 2 * sizeof *d->endless, "the pairs"));
    d->first[0] = d->first_endless[0] = 0;
    for (size_t i = 0; i < in->count; i++) {
        d->first[i + 1] = d->first[i];
        d->first_endless[i + 1] = d->first_endless[i];
        for (size_t k = in->first[i]; k < in->first[i + 1]; k++)
            TRY(take_pair(err, d, i, k - in->first[i], in->pairs + 2 * k));
        qsort(d->endless + 2 * d->first_endless[i], d->first_endless[i + 1] - d->first_endless[i],
              2 * sizeof *d->endless, compare_endless);
    }
    return GLSHAPE_OK;
}

void diagrams_free(diagrams *d) {
    free(d->first);
    free(d->pairs);
    free(d->first_endless);
    free(d->endless);
    *d = (diagrams){0};
}

/* ---- two diagrams ------------------------------------------------------------------------------- */

/* What pairs that never end add (slices) or are apart (bottleneck), or the sum of its powers (Wasserstein):
 * those that die at -∞ and those that die at ∞ are matched in the order of births. */
static double endless_cost(const measure *m, const diagrams *d, uint32_t i, uint32_t j) {
    const double *a = d->endless + 2 * d->first_endless[i], *b = d->endless + 2 * d->first_endless[j];
    size_t count = d->first_endless[i + 1] - d->first_endless[i];
    double cost = 0;
    if (count != d->first_endless[j + 1] - d->first_endless[j]) return INFINITY;
    for (size_t k = 0; k < 2 * count; k += 2) {
        double apart = a[k + 1] == b[k + 1] ? fabs(a[k] - b[k]) : INFINITY;
        if (m->o.metric == GLSHAPE_COMPARE_SLICED_WASSERSTEIN) cost += apart;
        else if (m->o.metric == GLSHAPE_COMPARE_BOTTLENECK) cost = fmax(cost, apart);
        else cost = wasserstein_join(&m->norms, cost, apart);
    }
    return cost;
}

double measure_slices(const measure *m, const diagrams *d, const slices *s, uint32_t i, uint32_t j,
                      uint64_t sum) {
    double unit = s->reach / SLICES_UNIT * SLICES_ROOT_2 / s->directions;
    return unit * (double)sum + endless_cost(m, d, i, j);
}

double measure_error(const slices *s, const slices_spread *spread) {
    double k = s->directions, unit = s->reach / SLICES_UNIT * SLICES_ROOT_2;
    return unit * sqrt(spread->squares / (k - 1) / k);
}

glshape_status measure_matching(error *err, const measure *m, const diagrams *d, uint32_t i, uint32_t j,
                                const atomic_bool *stop, double *out, double *gap) {
    double least, endless = endless_cost(m, d, i, j);
    *gap = 0;
    if (m->o.metric == GLSHAPE_COMPARE_BOTTLENECK) {
        TRY(bottleneck(err, d, i, j, stop, &least));
        *out = fmax(least, endless);
        return GLSHAPE_OK;
    }
    TRY(wasserstein(err, d, i, j, &m->norms, stop, &least, gap));
    *out = wasserstein_join(&m->norms, least, endless);
    return GLSHAPE_OK;
}

glshape_vectors_options measure_vectors_options(const measure *m) {
    glshape_vectors_options o = m->o.vectors ? *m->o.vectors : (glshape_vectors_options){0};
    o.kind = m->o.metric == GLSHAPE_COMPARE_IMAGE ? GLSHAPE_VECTORS_IMAGE : GLSHAPE_VECTORS_LANDSCAPE;
    return o;
}

double measure_vectors(const glshape_vectors_result *v, size_t i, size_t j) {
    const float *a = v->values + i * v->columns, *b = v->values + j * v->columns;
    double sum = 0;
    for (size_t c = 0; c < v->columns; c++) sum += ((double)a[c] - b[c]) * ((double)a[c] - b[c]);
    return sqrt(sum);
}
