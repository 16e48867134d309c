/* Makes float32 points of any matrix, and bounds what that rounds. Those that the GPU has no room for are
 * there a page at a time; a page is made anew of the matrix whenever it is searched. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/source.h"
#include "neighbors/points.h"
#include "place/place.h"

/* On software renderers a slice is a loop turn of a tile; with its sweeps GPU_TURNS at most. */
#define MOST_SLICES 37500u
#define MOST_COLUMNS (16 * MOST_SLICES)
#define PRODUCT_SLICE 8u
#define PRODUCT_COLUMNS 16u  /* products pay from here … */
#define PRODUCT_MOST 100000u /* … to here: their error grows with the columns */
#define LENGTH_TEXELS 4u     /* behind the columns: one is enough, but four keep points aligned */
#define COARSE 5000          /* units: where squares of distances are few whole numbers, many are equal */
#define FAR_OFF 16           /* squares of floats are this many times larger than about their mean */
#define SLICED_COLUMNS 16384u
#define BLOCK_ROWS 256u /* of a block of work */
#define BLOCK_QUADS (BLOCK_ROWS / 4)
#define BLOCKS 4u /* a thread of what is placed at a time, at least */
#define TILE_QUADS (KNN_TILE / 4)
#define PAGE_SHARE 4u /* a page takes so much of the GPU's memory that is left; lists need more … */
/* … and this at least beside all points: of a tile, lists and what is fetched of them; the points of queries;
 * labels of all. */
#define LEAST_LISTS(quads, texels) \
    (((size_t)900 << 10) + KNN_TILE / 4 * 16 * (size_t)(texels) + 32 * (size_t)(quads))
#define NO_BIT 9999
#define LEAST_BIT (-126) /* of a float32 that is not denormal */

/* What is known of the values of a block of rows. */
typedef struct survey {
    double largest;
    int lowest;     /* all values are multiples of 2^lowest, the least bit set in any */
    bool floats;    /* every value is a float32 number */
    double squares; /* the sum of their squares, over the number of rows */
} survey;

typedef struct job {
    knn_points *p;
    uint64_t own;    /* this rank's first block */
    survey *surveys; /* one a block */
    double *sums;    /* blocks × columns */
    threads_team *team;
    const knn_query *queries;                /* not NULL: the points are of these, `asked` of them */
    uint32_t from, asked;                    /* else from this one on */
    float *staging;                          /* quads on their way to the GPU … */
    uint32_t first, count;                   /* … from this one on */
    uint32_t block;                          /* of these, so many are a block */
    bool bounded;                            /* rounding and length of p are there */
    _Atomic uint32_t most_rounding, longest; /* of all points: bits of a float32 */
} job;

static void job_free(job *j) {
    free(j->surveys);
    free(j->sums);
    threads_team_free(j->team);
}

static double larger(double a, double b) { return a > b ? a : b; }

/* ---- surveying --------------------------------------------------------------------------------- */

static void survey_value(double x, survey *s) {
    uint64_t bits;
    if (x == 0) return;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = (bits & 0xfffffffffffffu) | (exponent ? 1ull << 52 : 0);
    int zeros = __builtin_ctzll(mantissa), low = (exponent ? exponent : 1) - 1075 + zeros;
    s->largest = larger(s->largest, fabs(x));
    if (low < s->lowest) s->lowest = low;
    s->floats = s->floats && mantissa >> zeros < 1u << 24;
}

/* The same for values of one type, which it reads where they are. Bits of magnitudes are in their order.
 * Returns false if a value is not finite. */
#define SURVEY(name, ctype, bits_type, mantissa_bits, bias, trailing_zeros)                                  \
    static bool name(const ctype *x, size_t rows, size_t columns, double part, survey *s, double *sums) {    \
        const bits_type one = 1, sign = one << (sizeof(bits_type) * 8 - 1), hidden = one << (mantissa_bits); \
        bits_type most = 0, long_ones = 0;                                                                   \
        double squares = s->squares;                                                                         \
        int lowest = s->lowest;                                                                              \
        for (size_t r = 0; r < rows; r++)                                                                    \
            for (size_t c = 0; c < columns; c++, x++) {                                                      \
                double value = (double)*x;                                                                   \
                bits_type bits;                                                                              \
                memcpy(&bits, x, sizeof bits);                                                               \
                bits &= ~sign;                                                                               \
                int exponent = (int)(bits >> (mantissa_bits));                                               \
                bits_type mantissa = (bits & (hidden - 1)) | (exponent ? hidden : 0);                        \
                int zeros = trailing_zeros(mantissa | sign);                                                 \
                int low = (exponent ? exponent : 1) - (bias) - (mantissa_bits) + zeros;                      \
                lowest = bits && low < lowest ? low : lowest;                                                \
                most = bits > most ? bits : most;                                                            \
                long_ones |= mantissa >> zeros >> 24;                                                        \
                sums[c] += value * part;                                                                     \
                squares += value * value * part;                                                             \
            }                                                                                                \
        if (most >> (mantissa_bits) == (sign - 1) >> (mantissa_bits)) return false;                          \
        ctype largest;                                                                                       \
        memcpy(&largest, &most, sizeof largest);                                                             \
        *s = (survey){(double)largest, lowest, !long_ones, squares};                                         \
        return true;                                                                                         \
    }
