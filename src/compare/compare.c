/* Distances between persistence diagrams. The steps, in order: points that end and points that do not are set
 * apart; distances of those that end are found for all pairs of diagrams; those of the others are added or
 * compared. */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "compare/diagrams.h"
#include "gpu/context.h"
#include "place/place.h"

enum { DIRECTIONS = 50, MOST_DIRECTIONS = 4096 };

typedef struct run {
    gpu *g;
    glshape_compare_options o;
    diagrams d;
    slices s;
    uint64_t *sum;
    glshape_compare_result r;
    error *thread_errors;
} run;

static void diagrams_free(diagrams *d) {
    free(d->first);
    free(d->pairs);
    free(d->first_endless);
    free(d->endless);
}

static void run_free(run *x) {
    diagrams_free(&x->d);
    slices_free(&x->s);
    free(x->sum);
    free(x->thread_errors);
    glshape_compare_free(&x->r);
}

/* ---- in ---------------------------------------------------------------------------------------- */

static glshape_status check_options(run *x, const glshape_compare_options *o) {
    if (o) x->o = *o;
    error *err = gpu_error(x->g);
    TRY(error_check_choice(err, x->o.metric, GLSHAPE_COMPARE_BOTTLENECK, "metric"));
    if (x->o.directions < 0 || x->o.directions > MOST_DIRECTIONS)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "directions are %d; they are 1 to %d, or 0 for %d",
                    x->o.directions, MOST_DIRECTIONS, DIRECTIONS);
    if (!x->o.directions) x->o.directions = DIRECTIONS;
    return GLSHAPE_OK;
}

/* By death, then by birth. */
static int compare_endless(const void *a, const void *b) {
    const double *p = a, *q = b;
    return p[1] != q[1] ? (p[1] > q[1]) - (p[1] < q[1]) : (p[0] > q[0]) - (p[0] < q[0]);
}

/* Pairs of superlevel sets die at -∞. */
static glshape_status take_pair(run *x, size_t diagram, size_t k, const double *p) {
    diagrams *d = &x->d;
    TRY(diagrams_check_pair(gpu_error(x->g), diagram, k, p));
    if (isinf(p[1])) memcpy(d->endless + 2 * d->first_endless[diagram + 1]++, p, 2 * sizeof *p);
    else if (p[0] != p[1]) memcpy(d->pairs + 2 * d->first[diagram + 1]++, p, 2 * sizeof *p);
    return GLSHAPE_OK;
}

static glshape_status take_diagrams(run *x, const glshape_diagrams *in) {
    diagrams *d = &x->d;
    error *err = gpu_error(x->g);
    TRY(diagrams_check(err, in));
    size_t all = in->first[in->count] - in->first[0];
    d->n = (uint32_t)in->count;
    TRY(allocate(err, &d->first, in->count + 1, sizeof *d->first, "the diagrams"));
    TRY(allocate(err, &d->first_endless, in->count + 1, sizeof *d->first_endless, "the diagrams"));
    TRY(allocate(err, &d->pairs, all + 1, 2 * sizeof *d->pairs, "the pairs"));
    TRY(allocate(err, &d->endless, all + 1, 2 * sizeof *d->endless, "the pairs"));
    d->first[0] = d->first_endless[0] = 0;
    for (size_t i = 0; i < in->count; i++) {
        d->first[i + 1] = d->first[i];
        d->first_endless[i + 1] = d->first_endless[i];
        for (size_t k = in->first[i]; k < in->first[i + 1]; k++)
            TRY(take_pair(x, i, k - in->first[i], in->pairs + 2 * k));
        qsort(d->endless + 2 * d->first_endless[i], d->first_endless[i + 1] - d->first_endless[i],
              2 * sizeof *d->endless, compare_endless);
    }
    x->r.n = in->count;
    x->r.pairs = d->first[in->count];
    return allocate(err, &x->r.distance, times(in->count, in->count), sizeof *x->r.distance, "the distances");
}

/* ---- pairs that never end ----------------------------------------------------------------------- */

/* What they add (slices) or are apart (bottleneck): those that die at -∞ and those that die at ∞ are matched
 * in the order of births. */
static double endless_cost(const run *x, uint32_t i, uint32_t j) {
    const diagrams *d = &x->d;
    const double *a = d->endless + 2 * d->first_endless[i], *b = d->endless + 2 * d->first_endless[j];
    size_t count = d->first_endless[i + 1] - d->first_endless[i];
    bool sum = x->o.metric == GLSHAPE_COMPARE_SLICED_WASSERSTEIN;
    double cost = 0;
    if (count != d->first_endless[j + 1] - d->first_endless[j]) return INFINITY;
    for (size_t k = 0; k < 2 * count; k += 2) {
        double apart = a[k + 1] == b[k + 1] ? fabs(a[k] - b[k]) : INFINITY;
        cost = sum ? cost + apart : fmax(cost, apart);
    }
    return cost;
}

