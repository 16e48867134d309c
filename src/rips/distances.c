#include "rips/distances.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/noise.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "rips/points.h"

#define ROWS 16u /* at a time */

#define TILE 64u /* rows and columns that are copied at a time */

#define LANES RIPS_LANES /* distances of a row that are made at once */
#define FEW_POINTS 256u  /* whose tiles are not worth it */

/* The points, and tiles of them if distances are Euclidean: of floats or, where single precision has not all
 * values, of doubles. */
typedef struct points_job {
    const rips_points *points;
    rips_space *s;
    float *floats;
    double *doubles;
    atomic_bool overflows; /* some distance */
} points_job;

static void points_job_free(points_job *w) {
    free(w->floats);
    free(w->doubles);
}

static void sums_of_doubles(const points_job *w, size_t i, size_t tile, double *sum) {
    const double *x = w->points->exact + i * w->points->width,
                 *y = w->doubles + tile * LANES * w->points->width;
    for (size_t k = 0; k < LANES; k++) sum[k] = 0;
    for (size_t c = 0; c < w->points->width; c++, y += LANES)
        for (size_t k = 0; k < LANES; k++) sum[k] += (x[c] - y[k]) * (x[c] - y[k]);
}

/* Some distances of point i, from that to point first on. */
static void fill_some(const points_job *w, size_t i, size_t first, size_t count, float *out) {
    size_t width = w->points->width;
    float floats[LANES];
    double doubles[LANES];
    if (w->floats) rips_lane_sums(w->points->rows + i * width, w->floats + first * width, width, floats);
    if (w->doubles) sums_of_doubles(w, i, first / LANES, doubles);
    for (size_t k = 0; k < count; k++)
        out[k] = w->doubles                                  ? (float)sqrt(doubles[k])
                 : w->floats && rips_is_plain_sum(floats[k]) ? sqrtf(floats[k])
                                                             : rips_points_distance(w->points, i, first + k);
}

static void fill_row(void *of, size_t i) {
    points_job *w = of;
    rips_space *s = w->s;
    float *row, most = 0;
    i = s->n - 1 - i; /* the long rows first */
    row = s->distance + i * s->n;
    for (size_t j = 0; j < i; j += LANES) fill_some(w, i, j, i - j < LANES ? i - j : LANES, row + j);
    for (size_t j = 0; j < i; j++) most = row[j] > most ? row[j] : most;
    if (most == INFINITY) atomic_store(&w->overflows, true);
}

static glshape_status make_tiles(error *err, points_job *w, int threads) {
    const rips_points *p = w->points;
    size_t all = times(rips_tiled(p->n), p->width);
    if (p->n < FEW_POINTS || p->sphere || dist_metric_is_angular(p->metric) || p->norm.power != 2)
        return GLSHAPE_OK;
    if (p->exact) TRY(allocate(err, &w->doubles, all, sizeof *w->doubles, "the columns of the points"));
    else TRY(allocate(err, &w->floats, all, sizeof *w->floats, "the columns of the points"));
    if (p->exact)
        rips_tile(p->exact, sizeof *p->exact, p->n, p->width, rips_threads(w->s, threads), w->doubles);
    else rips_tile(p->rows, sizeof *p->rows, p->n, p->width, rips_threads(w->s, threads), w->floats);
    return GLSHAPE_OK;
}

/* Copies the lower triangle of some columns over the upper one: a tile at a time, which stays in the cache.
 */
static void copy_columns(void *of, size_t tile) {
    rips_space *s = of;
    size_t n = s->n, first = tile * TILE, end = first + TILE < n ? first + TILE : n;
    for (size_t at = first; at < n; at += TILE)
        for (size_t j = first; j < end; j++)
            for (size_t i = at > j ? at : j + 1; i < n && i < at + TILE; i++)
                s->distance[j * n + i] = s->distance[i * n + j];
}

static void copy_triangle(rips_space *s, int threads) {
    threads_run(rips_threads(s, threads), (s->n + TILE - 1) / TILE, copy_columns, s);
}

