/* Vectors of persistence diagrams. The steps, in order: pairs that count are taken; the samples are found; a
 * vector is made of each diagram, by passes or by threads. */
#include "compare/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "compare/diagrams.h"
#include "gpu/context.h"
#include "place/place.h"

enum { MOST_SAMPLES = 65536, MOST_SIDE = 4096, MOST_LANDSCAPES = 4096 };

static void vectors_free(vectors *v) {
    free(v->first);
    free(v->pairs);
    free(v->weight);
    free(v->mass);
    free(v->grid);
    free(v->values);
}

static bool is_image(const vectors *v) { return v->kind == GLSHAPE_VECTORS_IMAGE; }
static bool has_tents(const vectors *v) {
    return v->kind == GLSHAPE_VECTORS_LANDSCAPE || v->kind == GLSHAPE_VECTORS_SILHOUETTE;
}
static bool has_weights(const vectors *v) { return is_image(v) || v->kind == GLSHAPE_VECTORS_SILHOUETTE; }
static bool has_samples(const vectors *v) { return !is_image(v) && v->kind != GLSHAPE_VECTORS_ENTROPY; }

/* ---- options ------------------------------------------------------------------------------------ */

/* Sets *out to a whole number of the caller's, or to `instead` if that is 0. */
static glshape_status take_count(vectors *v, int value, int most, int instead, const char *what,
                                 uint32_t *out) {
    if (value < 0 || value > most)
        return fail(run_error(run_of(v->g)), GLSHAPE_BAD_ARGUMENT, "%s is %d; it is 1 to %d, or 0 for %d",
                    what, value, most, instead);
    *out = (uint32_t)(value ? value : instead);
    return GLSHAPE_OK;
}

static glshape_status check_range(vectors *v) {
    const double *r = v->o.range;
    for (int k = 0; r && k < (is_image(v) ? 4 : 2); k += 2)
        if (isinf(r[k]) || isinf(r[k + 1]) || r[k] > r[k + 1])
            return fail(run_error(run_of(v->g)), GLSHAPE_BAD_ARGUMENT,
                        "the range of %s is %g to %g; it ascends, and is finite, or NaN where it is found",
                        !is_image(v) ? "samples"
                        : k          ? "lifetimes"
                                     : "births",
                        r[k], r[k + 1]);
    return GLSHAPE_OK;
}

static glshape_status check_grid(vectors *v) {
    const double *x = v->o.grid;
    if (!x) return GLSHAPE_OK;
    if (!has_samples(v))
        return fail(run_error(run_of(v->g)), GLSHAPE_BAD_ARGUMENT, "a grid goes with curves only");
    for (uint32_t k = 0; k < v->samples; k++)
        if (!isfinite(x[k]) || (k && x[k] < x[k - 1]))
            return fail(run_error(run_of(v->g)), GLSHAPE_BAD_ARGUMENT,
                        "sample %u of the grid is %g; samples are finite and ascend", k + 1, x[k]);
    return GLSHAPE_OK;
}

static glshape_status check_numbers(vectors *v) {
    error *err = run_error(run_of(v->g));
    if (!(v->o.bandwidth >= 0 && isfinite(v->o.bandwidth)))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "the bandwidth is %g; it is a finite number above 0, or 0 for 1", v->o.bandwidth);
    if (!(v->o.weight >= 0 && isfinite(v->o.weight)))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "the power of weights is %g; it is a finite number, 0 or above", v->o.weight);
    if (v->o.cut && !isfinite(v->o.cut_at))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "pairs that never end are cut at %g; that is a finite number",
                    v->o.cut_at);
    return GLSHAPE_OK;
}

