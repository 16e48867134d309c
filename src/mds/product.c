#include "mds/product.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mds/passes.h"
#include "place/place.h"

#define RESIDENT_BYTES (1ull << 30) /* of rows in memory */
#define PAGE_BYTES (32u << 20)      /* of rows that go to the device at a time */
#define ROWS 8u                     /* that a thread reads and multiplies at a time */
#define SPARE_BYTES (1u << 20)
#define SLOTS 3   /* pages on their way to the device */
#define LANES 16u /* values that a processor may look at together */

/* ---- rows -------------------------------------------------------------------------------------- */

static glshape_status refuse_missing(error *err, uint32_t i, uint32_t j) {
    return fail(
        err, GLSHAPE_BAD_INPUT,
        "row %u, column %u: the distance is missing; classical scaling needs all of them: give it, or use "
        "another method (--method glimmer)",
        i + 1, j + 1);
}

/* Without a branch for each value, so that rows which are whole cost little. */
static glshape_status check_present(const mds_product *p, error *err, uint32_t i, const float *row) {
    int missing[LANES] = {0}, any = 0;
    uint32_t j = 0;
    for (; j + LANES <= p->n; j += LANES)
        for (uint32_t l = 0; l < LANES; l++) missing[l] |= row[j + l] != row[j + l];
    for (; j < p->n; j++) any |= isnan(row[j]);
    for (uint32_t l = 0; l < LANES; l++) any |= missing[l];
    for (j = 0; any && j < p->n; j++)
        if (isnan(row[j])) return refuse_missing(err, i, j);
    return GLSHAPE_OK;
}

typedef float floats __attribute__((vector_size(8)));
typedef double pair __attribute__((vector_size(16)));

/* Sums of squares and of fourth powers. Every eighth value is added by itself, so that sums need not wait for
 * each other. */
static void add_powers(const float *row, uint32_t count, double *squares, double *fourths) {
    pair square[4] = {{0}}, fourth[4] = {{0}};
    for (uint32_t j = 0; j < count; j += 8)
        for (uint32_t l = 0; l < 4; l++) {
            floats two;
            memcpy(&two, row + j + 2 * l, sizeof two);
            pair s = __builtin_convertvector(two, pair);
            s *= s;
            square[l] += s;
            fourth[l] += s * s;
        }
    for (uint32_t l = 0; l < 8; l++) {
        *squares += square[l / 2][l % 2];
        *fourths += fourth[l / 2][l % 2];
    }
}

