/* Distances between persistence diagrams. The steps, in order: points that end and points that do not are set
 * apart; distances of those that end are found for all pairs of diagrams; those of the others are added or
 * compared. The distances below the diagonal of the matrix are kept; those of further dimensions are added.
 */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "compare/diagrams.h"
#include "compare/vectors.h"
#include "gpu/context.h"
#include "place/place.h"

enum { DIRECTIONS = 50, MOST_DIRECTIONS = 4096, MOST_ORDER = 64 };
#define TOLERANCE 0.01

typedef struct comparison {
    gpu *g;
    glshape_compare_options o;
    norms norms;
    uint32_t n;
    diagrams d; /* of the dimension that is compared */
    slices s;
    float *half; /* of diagrams i > j: half[half_place(i, j)] */
    glshape_compare_result r;
    atomic_bool stop;
    glshape_status stopped; /* why */
    error *thread_errors;
    double *thread_gaps;
    _Atomic uint64_t done; /* pairs of diagrams */
} comparison;

static void diagrams_free(diagrams *d) {
    free(d->first);
    free(d->pairs);
    free(d->first_endless);
    free(d->endless);
    *d = (diagrams){0};
}

static void comparison_free(comparison *x) {
    diagrams_free(&x->d);
    slices_free(&x->s);
    free(x->half);
    free(x->thread_errors);
    free(x->thread_gaps);
    glshape_compare_free(&x->r);
}

static size_t half_place(size_t i, size_t j) { return i * (i - 1) / 2 + j; }
static size_t half_count(size_t n) { return n * (n - 1) / 2; }

/* ---- in ---------------------------------------------------------------------------------------- */

static glshape_status check_norms(comparison *x) {
    const glshape_compare_options *o = &x->o;
    error *err = run_error(run_of(x->g));
    x->norms = (norms){o->order == 0 ? 1 : o->order, o->internal_p == 0 ? INFINITY : o->internal_p,
                       o->exact            ? 0
                       : o->tolerance == 0 ? TOLERANCE
                                           : o->tolerance};
    if (!(x->norms.order >= 1 && x->norms.order <= MOST_ORDER))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "the order is %g; it is 1 to %d, or 0 for 1", o->order,
                    MOST_ORDER);
    if (!(x->norms.internal >= 1))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "internal_p is %g; it is 1 or above, or 0 for infinite",
                    o->internal_p);
    if (!(x->norms.tolerance >= 0 && isfinite(x->norms.tolerance)))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "the tolerance is %g; it is a finite number above 0, or 0 for %g", o->tolerance,
                    TOLERANCE);
    return GLSHAPE_OK;
}

static glshape_status check_options(comparison *x, const glshape_compare_options *o) {
    if (o) x->o = *o;
    error *err = run_error(run_of(x->g));
    TRY(error_check_choice(err, x->o.metric, GLSHAPE_COMPARE_LANDSCAPE, "metric"));
    if (x->o.directions < 0 || x->o.directions > MOST_DIRECTIONS)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "directions are %d; they are 1 to %d, or 0 for %d",
                    x->o.directions, MOST_DIRECTIONS, DIRECTIONS);
    if (!x->o.directions) x->o.directions = DIRECTIONS;
    if (x->o.vectors && x->o.vectors->weights && x->o.more_count)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "weights are of the pairs of one dimension; vectors of more have a power of lifetimes");
    return check_norms(x);
}

/* By death, then by birth. */
static int compare_endless(const void *a, const void *b) {
    const double *p = a, *q = b;
    return p[1] != q[1] ? (p[1] > q[1]) - (p[1] < q[1]) : (p[0] > q[0]) - (p[0] < q[0]);
}

/* Pairs of superlevel sets die at -∞. */
static glshape_status take_pair(comparison *x, size_t diagram, size_t k, const double *p) {
    diagrams *d = &x->d;
    TRY(diagrams_check_pair(run_error(run_of(x->g)), diagram, k, p));
    if (isinf(p[1])) memcpy(d->endless + 2 * d->first_endless[diagram + 1]++, p, 2 * sizeof *p);
    else if (p[0] != p[1]) memcpy(d->pairs + 2 * d->first[diagram + 1]++, p, 2 * sizeof *p);
    return GLSHAPE_OK;
}