SURVEY(survey_floats, float, uint32_t, 23, 127, __builtin_ctz)
SURVEY(survey_doubles, double, uint64_t, 52, 1023, __builtin_ctzll)

/* Surveys values as they are, if they are all that rows are made of. Returns false if they are not, or not
 * finite: then rows are to be read one by one. */
static bool survey_values(const knn_points *p, size_t first, size_t rows, survey *s, double *sums) {
    const glshape_matrix *m = p->m;
    double part = 1.0 / p->n;
    size_t at = first * m->cols;
    if (dist_metric_is_angular(p->metric)) return false;
    if (m->type == GLSHAPE_F32)
        return survey_floats((const float *)m->data + at, rows, m->cols, part, s, sums);
    return m->type == GLSHAPE_F64 &&
           survey_doubles((const double *)m->data + at, rows, m->cols, part, s, sums);
}

static glshape_status survey_rows(error *err, void *user, uint64_t k, void *scratch) {
    job *j = user;
    uint64_t block = j->own + k;
    size_t columns = j->p->m->cols, first = block * BLOCK_ROWS, left = j->p->n - first;
    survey s = {.lowest = NO_BIT, .floats = true};
    double *row = scratch, *sums = row + columns, part = 1.0 / j->p->n; /* sums: near no other thread's */
    memset(sums, 0, columns * sizeof *sums);
    bool done = survey_values(j->p, first, left < BLOCK_ROWS ? left : BLOCK_ROWS, &s, sums);
    if (!done) memset(sums, 0, columns * sizeof *sums);
    for (uint32_t i = (uint32_t)first; !done && i < j->p->n && i / BLOCK_ROWS == block; i++) {
        TRY(dist_row(err, j->p->m, j->p->metric, i, row));
        for (size_t c = 0; c < columns; c++) {
            survey_value(row[c], &s);
            sums[c] += row[c] * part;
            s.squares += row[c] * row[c] * part;
        }
    }
    j->surveys[block] = s;
    memcpy(j->sums + block * columns, sums, columns * sizeof *sums);
    return GLSHAPE_OK;
}

/* Sets scale and exact_below. A shift makes the largest value at most twice as large. */
static void choose_scale(knn_points *p, const survey *s, bool shifted) {
    int exponent = 0;
    frexp(s->largest, &exponent);
    exponent += shifted;
    if (exponent < -1000) exponent = -1000;
    p->scale = ldexp(1, -exponent);
    p->exact_values = s->floats && s->lowest - exponent >= LEAST_BIT && !dist_metric_is_angular(p->metric);
    double unit = norm_raise(&p->norm, ldexp(1, s->lowest == NO_BIT ? 0 : s->lowest - exponent));
    /* In units of 2^lowest, squared, a sum is a whole number: below 2^24 none of its additions rounds, and no
     * product. So with other powers. */
    bool exact = s->floats && !dist_metric_is_angular(p->metric) && unit > 0x1p-80;
    p->exact_below = exact && norm_is_whole(&p->norm) ? 0x1p24 * unit : 0;
}

/* Whether values, in units of 2^lowest, stay whole numbers of float32 when their mean, rounded to a unit, is
 * subtracted. */
static bool is_whole(const knn_points *p, const survey *s) {
    return p->exact_below > 0 && ldexp(s->largest, -s->lowest) < 0x1p22;
}

/* Chooses the shift, and with it the scale. Rows that are nearly parallel lie near their mean. The error of
 * products grows with the lengths, which are least about the mean: whole numbers are shifted by whole
 * numbers, and values of float32, which that rounds, if they lie far from 0. mean: of each column. */