static glshape_status check_options(vectors *v, const glshape_vectors_options *o) {
    if (o) v->o = *o;
    TRY(error_check_choice(run_error(run_of(v->g)), v->o.kind, GLSHAPE_VECTORS_ENTROPY_CURVE, "kind"));
    v->kind = v->o.kind;
    TRY(take_count(v, v->o.resolution, is_image(v) ? MOST_SIDE : MOST_SAMPLES, is_image(v) ? 20 : 100,
                   "resolution", &v->samples));
    v->levels = 1;
    if (is_image(v))
        TRY(take_count(v, v->o.resolution_y, MOST_SIDE, (int)v->samples, "resolution_y", &v->levels));
    if (v->kind == GLSHAPE_VECTORS_LANDSCAPE)
        TRY(take_count(v, v->o.landscapes, MOST_LANDSCAPES, 5, "landscapes", &v->levels));
    if (v->kind == GLSHAPE_VECTORS_ENTROPY) v->samples = 1;
    v->columns = (size_t)v->samples * v->levels;
    TRY(check_range(v));
    TRY(check_grid(v));
    TRY(check_numbers(v));
    if (v->o.bandwidth == 0) v->o.bandwidth = 1;
    return GLSHAPE_OK;
}

/* ---- pairs -------------------------------------------------------------------------------------- */

/* Cuts a pair, of which *counts says whether it counts. */
static void cut_pair(vectors *v, double *pair, bool *counts) {
    bool endless = isinf(pair[1]);
    *counts = pair[0] != pair[1];
    if (!endless) return;
    if (v->o.cut) {
        bool rises = pair[1] > 0;
        pair[1] = v->o.cut_at;
        *counts = rises ? pair[0] < pair[1] : pair[1] < pair[0];
    } else *counts = v->kind == GLSHAPE_VECTORS_BETTI;
    v->left_out += !*counts;
}

/* Takes pair k of a diagram, the caller's pair number `number`, as pair `to`. */
static glshape_status take_pair(vectors *v, const glshape_diagrams *in, size_t diagram, size_t number,
                                double *weight, size_t *to) {
    error *err = run_error(run_of(v->g));
    size_t k = number - in->first[diagram];
    double pair[2] = {in->pairs[2 * number], in->pairs[2 * number + 1]};
    bool counts;
    TRY(diagrams_check_pair(err, diagram, k, pair));
    cut_pair(v, pair, &counts);
    if (!counts) return GLSHAPE_OK;
    double lifetime = fabs(pair[1] - pair[0]);
    if (is_image(v) && isinf(lifetime))
        return fail(err, GLSHAPE_BAD_INPUT, "diagram %zu, pair %zu: its lifetime is beyond what doubles hold",
                    diagram + 1, k + 1);
    if (weight) {
        weight[*to] = v->o.weights ? v->o.weights[number - in->first[0]] : pow(lifetime, v->o.weight);
        if (!isfinite(weight[*to]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "diagram %zu, pair %zu: its weight is %g; a weight is a finite number", diagram + 1,
                        k + 1, weight[*to]);
    }
    bool turned = has_tents(v) && pair[1] < pair[0];
    v->pairs[2 * *to] = pair[turned];
    v->pairs[2 * (*to)++ + 1] = pair[!turned];
    return GLSHAPE_OK;
}

/* Weights in a unit in which the greatest is about 1. */
static glshape_status keep_weights(vectors *v, const double *weight) {
    size_t count = v->first[v->n];
    double most = 0;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(weight[k]));
    v->unit = most > 0 ? ldexp(1, ilogb(most)) : 1;
    TRY(allocate(run_error(run_of(v->g)), &v->weight, count, sizeof *v->weight, "the weights"));
    TRY(allocate(run_error(run_of(v->g)), &v->mass, v->n, sizeof *v->mass, "the weights"));
    for (uint32_t i = 0; i < v->n; i++)
        for (size_t k = v->first[i]; k < v->first[i + 1]; k++) {
            double w = weight[k] / v->unit;
            v->weight[k] = fabs(w) < VECTORS_LEAST ? 0 : (float)w;
            v->mass[i] += w;
        }
    return GLSHAPE_OK;
}