static glshape_status take_diagrams(comparison *x, const glshape_diagrams *in) {
    diagrams *d = &x->d;
    error *err = run_error(run_of(x->g));
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
    x->r.pairs += d->first[in->count];
    return GLSHAPE_OK;
}

/* ---- pairs that never end ----------------------------------------------------------------------- */

/* What they add (slices) or are apart (bottleneck), or the sum of its powers (Wasserstein): those that die at
 * -∞ and those that die at ∞ are matched in the order of births. */
static double endless_cost(const comparison *x, uint32_t i, uint32_t j) {
    const diagrams *d = &x->d;
    const double *a = d->endless + 2 * d->first_endless[i], *b = d->endless + 2 * d->first_endless[j];
    size_t count = d->first_endless[i + 1] - d->first_endless[i];
    double cost = 0;
    if (count != d->first_endless[j + 1] - d->first_endless[j]) return INFINITY;
    for (size_t k = 0; k < 2 * count; k += 2) {
        double apart = a[k + 1] == b[k + 1] ? fabs(a[k] - b[k]) : INFINITY;
        if (x->o.metric == GLSHAPE_COMPARE_SLICED_WASSERSTEIN) cost += apart;
        else if (x->o.metric == GLSHAPE_COMPARE_BOTTLENECK) cost = fmax(cost, apart);
        else cost = wasserstein_join(&x->norms, cost, apart);
    }
    return cost;
}

static void add_distance(comparison *x, size_t i, size_t j, double value) {
    x->half[half_place(i, j)] += (float)value;
}

/* ---- slices ------------------------------------------------------------------------------------- */

/* Steps that are merged, in all. */
static double slices_work(const comparison *x) { return (double)x->s.directions * x->s.stride * x->n; }

typedef struct taken {
    comparison *x;
    uint32_t from;
    const uint64_t *sum;
} taken;

static void finish_tile(void *user, size_t item) {
    const taken *t = user;
    comparison *x = t->x;
    double unit = x->s.reach / SLICES_UNIT * SLICES_ROOT_2 / x->s.directions;
    uint32_t tile = t->from + (uint32_t)item, row = slices_row(tile);
    uint32_t column = tile - (uint32_t)((uint64_t)row * (row + 1) / 2);
    for (uint32_t e = 0; e < SLICES_TILE; e++) {
        uint32_t i = row * 16 + e / 16, j = column * 16 + e % 16;
        if (i < x->n && j < i)
            add_distance(x, i, j, unit * (double)t->sum[item * SLICES_TILE + e] + endless_cost(x, i, j));
    }
}

static void take_sums(void *user, uint32_t from, uint32_t tiles, const uint64_t *sum) {
    taken t = {user, from, sum};
    threads_run(0, tiles, finish_tile, &t);
}

static glshape_status compare_by_slices(comparison *x) {
    gpu *g = x->g;
    size_t places = slices_places(x->n);
    run_why why;
    run_begin_stage(run_of(g), "steps", RUN_NOT_BY_PASSES);
    slices_free(&x->s);
    TRY(slices_new(run_error(run_of(g)), &x->d, x->o.directions, &x->s));
    if (places / SLICES_TILE > UINT32_MAX / 2)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, "%u diagrams are more than slices compare",
                    x->n);
    bool can = x->s.longest <= COMPARE_LONGEST && times((size_t)x->s.lines, x->s.stride) <= UINT32_MAX;
    TRY(place_choose(g, PLACE_SLICES, slices_work(x), can, slices_bytes(&x->s), &why));
    if (run_why_device(why)) TRY(slices_are_for_passes(g, &why));
    run_begin_stage(run_of(g), "slices", why);
    return run_why_device(why) ? slices_add_by_passes(g, &x->d, &x->s, take_sums, x)
                               : slices_add_on_cpu(run_of(g), &x->d, &x->s, take_sums, x);
}

/* ---- matchings ---------------------------------------------------------------------------------- */

enum { PAIRS = 8 }; /* of diagrams, that a thread takes at a time */

static glshape_status match(comparison *x, uint32_t i, uint32_t j, int thread) {
    error *err = &x->thread_errors[thread];
    double least, gap, endless = endless_cost(x, i, j);
    if (x->o.metric == GLSHAPE_COMPARE_BOTTLENECK) {
        TRY(bottleneck(err, &x->d, i, j, &x->stop, &least));
        add_distance(x, i, j, fmax(least, endless));
        return GLSHAPE_OK;
    }
    TRY(wasserstein(err, &x->d, i, j, &x->norms, &x->stop, &least, &gap));
    x->thread_gaps[thread] = fmax(x->thread_gaps[thread], gap);
    add_distance(x, i, j, wasserstein_join(&x->norms, least, endless));
    return GLSHAPE_OK;
}