static glshape_status choose_shift(error *err, knn_points *p, const survey *s, const double *mean) {
    double squares = 0;
    bool whole;
    for (size_t c = 0; c < p->m->cols; c++) squares += mean[c] * mean[c];
    choose_scale(p, s, false);
    whole = p->products && is_whole(p, s);
    bool far = p->products && !whole && (s->squares - squares) * FAR_OFF < s->squares;
    p->coarse = p->exact_below > 0 && ldexp(s->squares - squares, -2 * s->lowest) < COARSE;
    if (s->floats && !whole && !far) return GLSHAPE_OK;
    choose_scale(p, s, true);
    p->whole_shift = whole;
    p->exact_values = p->exact_values && whole;
    TRY(allocate(err, &p->shift, p->m->cols, sizeof *p->shift, "means of columns"));
    for (size_t c = 0; c < p->m->cols; c++)
        p->shift[c] = p->scale * (whole ? ldexp(rint(ldexp(mean[c], -s->lowest)), s->lowest)
                                        : fmin(fmax(mean[c], -s->largest), s->largest));
    return GLSHAPE_OK;
}

/* Goes through all values once, each rank through its share; chooses scale and shift. */
static glshape_status survey_points(error *err, const ranks *r, job *j) {
    knn_points *p = j->p;
    size_t columns = p->m->cols;
    uint64_t end, blocks = (p->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    ranks_share(r, blocks, 1, &j->own, &end);
    threads_job work = {.work = survey_rows,
                        .user = j,
                        .blocks = end - j->own,
                        .scratch_bytes = 2 * columns * sizeof(double),
                        .name = "a row"};
    TRY(allocate(err, &j->surveys, blocks, sizeof *j->surveys, "the survey of the points"));
    TRY(allocate(err, &j->sums, blocks, columns * sizeof *j->sums, "sums of columns"));
    TRY(threads_do(err, &work));
    TRY(ranks_gather(r, err, j->surveys, sizeof *j->surveys, blocks, 1));
    TRY(ranks_gather(r, err, j->sums, columns * sizeof *j->sums, blocks, 1));
    survey all = {.lowest = NO_BIT, .floats = true};
    for (uint64_t b = 0; b < blocks; b++) {
        all.largest = larger(all.largest, j->surveys[b].largest);
        if (j->surveys[b].lowest < all.lowest) all.lowest = j->surveys[b].lowest;
        all.floats = all.floats && j->surveys[b].floats;
        all.squares += j->surveys[b].squares;
        for (size_t c = 0; b && c < columns; c++) j->sums[c] += j->sums[b * columns + c];
    }
    p->lowest = all.lowest;
    return choose_shift(err, p, &all, j->sums);
}

/* ---- filling ----------------------------------------------------------------------------------- */

/* A norm in which a row is at least as long as in that of p, and that powers do not make vanish. */
static norm bounding_norm(const knn_points *p) {
    return p->norm.power <= 2 ? p->norm : norm_of(p->norm.p < 2 ? 1 : 2);
}

/* Shifts a scaled row. Returns a bound of how far scaling and rounding to float32 will move the point; it
 * covers the errors of the row in double as well. */
static double shift_row(const knn_points *p, double *row) {
    double moved = 0, length = 0;
    norm n = bounding_norm(p);
    for (size_t c = 0; p->shift && c < p->m->cols; c++) row[c] -= p->shift[c];
    if (p->exact_values) return 0;
    for (size_t c = 0; c < p->m->cols; c++) {
        moved = norm_add(&n, n.power, moved, fabs((float)row[c] - row[c]));
        length = norm_add(&n, n.power, length, row[c]);
    }
    moved = norm_root(&n, moved), length = norm_root(&n, length);
    bool changed = (p->shift && !p->whole_shift) || dist_metric_is_angular(p->metric);
    return 1.001 * moved + (changed ? 0x1p-48 * length : 0);
}

/* Rounds four rows into an element: a texel a column, zeros behind. Adds up the square of each
 * one's length. */
static void put_rows(const knn_points *p, const double *rows, float *out, double *squares) {
    size_t columns = p->m->cols, squares_at = (size_t)p->slice * p->slices;
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < 4; r++) {
            float x = (float)rows[r * columns + c];
            out[4 * c + r] = x;
            squares[r] += (double)x * x;
        }
    memset(out + 4 * columns, 0, 16 * (p->values.texels - columns));
    for (size_t r = 0; p->products && r < 4; r++) out[4 * squares_at + r] = (float)squares[r];
}

