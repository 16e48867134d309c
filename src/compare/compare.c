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

typedef struct comparison {
    gpu *g;
    measure m;
    uint32_t n;
    diagrams d; /* of the dimension that is compared */
    slices s;
    float *half;  /* of diagrams i > j: half[compare_place(i, j)] */
    float *error; /* the same of standard errors; NULL: not asked for */
    glshape_compare_result r;
    atomic_bool stop;
    glshape_status stopped; /* why */
    error *thread_errors;
    double *thread_gaps;
    _Atomic uint64_t done; /* pairs of diagrams */
} comparison;

static void comparison_free(comparison *x) {
    diagrams_free(&x->d);
    slices_free(&x->s);
    free(x->half);
    free(x->error);
    free(x->thread_errors);
    free(x->thread_gaps);
    glshape_compare_free(&x->r);
}

size_t compare_places(size_t n) {
    size_t rows = (n + 15) / 16;
    return times(rows * (rows + 1) / 2, COMPARE_TILE);
}

static size_t pair_count(size_t n) { return n * (n - 1) / 2; }

static void add_distance(comparison *x, size_t i, size_t j, double value) {
    x->half[compare_place(i, j)] += (float)value;
}

/* ---- slices ------------------------------------------------------------------------------------- */

/* Steps that are merged, in all. */
static double slices_work(const comparison *x) { return (double)x->s.directions * x->s.stride * x->n; }

typedef struct taken {
    comparison *x;
    uint32_t from;
    const uint64_t *sum;
    const slices_spread *spread;
} taken;

static void finish_tile(void *user, size_t item) {
    const taken *t = user;
    comparison *x = t->x;
    uint32_t tile = t->from + (uint32_t)item, row = slices_row(tile);
    uint32_t column = tile - (uint32_t)((uint64_t)row * (row + 1) / 2);
    for (uint32_t e = 0; e < COMPARE_TILE; e++) {
        uint32_t i = row * 16 + e / 16, j = column * 16 + e % 16;
        size_t place = item * COMPARE_TILE + e;
        if (i >= x->n || j >= i) continue;
        add_distance(x, i, j, measure_slices(&x->m, &x->d, &x->s, i, j, t->sum[place]));
        if (x->error) x->error[compare_place(i, j)] += (float)measure_error(&x->s, &t->spread[place]);
    }
}

static void take_sums(void *user, uint32_t from, uint32_t tiles, const uint64_t *sum,
                      const slices_spread *spread) {
    taken t = {user, from, sum, spread};
    threads_run(0, tiles, finish_tile, &t);
}

static glshape_status compare_by_slices(comparison *x) {
    gpu *g = x->g;
    size_t places = compare_places(x->n);
    run_why why;
    run_begin_stage(run_of(g), "steps", RUN_NOT_BY_PASSES);
    slices_free(&x->s);
    TRY(slices_new(run_error(run_of(g)), &x->d, x->m.o.directions, SLICES_BYTES, &x->s));
    if (places / COMPARE_TILE > UINT32_MAX / 2)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT, "%u diagrams are more than slices compare",
                    x->n);
    bool can =
        !x->error && x->s.longest <= COMPARE_LONGEST && times((size_t)x->s.lines, x->s.stride) <= UINT32_MAX;
    TRY(place_choose(g, PLACE_SLICES, slices_work(x), can, slices_bytes(&x->s), &why));
    if (run_why_device(why)) TRY(slices_are_for_passes(g, &why));
    run_begin_stage(run_of(g), "slices", why);
    return run_why_device(why) ? slices_add_by_passes(g, &x->s, take_sums, x)
                               : slices_add_on_cpu(run_of(g), &x->s, x->error != NULL, take_sums, x);
}

/* ---- matchings ---------------------------------------------------------------------------------- */

enum { PAIRS = 8 }; /* of diagrams, that a thread takes at a time */