static glshape_status take_diagrams(vectors *v, const glshape_diagrams *in) {
    error *err = run_error(run_of(v->g));
    OWNED double *weight = NULL;
    TRY(diagrams_check(err, in));
    size_t all = in->first[in->count] - in->first[0], to = 0;
    v->n = (uint32_t)in->count;
    TRY(allocate(err, &v->first, in->count + 1, sizeof *v->first, "the diagrams"));
    TRY(allocate(err, &v->pairs, all, 2 * sizeof *v->pairs, "the pairs"));
    if (has_weights(v)) TRY(allocate(err, &weight, all, sizeof *weight, "the weights"));
    for (size_t i = 0; i < in->count; i++) {
        for (size_t k = in->first[i]; k < in->first[i + 1]; k++) TRY(take_pair(v, in, i, k, weight, &to));
        v->first[i + 1] = to;
        if (to - v->first[i] > UINT32_MAX / 4)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "diagram %zu has %zu pairs; there are at most %u", i + 1,
                        to - v->first[i], UINT32_MAX / 4);
        if (to - v->first[i] > v->longest) v->longest = (uint32_t)(to - v->first[i]);
    }
    return weight ? keep_weights(v, weight) : GLSHAPE_OK;
}

/* ---- samples ------------------------------------------------------------------------------------ */

static void include(double ends[2], double value) {
    if (isinf(value)) return;
    ends[0] = fmin(ends[0], value);
    ends[1] = fmax(ends[1], value);
}

/* Where nothing is given: the least and the greatest of births and deaths, or of births and of lifetimes. */
static void find_range(vectors *v) {
    double ends[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (size_t k = 0; k < v->first[v->n]; k++) {
        const double *p = v->pairs + 2 * k;
        if (isinf(p[1])) continue;
        include(ends[0], p[0]);
        include(ends[is_image(v)], is_image(v) ? fabs(p[1] - p[0]) : p[1]);
    }
    for (int k = 0; k < 4; k++) {
        const double *found = ends[k / 2];
        bool given = v->o.range && (k < 2 || is_image(v)) && !isnan(v->o.range[k]);
        v->range[k] = given ? v->o.range[k] : found[0] > found[1] ? k % 2 : found[k % 2];
    }
    /* One end is given, and lies beyond all values. */
    for (int k = 0; k < 4; k += 2)
        if (v->range[k] > v->range[k + 1]) {
            bool first_is_given = v->o.range && !isnan(v->o.range[k]);
            v->range[k + first_is_given] = v->range[k + !first_is_given];
        }
}

/* The j-th of count places from first to last: as numpy.linspace has it, unless that overflows. */
static double place_between(double first, double last, uint32_t j, uint32_t count) {
    if (count < 2 || !j) return first;
    if (j == count - 1) return last;
    double step = (last - first) / (count - 1), part = (double)j / (count - 1);
    return isfinite(last - first) ? j * step + first : first * (1 - part) + last * part;
}

static glshape_status make_grid(vectors *v) {
    bool trims = !v->o.keep_endpoints, before = trims && (!v->o.range || isnan(v->o.range[0])),
         after = trims && (!v->o.range || isnan(v->o.range[1]));
    if (!has_samples(v)) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(v->g)), &v->grid, v->samples, sizeof *v->grid, "the samples"));
    for (uint32_t j = 0; j < v->samples; j++)
        v->grid[j] = v->o.grid
                         ? v->o.grid[j]
                         : place_between(v->range[0], v->range[1], j + before, v->samples + before + after);
    return GLSHAPE_OK;
}