/* Makes *most no less than a number that is not negative: its bits are in the same order. */
static void raise_to(_Atomic uint32_t *most, float number) {
    uint32_t bits, was = atomic_load_explicit(most, memory_order_relaxed);
    memcpy(&bits, &number, sizeof bits);
    while (bits > was && !atomic_compare_exchange_weak(most, &was, bits)) {}
}

static double number_of(uint32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Sets the bounds of point i. */
static void bound_point(job *j, uint32_t i, double moved, double square) {
    knn_points *p = j->p;
    p->rounding[i] = moved == 0 ? 0 : nextafterf((float)moved, INFINITY);
    raise_to(&j->most_rounding, p->rounding[i]);
    if (!p->products) return;
    p->length[i] = nextafterf((float)(sqrt(square) * (1 + 0x1p-30)), INFINITY);
    raise_to(&j->longest, p->length[i]);
}

/* Which point is place `at` of the points that are placed; p->n or more: none. */
static uint32_t point_at(const job *j, uint64_t at) {
    if (j->queries) return j->queries[at < j->asked ? at : j->asked - 1].point;
    return j->from + at < j->p->n ? j->from + (uint32_t)at : UINT32_MAX;
}

/* scratch has room for four rows. */
static glshape_status place_quad(error *err, job *j, uint32_t quad, double *scratch) {
    knn_points *p = j->p;
    double squares[4] = {0}, moved[4] = {0};
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t i = point_at(j, 4ull * quad + r);
        double *row = scratch + r * p->m->cols;
        memset(row, 0, p->m->cols * sizeof *row);
        if (i >= p->n) continue;
        TRY(knn_row(err, p, i, row));
        moved[r] = shift_row(p, row);
    }
    put_rows(p, scratch, j->staging + (size_t)(quad - j->first) * 4 * p->values.texels, squares);
    for (uint32_t r = 0; !j->bounded && r < 4; r++) {
        uint32_t i = point_at(j, 4ull * quad + r);
        if (i < p->n) bound_point(j, i, moved[r], squares[r]);
    }
    return GLSHAPE_OK;
}

static glshape_status place_block(error *err, void *user, uint64_t block, void *scratch) {
    job *j = user;
    uint32_t from = (uint32_t)block * j->block;
    for (uint32_t q = from; q < j->count && q - from < j->block; q++)
        TRY(place_quad(err, j, j->first + q, scratch));
    return GLSHAPE_OK;
}

static glshape_status place_quads(gpu *g, void *user, uint32_t first, uint32_t count, void *to) {
    job *j = user;
    uint32_t most = count / (BLOCKS * (uint32_t)(j->team ? threads_team_size(j->team) : 1));
    j->block = most < 1 ? 1 : most < BLOCK_QUADS ? most : BLOCK_QUADS;
    threads_job work = {.work = place_block,
                        .user = j,
                        .team = j->team,
                        .blocks = (count - 1) / j->block + 1,
                        .scratch_bytes = 4 * j->p->m->cols * sizeof(double),
                        .name = "four rows"};
    j->staging = to;
    j->first = first;
    j->count = count;
    TRY(threads_do(run_error(run_of(g)), &work));
    return j->bounded ? GLSHAPE_OK : run_tick(run_of(g), 0);
}

/* Puts the page that begins with quad `page` into the texture. */
static glshape_status fill_page(gpu *g, job *j, uint32_t page) {
    knn_points *p = j->p;
    j->from = 4 * page;
    p->page = page;
    return gpu_fill(g, &p->values, p->values.elements, place_quads, j);
}

/* Goes through all pages; bounds the rounding of their points. */
static glshape_status fill_pages(gpu *g, job *j) {
    knn_points *p = j->p;
    j->team = threads_team_for((p->n - 1) / BLOCK_ROWS + 1);
    for (uint32_t page = 0; page <= (p->n - 1) / 4; page += p->values.elements) TRY(fill_page(g, j, page));
    p->most_rounding = number_of(j->most_rounding);
    double longest = number_of(j->longest);
    if (p->most_rounding > 0) p->exact_below = 0;
    /* |x|², |y|² and thereby what is added up for x·y are less than 2^24 units. */
    p->exact_products = longest * longest < p->exact_below;
    return GLSHAPE_OK;
}

/* ---- points --------------------------------------------------------------------------------------- */