static glshape_status match(comparison *x, uint32_t i, uint32_t j, int thread) {
    double distance, gap;
    TRY(measure_matching(&x->thread_errors[thread], &x->m, &x->d, i, j, &x->stop, &distance, &gap));
    x->thread_gaps[thread] = fmax(x->thread_gaps[thread], gap);
    add_distance(x, i, j, distance);
    return GLSHAPE_OK;
}

/* The diagram i of pair k of diagrams i > j, which are numbered row by row. */
static uint32_t row_of(size_t k) {
    size_t i = (size_t)((1 + sqrt(8.0 * (double)k + 1)) / 2);
    while (pair_count(i) > k) i--;
    while (pair_count(i + 1) <= k) i++;
    return (uint32_t)i;
}

static bool match_some(void *user, uint64_t item, int thread) {
    comparison *x = user;
    size_t begin = item * PAIRS, count = pair_count(x->n),
           end = count - begin > PAIRS ? begin + PAIRS : count;
    uint32_t i = row_of(begin), j = (uint32_t)(begin - pair_count(i));
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
        x->stopped = run_tick(run_of(x->g), (double)atomic_load(&x->done) / (double)(pair_count(x->n) + 1));
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
    threads_watch((pair_count(x->n) + PAIRS - 1) / PAIRS, match_some, watch, x);
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
    size_t i = m->v->n - 1 - item;
    (void)thread;
    for (size_t j = 0; j < i; j++) add_distance(m->x, i, j, measure_vectors(m->v, i, j));
    return !atomic_load(&m->x->stop);
}

static void watch_rows(void *user) { watch(((measured *)user)->x); }

static glshape_status compare_by_vectors(comparison *x, const glshape_diagrams *in) {
    OWNED_BY(glshape_vectors_free) glshape_vectors_result v = {0};
    const glshape_vectors_options o = measure_vectors_options(&x->m);
    TRY(vectors_make(x->g, in, &o, &v));
    x->r.pairs += v.pairs;
    run_begin_stage(run_of(x->g), "distances", RUN_NOT_BY_PASSES);
    threads_watch(x->n, measure_row, watch_rows, &(measured){x, &v});
    return x->stopped;
}

/* ---- out --------------------------------------------------------------------------------------- */

/* Rows first … of the whole matrix. */
typedef struct filler {
    const float *half;
    size_t n, first, count;
    float *out;
} filler;

enum { AT_A_TIME = 16 };

/* The values of row i that are of a tile. */
static void fill_from_tile(const float *half, size_t n, size_t i, size_t column, float *row) {
    size_t own = i / 16, at = i % 16, j = 16 * column, count = n - j < 16 ? n - j : 16;
    size_t below = column < own ? count : column > own ? 0 : at;
    if (below) memcpy(row + j, half + compare_place(i, j), below * sizeof *row);
    if (column == own) row[i] = 0;
    if (below == count) return;
    const float *across = half + compare_place(j, i - at) + at;
    for (size_t k = column == own ? at + 1 : 0; k < count; k++) row[j + k] = across[16 * k];
}

static void fill_rows(void *user, size_t item) {
    const filler *f = user;
    size_t begin = f->first + item * AT_A_TIME, end = begin + AT_A_TIME;
    if (end > f->first + f->count) end = f->first + f->count;
    for (size_t column = 0; 16 * column < f->n; column++)
        for (size_t i = begin; i < end; i++)
            fill_from_tile(f->half, f->n, i, column, f->out + (i - f->first) * f->n);
}

void compare_fill(const float *half, size_t n, size_t first, size_t count, int threads, float *out) {
    filler f = {half, n, first, count, out};
    threads_run(threads, (count + AT_A_TIME - 1) / AT_A_TIME, fill_rows, &f);
}