static void set_distance(run *x, uint32_t i, uint32_t j, double value) {
    size_t n = x->d.n;
    x->r.distance[i * n + j] = x->r.distance[j * n + i] = (float)value;
}

/* ---- slices ------------------------------------------------------------------------------------- */

/* Steps that are merged, in all. */
static double slices_work(const run *x) { return (double)x->s.directions * x->s.stride * x->d.n; }

static void finish_row(void *user, size_t row) {
    run *x = user;
    double unit = x->s.reach / SLICES_UNIT * SLICES_ROOT_2 / x->s.directions;
    uint32_t i = (uint32_t)row;
    set_distance(x, i, i, 0);
    for (uint32_t j = 0; j < i; j++)
        set_distance(x, i, j, unit * (double)x->sum[slices_place(i, j)] + endless_cost(x, i, j));
}

static glshape_status compare_by_slices(run *x) {
    gpu *g = x->g;
    error *err = gpu_error(g);
    size_t places = slices_places(x->d.n);
    gpu_why why;
    gpu_begin_stage(g, "steps", GPU_NOT_BY_PASSES);
    TRY(slices_new(err, &x->d, x->o.directions, &x->s));
    TRY(allocate(err, &x->sum, places, sizeof *x->sum, "the sums of slices"));
    memset(x->sum, 0, places * sizeof *x->sum);
    bool can = x->s.longest <= COMPARE_LONGEST && places / SLICES_TILE <= UINT32_MAX / 2 &&
               times((size_t)x->s.lines, x->s.stride) <= UINT32_MAX;
    TRY(place_choose(g, PLACE_SLICES, slices_work(x), can, slices_bytes(&x->s), &why));
    if (gpu_why_device(why)) TRY(slices_are_for_passes(g, &why));
    gpu_begin_stage(g, "slices", why);
    TRY(gpu_why_device(why) ? slices_add_by_passes(g, &x->d, &x->s, x->sum)
                            : slices_add_on_cpu(g, &x->d, &x->s, x->sum));
    gpu_begin_stage(g, "distances", GPU_NOT_BY_PASSES);
    threads_run(0, x->d.n, finish_row, x);
    return GLSHAPE_OK;
}

/* ---- bottleneck --------------------------------------------------------------------------------- */

typedef struct rows {
    run *x;
    uint32_t end; /* rows below it, the last first */
} rows;

static bool bottleneck_row(void *user, uint64_t item, int thread) {
    const rows *r = user;
    run *x = r->x;
    uint32_t i = r->end - 1 - (uint32_t)item;
    set_distance(x, i, i, 0);
    for (uint32_t j = 0; j < i; j++) {
        double least, endless = endless_cost(x, i, j);
        if (bottleneck(&x->thread_errors[thread], &x->d, i, j, &least)) return false;
        set_distance(x, i, j, fmax(least, endless));
    }
    return true;
}

static glshape_status compare_by_matchings(run *x) {
    int threads = threads_count(0);
    gpu_begin_stage(x->g, "matchings", GPU_NOT_BY_PASSES);
    TRY(allocate(gpu_error(x->g), &x->thread_errors, (size_t)threads, sizeof *x->thread_errors, "threads"));
    memset(x->thread_errors, 0, (size_t)threads * sizeof *x->thread_errors);
    for (uint32_t end = x->d.n, now; end; end -= now) {
        now = end < (uint32_t)threads ? end : (uint32_t)threads;
        rows r = {x, end};
        TRY(gpu_tick(x->g, 1 - (double)end / x->d.n * end / x->d.n));
        threads_share(0, now, bottleneck_row, &r);
        for (int t = 0; t < threads; t++)
            if (x->thread_errors[t].status)
                return fail(gpu_error(x->g), x->thread_errors[t].status, "%s", x->thread_errors[t].text);
    }
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status compute(gpu *g, const glshape_diagrams *in, const glshape_compare_options *options,
                              glshape_compare_result *result) {
    OWNED_BY(run_free) run x = {.g = g};
    double start = wall_seconds();
    TRY(check_options(&x, options));
    TRY(take_diagrams(&x, in));
    TRY(x.o.metric == GLSHAPE_COMPARE_BOTTLENECK ? compare_by_matchings(&x) : compare_by_slices(&x));
    TRY(gpu_tick(g, 1));
    x.r.gpu_bytes = gpu_recent_bytes(g);
    x.r.seconds = wall_seconds() - start;
    *result = x.r;
    x.r = (glshape_compare_result){0};
    return GLSHAPE_OK;
}

glshape_status glshape_compare(glshape_context *context, const glshape_diagrams *diagrams,
                               const glshape_compare_options *options, glshape_compare_result *result) {
    gpu *g;
    *result = (glshape_compare_result){0};
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    return context_end(context, compute(g, diagrams, options, result));
}

void glshape_compare_free(glshape_compare_result *result) {
    free(result->distance);
    *result = (glshape_compare_result){0};
}
