/* The largest asymmetry, by tiles and their mirror images. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/distances/distances_internal.h"
#include "io/number.h"

enum { TILE = 1024, NEAR = 32 };

/* a at (row, col), below the diagonal, is not b at (col, row). */
typedef struct difference {
    bool found;
    uint32_t row, col;
    float a, b;
    double size; /* |a - b|; infinite if one is missing or infinite */
} difference;

typedef struct comparer {
    const io_distances *d;
    double tolerance;      /* relative */
    pthread_mutex_t *lock; /* of worst */
    difference worst;
} comparer;

/* Larger, or as large and before in row order: the outcome does not depend on the order of tiles. */
static void keep_worse(difference *worst, const difference *other) {
    if (!other->found) return;
    bool before = other->row < worst->row || (other->row == worst->row && other->col < worst->col);
    bool worse = !worst->found || other->size > worst->size || (other->size == worst->size && before);
    if (worse) *worst = *other;
}

/* The difference of a and b; not found if they agree within rounding. */
static difference compare(const comparer *k, uint32_t row, uint32_t col, float a, float b) {
    difference same = {.found = false};
    if (a == b || (isnan(a) && isnan(b))) return same;
    double size = fabs((double)a - b);
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b)) size = INFINITY;
    else if (size <= k->tolerance * fmax(fabs(a), fabs(b))) return same;
    return (difference){true, row, col, a, b, size};
}

/* The worst of the part of a tile at (row, col) within it that is NEAR wide and high. */
static void compare_near(const comparer *k, uint32_t row, uint32_t rows, uint32_t col, uint32_t cols,
                         const float *tile, const float *mirror, uint32_t r0, uint32_t c0,
                         difference *worst) {
    for (uint32_t r = r0; r < rows && r < r0 + NEAR; r++)
        for (uint32_t c = c0; c < cols && c < c0 + NEAR; c++) {
            if (col + c >= row + r) break;
            difference here =
                compare(k, row + r, col + c, tile[(size_t)r * cols + c], mirror[(size_t)c * rows + r]);
            keep_worse(worst, &here);
        }
}

static uint32_t tile_size(const io_distances *d, uint32_t at) { return d->n - at < TILE ? d->n - at : TILE; }

/* Tile i: (0,0) (1,0) (1,1) (2,0) ... */
static glshape_status compare_tile(error *err, void *user, uint64_t i, void *scratch) {
    comparer *k = user;
    uint64_t line = 0;
    while ((line + 1) * (line + 2) / 2 <= i) line++;
    uint32_t row = (uint32_t)line * TILE, col = (uint32_t)(i - line * (line + 1) / 2) * TILE;
    uint32_t rows = tile_size(k->d, row), cols = tile_size(k->d, col);
    float *tile = scratch, *mirror = tile + TILE * TILE;
    TRY(distances_float_tile(err, k->d, row, rows, col, cols, tile));
    TRY(distances_float_tile(err, k->d, col, cols, row, rows, mirror));
    difference worst = {.found = false};
    for (uint32_t r0 = 0; r0 < rows; r0 += NEAR)
        for (uint32_t c0 = 0; c0 < cols; c0 += NEAR)
            compare_near(k, row, rows, col, cols, tile, mirror, r0, c0, &worst);
    pthread_mutex_lock(k->lock);
    keep_worse(&k->worst, &worst);
    pthread_mutex_unlock(k->lock);
    return GLSHAPE_OK;
}

static const char *shown(char out[IO_NUMBER_ROOM], float value) {
    if (isnan(value)) return "missing";
    io_number_print_float(out, value);
    return out;
}

static glshape_status refuse(error *err, const io_distances *d, const difference *w) {
    char first[IO_NUMBER_ROOM], second[IO_NUMBER_ROOM];
    unsigned long upper = w->col + 1ul, lower = w->row + 1ul; /* as rows: upper < lower */
    float above = d->fortran ? w->a : w->b, below = d->fortran ? w->b : w->a;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: row %lu, column %lu is %s but row %lu, column %lu is %s; %s",
                d->name, upper, lower, shown(first, above), lower, upper, shown(second, below),
                d->weights ? "a matrix of weights is symmetric"
                           : "a distance matrix is symmetric; --symmetrize averages the two");
}

glshape_status distances_compare(error *err, const io_distances *d, int threads,
                                 bool (*progress)(void *user, double fraction), void *user) {
    OWNED_BY(pthread_mutex_destroy) pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    comparer k = {.d = d, .tolerance = distances_tolerance(d), .lock = &lock};
    uint64_t lines = ((uint64_t)d->n + TILE - 1) / TILE;
    threads_job job = {.work = compare_tile,
                       .user = &k,
                       .blocks = lines * (lines + 1) / 2,
                       .scratch_bytes = (size_t)2 * TILE * TILE * sizeof(float),
                       .name = d->name,
                       .threads = threads,
                       .progress = progress,
                       .progress_user = user,
                       .from = 0.9,
                       .to = 1};
    TRY(threads_do(err, &job));
    return k.worst.found ? refuse(err, d, &k.worst) : GLSHAPE_OK;
}