/* Hands out rows, some megabytes of them at a time. */
static glshape_status give_rows(comparison *x, const float *half, glshape_compare_rows take) {
    enum { BYTES = 64 << 20 };
    error *err = run_error(run_of(x->g));
    OWNED float *rows = NULL;
    size_t n = x->n, most = BYTES / (n * sizeof *rows) / AT_A_TIME * AT_A_TIME;
    if (most < AT_A_TIME) most = AT_A_TIME;
    if (most > n) most = n;
    TRY(allocate(err, &rows, times(most, n), sizeof *rows, "rows of distances"));
    for (size_t first = 0, now; first < n; first += now) {
        now = n - first < most ? n - first : most;
        compare_fill(half, n, first, now, 0, rows);
        if (!take(x->m.o.rows_user, first, now, rows))
            return fail(err, GLSHAPE_CANCELLED, "whoever takes the distances stopped");
    }
    return GLSHAPE_OK;
}

static glshape_status give_matrix(comparison *x, const float *half, float **out) {
    TRY(allocate(run_error(run_of(x->g)), out, times(x->n, x->n), sizeof **out, "the distances"));
    compare_fill(half, x->n, 0, x->n, 0, *out);
    return GLSHAPE_OK;
}

static glshape_status give(comparison *x) {
    run_begin_stage(run_of(x->g), "distances", RUN_NOT_BY_PASSES);
    for (size_t k = 0; x->error && k < compare_places(x->n); k++)
        x->r.largest_error = fmax(x->r.largest_error, x->error[k]);
    if (x->m.o.error_rows) TRY(give_rows(x, x->error, x->m.o.error_rows));
    else if (x->m.o.errors) TRY(give_matrix(x, x->error, &x->r.error));
    return x->m.o.rows ? give_rows(x, x->half, x->m.o.rows) : give_matrix(x, x->half, &x->r.distance);
}

/* ---- all --------------------------------------------------------------------------------------- */

/* Adds the distances of a dimension. */
static glshape_status add_dimension(comparison *x, const glshape_diagrams *in) {
    if (x->m.o.metric >= GLSHAPE_COMPARE_IMAGE) return compare_by_vectors(x, in);
    diagrams_free(&x->d);
    TRY(diagrams_take(run_error(run_of(x->g)), in, &x->d));
    x->r.pairs += x->d.first[x->n];
    return x->m.o.metric == GLSHAPE_COMPARE_SLICED_WASSERSTEIN ? compare_by_slices(x)
                                                               : compare_by_matchings(x);
}

/* Finds the distances below the diagonal. */
static glshape_status find(comparison *x, const glshape_diagrams *in) {
    const glshape_compare_options *o = &x->m.o;
    error *err = run_error(run_of(x->g));
    TRY(measure_check(err, &x->m, in));
    x->r.n = in->count;
    x->n = (uint32_t)in->count;
    TRY(allocate(err, &x->half, compare_places(x->n), sizeof *x->half, "the distances"));
    if (o->errors || o->error_rows)
        TRY(allocate(err, &x->error, compare_places(x->n), sizeof *x->error, "the errors"));
    for (size_t k = 0; k <= o->more_count; k++) {
        run_set_span(run_of(x->g), (double)k / (double)(o->more_count + 1),
                     (double)(k + 1) / (double)(o->more_count + 1));
        TRY(add_dimension(x, k ? &o->more[k - 1] : in));
    }
    return GLSHAPE_OK;
}

glshape_status compare_half(gpu *g, const measure *m, const glshape_diagrams *in, float **half) {
    OWNED_BY(comparison_free) comparison x = {.g = g, .m = *m};
    TRY(find(&x, in));
    *half = MOVE(x.half);
    return GLSHAPE_OK;
}

static glshape_status compute(gpu *g, const glshape_diagrams *in, const glshape_compare_options *options,
                              glshape_compare_result *result) {
    OWNED_BY(comparison_free) comparison x = {.g = g};
    double start = wall_seconds();
    TRY(measure_read(run_error(run_of(g)), options, &x.m));
    TRY(find(&x, in));
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
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    return context_end(context, compute(g, diagrams, options, result));
}

void glshape_compare_free(glshape_compare_result *result) {
    free(result->distance);
    free(result->error);
    *result = (glshape_compare_result){0};
}