static float largest(const float *row, uint32_t count) {
    float most[LANES] = {0};
    for (uint32_t j = 0; j < count; j += LANES)
        for (uint32_t l = 0; l < LANES; l++) most[l] = row[j + l] > most[l] ? row[j + l] : most[l];
    for (uint32_t l = 1; l < LANES; l++) most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

static void sum_row(mds_product *p, uint32_t i, const float *row) {
    float last[LANES] = {0}; /* what is left when whole lanes were added */
    uint32_t rest = p->n % LANES, whole = p->n - rest;
    int exponent = 0;
    memcpy(last, row + whole, rest * sizeof *row);
    p->squares[i] = p->fourths[i] = 0;
    add_powers(row, whole, &p->squares[i], &p->fourths[i]);
    add_powers(last, LANES, &p->squares[i], &p->fourths[i]);
    frexp(fmax((double)largest(row, whole), (double)largest(last, LANES)), &exponent);
    p->scale[i] = ldexp(1, exponent);
}

/* Reads rows as the reader has them, and what is to be known of each. */
static glshape_status read_rows(mds_product *p, error *err, uint32_t first, uint32_t count, float *out) {
    TRY(dist_read_raw(err, &p->reader, first, count, out));
    for (uint32_t i = 0; i < count; i++) {
        float *row = out + (size_t)i * p->n;
        if (!p->readings) sum_row(p, first + i, row);
        /* A value that is missing makes the sum one that is none. */
        if (p->readings || isnan(p->squares[first + i])) TRY(check_present(p, err, first + i, row));
    }
    return GLSHAPE_OK;
}

/* What is known of the whole matrix once every row was read. */
static void sum_up(mds_product *p) {
    double squares = 0, fourths = 0, n = p->n;
    for (uint32_t i = 0; i < p->n; i++) squares += p->squares[i], fourths += p->fourths[i];
    p->trace = squares / (2 * n);
    /* Of float products: each term, and each thin value, is rounded by itself. */
    p->noise = p->on_device ? 2 * (double)FLT_EPSILON * sqrt(fourths / n) / 2 : 0;
    p->readings++;
}

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* ---- by threads -------------------------------------------------------------------------------- */

/* A thin matrix, four columns at a time: n rows of four columns, then of the next four. */
typedef struct thin {
    mds_product *p;
    uint32_t count, quads;
    double *of;
    double *out; /* count columns of n values */
} thin;

static void thin_free(thin *t) { free(t->of); }

static glshape_status thin_new(mds_product *p, uint32_t count, const double *x, double *y, thin *t) {
    *t = (thin){.p = p, .count = count, .quads = (count + 3) / 4, .out = y};
    TRY(allocate(run_error(run_of(p->g)), &t->of, times(p->n, t->quads), 4 * sizeof *t->of, "a thin matrix"));
    for (uint32_t c = 0; c < count; c++)
        for (size_t j = 0; j < p->n; j++)
            t->of[(c / 4 * (size_t)p->n + j) * 4 + c % 4] = x[(size_t)c * p->n + j];
    return GLSHAPE_OK;
}

/* sum[r] becomes the product of the squares of two rows with four columns. */
static void multiply_two(uint32_t n, const float *a, const float *b, const double *x, double sum[2][4]) {
    pair s[4] = {{0}};
    for (size_t j = 0; j < n; j++) {
        pair left, right, p = {(double)a[j], (double)a[j]}, q = {(double)b[j], (double)b[j]};
        memcpy(&left, x + 4 * j, sizeof left);
        memcpy(&right, x + 4 * j + 2, sizeof right);
        p *= p;
        q *= q;
        s[0] += p * left;
        s[1] += p * right;
        s[2] += q * left;
        s[3] += q * right;
    }
    memcpy(sum, s, sizeof s);
}

/* Multiplies rows first … first + count - 1. */
static void multiply_rows(const thin *t, uint32_t first, uint32_t count, const float *rows) {
    uint32_t n = t->p->n;
    for (uint32_t quad = 0; quad < t->quads; quad++)
        for (uint32_t i = 0; i < count; i += 2) {
            double sum[2][4];
            uint32_t next = lesser(i + 1, count - 1);
            multiply_two(n, rows + (size_t)i * n, rows + (size_t)next * n, t->of + (size_t)quad * n * 4, sum);
            for (uint32_t c = 4 * quad; c < lesser(4 * quad + 4, t->count); c++) {
                t->out[(size_t)c * n + first + next] = -sum[1][c % 4] / 2;
                t->out[(size_t)c * n + first + i] = -sum[0][c % 4] / 2;
            }
        }
}

static glshape_status multiply_item(error *err, void *user, uint64_t item, void *scratch) {
    const thin *t = user;
    mds_product *p = t->p;
    uint32_t first = (uint32_t)item * ROWS, count = lesser(ROWS, p->n - first);
    float *rows = p->rows ? p->rows + (size_t)first * p->n : scratch;
    if (!p->loaded) TRY(read_rows(p, err, first, count, rows));
    multiply_rows(t, first, count, rows);
    return GLSHAPE_OK;
}

static glshape_status multiply_by_threads(mds_product *p, uint32_t count, const double *x, double *y) {
    OWNED_BY(thin_free) thin t = {0};
    TRY(thin_new(p, count, x, y, &t));
    const threads_job job = {.work = multiply_item,
                             .user = &t,
                             .blocks = (p->n - 1) / ROWS + 1,
                             .scratch_bytes = p->rows ? 0 : (size_t)ROWS * p->n * sizeof(float),
                             .name = "rows of distances",
                             .threads = !p->loaded && p->reader.alone ? 1 : 0};
    TRY(threads_do(run_error(run_of(p->g)), &job));
    if (!p->loaded) sum_up(p);
    p->loaded = p->rows != NULL;
    return GLSHAPE_OK;
}

/* ---- by passes --------------------------------------------------------------------------------- */

/* Rows on their way to the device. */
typedef struct sending {
    mds_product *p;
    uint32_t first;
    float *to;
} sending;

static glshape_status stage_row(error *err, void *user, uint64_t item, void *scratch) {
    const sending *s = user;
    uint32_t n = s->p->n, i = s->first + (uint32_t)item, padded = 4 * s->p->given.texels;
    float *row = scratch, *to = s->to + item * padded;
    TRY(read_rows(s->p, err, i, 1, row));
    double unit = 1 / s->p->scale[i];
    for (uint32_t j = 0; j < n; j++) to[j] = (float)((double)row[j] * unit);
    for (uint32_t j = n; j < padded; j++) to[j] = 0;
    return GLSHAPE_OK;
}

/* Reads rows of the matrix, which then go to the texture, from its element `to` on, while the next are read.
 */
static glshape_status send_rows(mds_product *p, uint32_t first, uint32_t count, uint32_t to) {
    int slot = (int)(p->sent++ % SLOTS);
    double since = wall_seconds();
    void *memory;
    TRY(gpu_ring_map(p->g, &p->ring, slot, &memory));
    p->sending += clock_lap(&since);
    sending s = {p, first, memory};
    const threads_job job = {.work = stage_row,
                             .user = &s,
                             .blocks = count,
                             .scratch_bytes = p->n * sizeof(float),
                             .name = "rows of distances",
                             .team = p->team,
                             .threads = p->reader.alone ? 1 : 0};
    TRY(threads_do(run_error(run_of(p->g)), &job));
    p->reading += clock_lap(&since);
    TRY(gpu_ring_send(p->g, &p->ring, slot, &p->given, to, count));
    p->sending += clock_lap(&since);
    return GLSHAPE_OK;
}

/* The thin matrix on the device: columns / 4 texels of an element, zeros behind the last one of the matrix.
 */
static glshape_status send_thin(mds_product *p, uint32_t count, const double *x, gpu_texture *to) {
    OWNED float *of = NULL;
    uint32_t quads = (count + 3) / 4, padded = 4 * p->given.texels;
    TRY(gpu_texture_new(p->g, to, "a thin matrix", GPU_RGBA32F, padded, quads));
    TRY(allocate(run_error(run_of(p->g)), &of, times(padded, quads), 4 * sizeof *of, "a thin matrix"));
    for (uint32_t c = 0; c < count; c++)
        for (size_t j = 0; j < p->n; j++) of[j * quads * 4 + c] = (float)x[(size_t)c * p->n + j];
    return gpu_upload(p->g, to, 0, padded, of);
}

/* A product on the device. */
typedef struct passing {
    mds_product *p;
    uint32_t count;
    gpu_texture thin, sums;
    double *out;
} passing;

static void passing_free(passing *s) {
    gpu_texture_free(&s->thin);
    gpu_texture_free(&s->sums);
}

/* Multiplies the rows of a page, which are in the texture from element `at` on. */
static glshape_status multiply_page(passing *s, uint32_t first, uint32_t rows, uint32_t at) {
    mds_product *p = s->p;
    uint32_t quads = s->thin.texels;
    TRY(gpu_run(p->g, mds_product, .given = &p->given, .thin = &s->thin, .sums = &s->sums, .rows = rows,
                .first = at, .to = first, .texels = p->given.texels, .quads = quads,
                .groups = (rows + 3) / 4 * quads));
    return run_tick(run_of(p->g), 0);
}

/* Brings the sums back, when all pages were multiplied. */
static glshape_status take_sums(passing *s) {
    OWNED float *sums = NULL;
    const mds_product *p = s->p;
    uint32_t width = 4 * s->thin.texels;
    TRY(allocate(run_error(run_of(p->g)), &sums, p->n, width * sizeof *sums, "products"));
    TRY(gpu_download(p->g, &s->sums, 0, p->n, sums));
    for (uint32_t c = 0; c < s->count; c++)
        for (size_t i = 0; i < p->n; i++)
            s->out[c * (size_t)p->n + i] = -p->scale[i] * p->scale[i] / 2 * (double)sums[i * width + c];
    return GLSHAPE_OK;
}

static glshape_status multiply_by_passes(mds_product *p, uint32_t count, const double *x, double *y) {
    OWNED_BY(passing_free) passing s = {.p = p, .count = count, .out = y};
    bool read = !p->resident || !p->loaded;
    TRY(send_thin(p, count, x, &s.thin));
    TRY(gpu_texture_new(p->g, &s.sums, "products", GPU_RGBA32F, p->n, s.thin.texels));
    for (uint32_t first = 0; first < p->n; first += p->block) {
        uint32_t rows = lesser(p->block, p->n - first), at = p->resident ? first : 0;
        if (read) TRY(send_rows(p, first, rows, at));
        TRY(multiply_page(&s, first, rows, at));
    }
    if (read) sum_up(p);
    p->loaded = p->resident;
    return take_sums(&s);
}

/* ---- either ------------------------------------------------------------------------------------ */

/* Every column gets the mean 0: this is J from the left. From the right J changes nothing, as x has. */
static void center_columns(uint32_t n, uint32_t count, double *y) {
    for (uint32_t c = 0; c < count; c++, y += n) {
        double mean = 0;
        for (uint32_t i = 0; i < n; i++) mean += y[i] / n;
        for (uint32_t i = 0; i < n; i++) y[i] -= mean;
    }
}

glshape_status mds_product_apply(void *user, uint32_t count, const double *x, double *y) {
    mds_product *p = user;
    TRY(p->on_device ? multiply_by_passes(p, count, x, y) : multiply_by_threads(p, count, x, y));
    center_columns(p->n, count, y);
    return run_tick(run_of(p->g), 0);
}

/* Makes room for rows on the device: for all, or for a page. */
static glshape_status device_room(mds_product *p, glshape_keep keep) {
    uint32_t texels = (p->n + 3) / 4;
    size_t all = gpu_texture_bytes(p->g, GPU_RGBA32F, p->n, texels), left = gpu_memory_left(p->g);
    p->resident = keep == GLSHAPE_KEEP_RESIDENT || (keep == GLSHAPE_KEEP_AUTO && all <= left / 2);
    p->block = lesser(PAGE_BYTES / (16 * texels) + 1, p->n);
    while (p->block > 1 && gpu_texture_bytes(p->g, GPU_RGBA32F, p->block, texels) > left / 4) p->block /= 2;
    TRY(gpu_texture_new(p->g, &p->given, "rows of distances", GPU_RGBA32F, p->resident ? p->n : p->block,
                        texels));
    if (!p->reader.alone) p->team = threads_team_new(0);
    return gpu_ring_new(p->g, &p->ring, SLOTS, (size_t)p->block * texels * 16);
}

static glshape_status host_room(mds_product *p, glshape_keep keep) {
    uint64_t bytes = (uint64_t)p->n * p->n * sizeof(float);
    p->resident = keep == GLSHAPE_KEEP_RESIDENT || (keep == GLSHAPE_KEEP_AUTO && bytes <= RESIDENT_BYTES);
    if (!p->resident) return GLSHAPE_OK;
    return allocate(run_error(run_of(p->g)), &p->rows, p->n, p->n * sizeof *p->rows, "the distances");
}

static glshape_status choose_place(mds_product *p, run_why *why) {
    *why = RUN_NOT_OPTION;
    if (p->precise) return GLSHAPE_OK;
    TRY(place_choose(p->g, PLACE_PRODUCTS, p->n, true, SPARE_BYTES, why));
    p->on_device = run_why_device(*why);
    return GLSHAPE_OK;
}

glshape_status mds_product_new(gpu *g, const dist_reader *reader, glshape_keep keep, bool precise,
                               mds_product *p) {
    error *err = run_error(run_of(g));
    run_why why;
    *p = (mds_product){.g = g, .reader = *reader, .n = reader->n, .precise = precise};
    TRY(choose_place(p, &why));
    run_begin_stage(run_of(g), "products", why);
    TRY(allocate(err, &p->scale, p->n, sizeof *p->scale, "the rows"));
    TRY(allocate(err, &p->squares, p->n, sizeof *p->squares, "the rows"));
    TRY(allocate(err, &p->fourths, p->n, sizeof *p->fourths, "the rows"));
    return p->on_device ? device_room(p, keep) : host_room(p, keep);
}

void mds_product_free(mds_product *p) {
    gpu_texture_free(&p->given);
    gpu_ring_free(&p->ring);
    threads_team_free(p->team);
    free(p->rows);
    free(p->scale);
    free(p->squares);
    free(p->fourths);
}