/* The diagram i of pair k of diagrams i > j, in the order of half_place. */
static uint32_t row_of(size_t k) {
    size_t i = (size_t)((1 + sqrt(8.0 * (double)k + 1)) / 2);
    while (half_place(i, 0) > k) i--;
    while (half_place(i + 1, 0) <= k) i++;
    return (uint32_t)i;
}

static bool match_some(void *user, uint64_t item, int thread) {
    comparison *x = user;
    size_t begin = item * PAIRS, count = half_count(x->n),
           end = count - begin > PAIRS ? begin + PAIRS : count;
    uint32_t i = row_of(begin), j = (uint32_t)(begin - half_place(i, 0));
    for (size_t k = begin; k < end; k++, j++) {
        if (j == i) i++, j = 0;
        if (atomic_load(&x->stop) || match(x, i, j, thread)) return false;
        atomic_fetch_add(&x->done, 1);
    }
    return true;
}

static void watch(void *user) {
    comparison *x = user;
    if (!x->stopped)
        x->stopped = run_tick(run_of(x->g), (double)atomic_load(&x->done) / (double)(half_count(x->n) + 1));
    if (x->stopped) atomic_store(&x->stop, true);
}

static glshape_status compare_by_matchings(comparison *x) {
    int threads = threads_count(0);
    error *err = run_error(run_of(x->g));
    run_begin_stage(run_of(x->g), "matchings", RUN_NOT_BY_PASSES);
    if (!x->thread_errors) {
        TRY(allocate(err, &x->thread_errors, (size_t)threads, sizeof *x->thread_errors, "threads"));
        TRY(allocate(err, &x->thread_gaps, (size_t)threads, sizeof *x->thread_gaps, "threads"));
    }
    atomic_store(&x->done, 0);
    TRY(run_tick(run_of(x->g), 0));
    threads_watch((half_count(x->n) + PAIRS - 1) / PAIRS, match_some, watch, x);
    TRY(x->stopped);
    for (int t = 0; t < threads; t++) {
        if (x->thread_errors[t].status)
            return fail(err, x->thread_errors[t].status, "%s", x->thread_errors[t].text);
        x->r.gap = fmax(x->r.gap, x->thread_gaps[t]);
    }
    return GLSHAPE_OK;
}

/* ---- vectors ------------------------------------------------------------------------------------ */

typedef struct measured {
    comparison *x;
    const glshape_vectors_result *v;
} measured;

/* Row i against those before it, in the order of columns. */
static bool measure_row(void *user, uint64_t item, int thread) {
    const measured *m = user;
    size_t i = m->v->n - 1 - item, columns = m->v->columns;
    const float *a = m->v->values + i * columns;
    (void)thread;
    for (size_t j = 0; j < i; j++) {
        const float *b = m->v->values + j * columns;
        double sum = 0;
        for (size_t c = 0; c < columns; c++) sum += ((double)a[c] - b[c]) * ((double)a[c] - b[c]);
        add_distance(m->x, i, j, sqrt(sum));
    }
    return !atomic_load(&m->x->stop);
}

static void watch_rows(void *user) { watch(((measured *)user)->x); }

static glshape_status compare_by_vectors(comparison *x, const glshape_diagrams *in) {
    OWNED_BY(glshape_vectors_free) glshape_vectors_result v = {0};
    glshape_vectors_options o = x->o.vectors ? *x->o.vectors : (glshape_vectors_options){0};
    o.kind = x->o.metric == GLSHAPE_COMPARE_IMAGE ? GLSHAPE_VECTORS_IMAGE : GLSHAPE_VECTORS_LANDSCAPE;
    TRY(vectors_make(x->g, in, &o, &v));
    x->r.pairs += v.pairs;
    run_begin_stage(run_of(x->g), "distances", RUN_NOT_BY_PASSES);
    threads_watch(x->n, measure_row, watch_rows, &(measured){x, &v});
    return x->stopped;
}

/* ---- out --------------------------------------------------------------------------------------- */