/* Chooses the width of a slice that leaves the fewest columns empty. */
static void choose_slice(const gpu *g, knn_points *p) {
    uint32_t columns = (uint32_t)p->m->cols, best = UINT32_MAX;
    uint32_t wide = p->products ? PRODUCT_SLICE : 16;
    uint32_t most = place_count(g, PLACE_AMOUNT_SLICE);
    if (columns >= SLICED_COLUMNS || most > wide) most = wide;
    for (uint32_t slice = columns < most ? columns : most; slice > most / 2 || slice == columns; slice--) {
        uint32_t slices = (columns + slice - 1) / slice, waste = slice * slices - columns;
        if (waste * 8 < best && slices <= MOST_SLICES) best = waste * 8, p->slice = slice, p->slices = slices;
        if (slice == 1) break;
    }
}

glshape_status knn_points_new(run *run, const ranks *r, const glshape_matrix *m, glshape_metric metric,
                              double power, knn_points *out) {
    error *err = run_error(run);
    OWNED_BY(knn_points_free) knn_points p = {.m = m, .metric = metric, .norm = dist_norm(metric, power)};
    OWNED_BY(job_free) job j = {.p = &p};
    p.n = (uint32_t)m->rows;
    TRY(dist_points_check(err, m));
    if (m->cols > MOST_COLUMNS)
        return fail(err, GLSHAPE_BAD_INPUT, "the input has %zu columns; at most %u can be handled", m->cols,
                    MOST_COLUMNS);
    p.products = p.norm.power == 2 && m->cols >= PRODUCT_COLUMNS && m->cols <= PRODUCT_MOST;
    TRY(survey_points(err, r, &j));
    *out = MOVE(p);
    return GLSHAPE_OK;
}

/* Chooses how many quads the GPU has at a time: all, or whole tiles. */
static uint32_t choose_page(const gpu *g, const knn_points *p, uint32_t texels) {
    uint32_t quads = (p->n - 1) / 4 + 1, tiles = (quads - 1) / TILE_QUADS + 1;
    size_t left = gpu_memory_left(g), all = gpu_texture_bytes(g, GPU_RGBA32F, quads, texels);
    if (p->most_page && p->most_page < tiles) tiles = p->most_page;
    else if (all <= left - left / PAGE_SHARE && left - all >= LEAST_LISTS(quads, texels)) return quads;
    while (tiles > 1 && gpu_texture_bytes(g, GPU_RGBA32F, tiles * TILE_QUADS, texels) > left / PAGE_SHARE)
        tiles = (tiles + 1) / 2;
    return tiles * TILE_QUADS;
}

glshape_status knn_points_upload(gpu *g, knn_points *p) {
    OWNED_BY(job_free) job j = {.p = p};
    choose_slice(g, p);
    uint32_t texels = p->slice * p->slices + (p->products ? LENGTH_TEXELS : 0);
    TRY(allocate(run_error(run_of(g)), &p->rounding, p->n, sizeof *p->rounding, "the rounding of points"));
    if (p->products)
        TRY(allocate(run_error(run_of(g)), &p->length, p->n, sizeof *p->length, "lengths of points"));
    TRY(gpu_texture_new(g, &p->values, "the points", GPU_RGBA32F, choose_page(g, p, texels), texels));
    return fill_pages(g, &j);
}

glshape_status knn_points_show(gpu *g, knn_points *p, uint32_t first, uint32_t *end) {
    OWNED_BY(job_free) job j = {.p = p, .bounded = true};
    uint32_t quads = p->values.elements, page = first / 4 / quads * quads;
    if (*end > 4 * ((uint64_t)page + quads)) *end = 4 * (page + quads);
    if (page == p->page) return GLSHAPE_OK;
    j.team = threads_team_for(4 * quads / BLOCK_ROWS);
    run_fact(run_of(g), 1, "pages of points");
    return fill_page(g, &j, page);
}

glshape_status knn_points_choose(gpu *g, knn_points *p, uint32_t first, const knn_query *queries,
                                 uint32_t count, gpu_texture *out) {
    OWNED_BY(job_free) job j = {.p = p, .bounded = true, .from = first, .queries = queries, .asked = count};
    j.team = threads_team_for(count / BLOCK_ROWS);
    return gpu_fill(g, out, (count - 1) / 4 + 1, place_quads, &j);
}

void knn_points_free(knn_points *p) {
    threads_touched(&p->touching);
    gpu_texture_free(&p->values);
    free(p->shift);
    free(p->rounding);
    free(p->length);
    index_free(&p->space);
    *p = (knn_points){0};
}