/* Points are finite, but their distances may not be; that matters unless they are beyond a threshold. */
static glshape_status refuse_infinite(error *err, const rips_space *s) {
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < i; j++)
            if (s->distance[i * s->n + j] == INFINITY)
                return fail(
                    err, GLSHAPE_BAD_INPUT,
                    "rows %zu and %zu are so far apart that single precision does not hold the distance: "
                    "divide all points by one number",
                    j + 1, i + 1);
    return GLSHAPE_OK;
}

static glshape_status distances_of_points(error *err, const glshape_source *source, int threads,
                                          rips_space *s) {
    OWNED_BY(rips_points_free) rips_points points = {0};
    TRY(rips_points_new(err, source, &points));
    OWNED_BY(points_job_free) points_job job = {.points = &points, .s = s};
    TRY(make_tiles(err, &job, threads));
    threads_run(threads, s->n, fill_row, &job);
    if (atomic_load(&job.overflows) && s->threshold == INFINITY) return refuse_infinite(err, s);
    copy_triangle(s, threads);
    return GLSHAPE_OK;
}

typedef struct reader_job {
    const glshape_source *source;
    rips_space *s;
    atomic_flag failed;
    atomic_bool stop;
    char message[512];
} reader_job;

static void read_rows(void *of, size_t block) {
    reader_job *w = of;
    char message[512] = "";
    uint32_t n = w->s->n, first = (uint32_t)block * ROWS, count = n - first < ROWS ? n - first : ROWS;
    if (atomic_load(&w->stop)) return;
    if (w->source->reader(w->source->user, first, count, w->s->distance + (size_t)first * n, message,
                          sizeof message))
        return;
    atomic_store(&w->stop, true);
    if (!atomic_flag_test_and_set(&w->failed)) memcpy(w->message, message, sizeof message);
}

/* Checks the lower triangle and copies it over the upper one: as in Ripser, only the lower one counts. */
static glshape_status check_rows(error *err, rips_space *s) {
    if (!s->may_be_negative) noise_clear(s->distance, s->n, 0, s->n, NOISE_TOLERANCE);
    for (size_t i = 0; i < s->n; i++) {
        s->distance[i * s->n + i] = 0;
        for (size_t j = 0; j < i; j++) {
            float d = s->distance[i * s->n + j];
            if (!(d >= 0 || (s->may_be_negative && d > -INFINITY)))
                return fail(err, GLSHAPE_BAD_INPUT, "row %zu, column %zu: %g is no distance", i + 1, j + 1,
                            (double)d);
            s->distance[i * s->n + j] = s->distance[j * s->n + i] = d + 0.0f; /* -0 is 0 */
        }
    }
    return GLSHAPE_OK;
}

static glshape_status distances_of_reader(error *err, const glshape_source *source, int threads,
                                          rips_space *s) {
    reader_job work = {.source = source, .s = s, .failed = ATOMIC_FLAG_INIT};
    threads_run(threads, (s->n + ROWS - 1) / ROWS, read_rows, &work);
    if (atomic_load(&work.stop))
        return fail(err, GLSHAPE_IO_ERROR, "%s", dist_reason(work.message, sizeof work.message));
    return check_rows(err, s);
}

glshape_status rips_distances(error *err, const glshape_source *source, int threads, rips_space *s) {
    TRY(allocate(err, &s->distance, times(s->n, s->n), sizeof *s->distance, "the matrix of distances"));
    return source->points ? distances_of_points(err, source, threads, s)
                          : distances_of_reader(err, source, threads, s);
}

float rips_enclosing_radius(const rips_space *s) {
    float radius = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        const float *row = s->distance + i * s->n;
        float most = s->birth ? s->birth[i] : 0;
        for (size_t j = 0; j < s->n; j++) most = row[j] > most ? row[j] : most;
        radius = most < radius ? most : radius;
    }
    return radius;
}