/* Rows first … of the whole matrix. */
typedef struct filler {
    const comparison *x;
    size_t first, count;
    float *out;
} filler;

enum { AT_A_TIME = 16 };

/* Some rows: those of the other side of the diagonal are read AT_A_TIME side by side. */
static void fill_rows(void *user, size_t item) {
    const filler *f = user;
    size_t n = f->x->n, begin = f->first + item * AT_A_TIME, end = begin + AT_A_TIME;
    const float *half = f->x->half;
    if (end > f->first + f->count) end = f->first + f->count;
    for (size_t i = begin; i < end; i++) {
        float *row = f->out + (i - f->first) * n;
        for (size_t j = 0; j < i; j++) row[j] = half[half_place(i, j)];
        row[i] = 0;
    }
    for (size_t j = begin + 1; j < n; j++)
        for (size_t i = begin; i < end && i < j; i++) f->out[(i - f->first) * n + j] = half[half_place(j, i)];
}

static void fill(const comparison *x, size_t first, size_t count, float *out) {
    filler f = {x, first, count, out};
    threads_run(0, (count + AT_A_TIME - 1) / AT_A_TIME, fill_rows, &f);
}

/* Hands out rows, some megabytes of them at a time. */
static glshape_status give_rows(comparison *x) {
    enum { BYTES = 64 << 20 };
    error *err = run_error(run_of(x->g));
    OWNED float *rows = NULL;
    size_t n = x->n, most = BYTES / (n * sizeof *rows) / AT_A_TIME * AT_A_TIME;
    if (most < AT_A_TIME) most = AT_A_TIME;
    if (most > n) most = n;
    TRY(allocate(err, &rows, times(most, n), sizeof *rows, "rows of distances"));
    for (size_t first = 0, now; first < n; first += now) {
        now = n - first < most ? n - first : most;
        fill(x, first, now, rows);
        if (!x->o.rows(x->o.rows_user, first, now, rows))
            return fail(err, GLSHAPE_CANCELLED, "whoever takes the distances stopped");
    }
    return GLSHAPE_OK;
}

static glshape_status give(comparison *x) {
    run_begin_stage(run_of(x->g), "distances", RUN_NOT_BY_PASSES);
    if (x->o.rows) return give_rows(x);
    TRY(allocate(run_error(run_of(x->g)), &x->r.distance, times(x->n, x->n), sizeof *x->r.distance,
                 "the distances"));
    fill(x, 0, x->n, x->r.distance);
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Adds the distances of a dimension. */
static glshape_status add_dimension(comparison *x, const glshape_diagrams *in) {
    if (x->o.metric >= GLSHAPE_COMPARE_IMAGE) return compare_by_vectors(x, in);
    diagrams_free(&x->d);
    TRY(take_diagrams(x, in));
    return x->o.metric == GLSHAPE_COMPARE_SLICED_WASSERSTEIN ? compare_by_slices(x) : compare_by_matchings(x);
}

static glshape_status check_diagrams(comparison *x, const glshape_diagrams *in) {
    error *err = run_error(run_of(x->g));
    TRY(diagrams_check(err, in));
    for (size_t k = 0; k < x->o.more_count; k++) {
        TRY(diagrams_check(err, &x->o.more[k]));
        if (x->o.more[k].count != in->count)
            return fail(err, GLSHAPE_BAD_ARGUMENT,
                        "%zu diagrams, and %zu of another dimension; they are as many", in->count,
                        x->o.more[k].count);
    }
    x->r.n = in->count;
    x->n = (uint32_t)in->count;
    return allocate(err, &x->half, half_count(in->count), sizeof *x->half, "the distances");
}

static glshape_status compute(gpu *g, const glshape_diagrams *in, const glshape_compare_options *options,
                              glshape_compare_result *result) {
    OWNED_BY(comparison_free) comparison x = {.g = g};
    double start = wall_seconds();
    TRY(check_options(&x, options));
    TRY(check_diagrams(&x, in));
    for (size_t k = 0; k <= x.o.more_count; k++) {
        run_set_span(run_of(g), (double)k / (double)(x.o.more_count + 1),
                     (double)(k + 1) / (double)(x.o.more_count + 1));
        TRY(add_dimension(&x, k ? &x.o.more[k - 1] : in));
    }
    TRY(give(&x));
    TRY(run_tick(run_of(g), 1));
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