uint32_t vectors_below(const vectors *v, double value, bool or_at) {
    uint32_t low = 0, high = v->samples;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->grid[middle] < value || (or_at && v->grid[middle] == value)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- where -------------------------------------------------------------------------------------- */

enum { BATCH_BYTES = 128 << 20, LOOP = 50000, MOST_COLUMNS = 1 << 26 };

double vectors_work(const vectors *v) { return (double)v->first[v->n] * (double)v->columns; }

bool vectors_can(const vectors *v) {
    uint64_t turns = ((uint64_t)v->longest + 2) * (v->kind == GLSHAPE_VECTORS_LANDSCAPE ? v->levels : 1);
    return turns <= LOOP && v->columns <= MOST_COLUMNS;
}

/* The bytes of a diagram's row in textures: images are padded to fours. */
static uint64_t row_bytes(const vectors *v) {
    uint64_t floats = is_image(v) ? 16ull * vectors_fours(v->samples) * vectors_fours(v->levels) : v->columns;
    return floats * sizeof(float) + sizeof(uint32_t);
}

static uint64_t pair_bytes(const vectors *v) { return is_image(v) ? 16ull * image_texels(v) : 20; }

uint32_t vectors_batch(const vectors *v, uint32_t from) {
    uint64_t bytes = 0;
    uint32_t to = from;
    while (to < v->n) {
        bytes += row_bytes(v) + (v->first[to + 1] - v->first[to]) * pair_bytes(v);
        if (bytes > v->batch_bytes && to > from) break;
        to++;
    }
    return to - from;
}

uint64_t vectors_bytes(const vectors *v) {
    uint64_t most = v->batch_bytes, one = row_bytes(v) + v->longest * pair_bytes(v);
    uint64_t all = v->n * row_bytes(v) + v->first[v->n] * pair_bytes(v);
    if (most < one) most = one;
    return 8ull * v->samples + (all < most ? all : most);
}

/* By passes or by threads. */
static glshape_status choose(vectors *v, const char *stage, bool *by_passes) {
    run_why why;
    TRY(place_choose(v->g, PLACE_VECTORS, vectors_work(v), vectors_can(v), vectors_bytes(v), &why));
    if (run_why_device(why)) TRY(vectors_are_for_passes(v, &why));
    run_begin_stage(run_of(v->g), stage, why);
    *by_passes = run_why_device(why);
    return GLSHAPE_OK;
}

static glshape_status make_images(vectors *v) {
    bool by_passes;
    TRY(choose(v, "image", &by_passes));
    return by_passes ? image_by_passes(v) : image_on_cpu(v);
}

static glshape_status make_tents(vectors *v) {
    OWNED_BY(tents_free) tents t = {0};
    bool by_passes;
    TRY(tents_new(v, &t));
    TRY(choose(v, v->kind == GLSHAPE_VECTORS_LANDSCAPE ? "landscape" : "silhouette", &by_passes));
    return by_passes ? tents_by_passes(v, &t) : tents_on_cpu(v, &t);
}

/* ---- all ---------------------------------------------------------------------------------------- */

static void set_result(vectors *v, glshape_vectors_result *r) {
    r->n = v->n;
    r->columns = v->columns;
    r->values = MOVE(v->values);
    r->grid = MOVE(v->grid);
    r->samples = has_samples(v) ? v->samples : 0;
    memcpy(r->range, v->range, sizeof r->range);
    if (has_samples(v)) r->range[0] = r->grid[0], r->range[1] = r->grid[v->samples - 1];
    if (!is_image(v)) r->range[2] = r->range[3] = 0;
    r->pairs = v->first[v->n];
    r->left_out = v->left_out;
    r->gpu_bytes = gpu_recent_bytes(v->g);
}

glshape_status vectors_make(gpu *g, const glshape_diagrams *in, const glshape_vectors_options *options,
                            glshape_vectors_result *result) {
    OWNED_BY(vectors_free) vectors v = {.g = g, .batch_bytes = BATCH_BYTES};
    double start = wall_seconds();
    run_begin_stage(run_of(g), "diagrams", RUN_NOT_BY_PASSES);
    TRY(check_options(&v, options));
    TRY(take_diagrams(&v, in));
    find_range(&v);
    TRY(make_grid(&v));
    TRY(allocate(run_error(run_of(g)), &v.values, times(v.n, v.columns), sizeof *v.values, "the vectors"));
    TRY(is_image(&v) ? make_images(&v) : has_tents(&v) ? make_tents(&v) : curves(&v));
    set_result(&v, result);
    result->seconds = wall_seconds() - start;
    return GLSHAPE_OK;
}

glshape_status glshape_vectors(glshape_context *context, const glshape_diagrams *diagrams,
                               const glshape_vectors_options *options, glshape_vectors_result *result) {
    gpu *g;
    *result = (glshape_vectors_result){0};
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    glshape_status status = vectors_make(g, diagrams, options, result);
    if (!status) status = run_tick(run_of(g), 1);
    if (status) glshape_vectors_free(result);
    return context_end(context, status);
}

void glshape_vectors_free(glshape_vectors_result *result) {
    free(result->values);
    free(result->grid);
    *result = (glshape_vectors_result){0};
}
