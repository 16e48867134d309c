/* Betti curves and entropy: sums over the pairs that cover a sample. A pair changes the sum at two samples,
 * so that there are few additions for each pair and sample, and nothing for passes to do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "compare/vectors.h"

/* -p log p in whole numbers, so that no order of sums matters: all of a diagram add up to the logarithm of
 * its pairs at most, which is below 21. */
#define ENTROPY_UNIT 0x1p57

/* The samples that a pair covers: *first … *end - 1. */
static void covered(const vectors *v, const double *p, uint32_t *first, uint32_t *end) {
    bool falls = p[1] < p[0];
    *first = vectors_below(v, falls ? p[1] : p[0], falls);
    *end = vectors_below(v, falls ? p[0] : p[1], falls);
}

/* Half of it, as the whole may be beyond doubles. */
static double half_lifetime(const double *p) { return fabs(p[1] / 2 - p[0] / 2); }

/* What the lifetimes of a diagram are divided by: their greatest, and their sum in units of that. */
typedef struct shares {
    double most, sum;
} shares;

static shares share(const vectors *v, uint64_t i) {
    shares s = {0, 0};
    for (size_t k = v->first[i]; k < v->first[i + 1]; k++)
        s.most = fmax(s.most, half_lifetime(v->pairs + 2 * k));
    for (size_t k = v->first[i]; k < v->first[i + 1] && s.most > 0; k++)
        s.sum += half_lifetime(v->pairs + 2 * k) / s.most;
    return s;
}

/* -p log p */
static double term(const shares *s, const double *pair) {
    double p = s->most > 0 ? half_lifetime(pair) / s->most / s->sum : 0;
    return p > 0 ? -p * log(p) : 0;
}

static void make_entropy(const vectors *v, uint64_t i) {
    shares s = share(v, i);
    double sum = 0;
    for (size_t k = v->first[i]; k < v->first[i + 1]; k++) sum += term(&s, v->pairs + 2 * k);
    v->values[i] = (float)sum;
}

/* steps: of each sample, by how much its sum differs from the one before. */
static void make_steps(const vectors *v, uint64_t i, int64_t *steps) {
    bool counts = v->kind == GLSHAPE_VECTORS_BETTI;
    shares s = {0, 0};
    memset(steps, 0, ((size_t)v->samples + 1) * sizeof *steps);
    if (!counts) s = share(v, i);
    for (size_t k = v->first[i]; k < v->first[i + 1]; k++) {
        uint32_t first, end;
        int64_t height = counts ? 1 : llrint(term(&s, v->pairs + 2 * k) * ENTROPY_UNIT);
        covered(v, v->pairs + 2 * k, &first, &end);
        steps[first] += height;
        steps[end] -= height;
    }
}

static void sum_steps(const vectors *v, uint64_t i, int64_t *steps) {
    double all = 0, unit = v->kind == GLSHAPE_VECTORS_BETTI ? 1 : ENTROPY_UNIT;
    for (uint32_t j = 0; j < v->samples; j++) {
        if (j) steps[j] += steps[j - 1];
        all += (double)steps[j];
    }
    if (v->kind == GLSHAPE_VECTORS_ENTROPY_CURVE && !v->o.unnormalized) unit = all > 0 ? all : 1;
    for (uint32_t j = 0; j < v->samples; j++)
        v->values[i * v->columns + j] = (float)((double)steps[j] / unit);
}

static glshape_status make_curve(error *err, void *user, uint64_t i, void *scratch) {
    const vectors *v = user;
    (void)err;
    if (v->kind == GLSHAPE_VECTORS_ENTROPY) make_entropy(v, i);
    else {
        make_steps(v, i, scratch);
        sum_steps(v, i, scratch);
    }
    return GLSHAPE_OK;
}

glshape_status curves(vectors *v) {
    const threads_job job = {.work = make_curve,
                             .user = v,
                             .blocks = v->n,
                             .scratch_bytes = ((size_t)v->samples + 1) * sizeof(int64_t),
                             .name = "a curve",
                             .progress = run_go_on,
                             .progress_user = run_of(v->g),
                             .to = 1};
    run_begin_stage(run_of(v->g), v->kind == GLSHAPE_VECTORS_BETTI ? "betti" : "entropy", RUN_NOT_BY_PASSES);
    return threads_do(run_error(run_of(v->g)), &job);
}
