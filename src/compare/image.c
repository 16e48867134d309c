/* Persistence images. A Gaussian at (birth, lifetime) is a product of two, so an image is a product of two
 * matrices, of factors that threads make: passes or threads multiply and add them. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "compare/vectors.h"

#define PI 3.141592653589793

/* One side of the grid. */
typedef struct side {
    double first, last;
    uint32_t count;
} side;

/* Neither overflows where last - first does. */
static double step_of(const side *s) {
    return s->count > 1 ? s->last / (s->count - 1) - s->first / (s->count - 1) : 0;
}

static double sample_of(const side *s, uint32_t at) {
    double part = s->count > 1 ? (double)at / (s->count - 1) : 0;
    return s->first * (1 - part) + s->last * part;
}

static uint32_t nearest(const side *s, double value) {
    double at = rint(value / step_of(s) - s->first / step_of(s));
    return !(at > 0) ? 0 : at > s->count - 1 ? s->count - 1 : (uint32_t)at;
}

static void put(float *out, double value) { *out = fabs(value) < VECTORS_LEAST ? 0 : (float)value; }

/* Goes from the sample at `from`, which is t deviations from the middle, away from it, h deviations a sample:
 * each value is the one before, times a ratio that falls by exp(-h²). No exponential a sample; the error
 * grows with the square of the steps, to 2^-53 · 4096² at most. */
static void go_down(double value, double t, double h, double scale, float *out, ptrdiff_t step,
                    uint32_t count) {
    double ratio = exp(-h * (t + h / 2)), falls = exp(-h * h);
    for (uint32_t k = 0; k < count && value >= VECTORS_LEAST; k++) {
        value *= ratio;
        ratio *= falls;
        out += step;
        put(out, scale * value);
    }
}

/* scale · exp(-(x - middle)² / 2σ²) at the samples of a side, in fours that end with zeros. */
static void gaussian(const side *s, double middle, double bandwidth, double scale, float *out) {
    uint32_t at = nearest(s, middle);
    double t = (sample_of(s, at) - middle) / bandwidth, h = step_of(s) / bandwidth, value = exp(-t * t / 2);
    memset(out, 0, 4 * vectors_fours(s->count) * sizeof *out);
    if (!(value >= VECTORS_LEAST)) return;
    put(out + at, scale * value);
    if (!(h < 64)) return; /* the next one is below VECTORS_LEAST */
    go_down(value, t, h, scale, out + at, 1, s->count - 1 - at);
    go_down(value, -t, h, scale, out + at, -1, at);
}

void image_factors(const vectors *v, size_t pair, float *out) {
    const double *p = v->pairs + 2 * pair;
    const side births = {v->range[0], v->range[1], v->samples},
               lifetimes = {v->range[2], v->range[3], v->levels};
    gaussian(&births, p[0], v->o.bandwidth, v->weight[pair], out);
    gaussian(&lifetimes, fabs(p[1] - p[0]), v->o.bandwidth, 1, out + 4 * vectors_fours(v->samples));
}

float image_value(const vectors *v, float sum) {
    double b = v->o.bandwidth;
    return (float)(sum * v->unit / (2 * PI) / b / b);
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* One pair more in some pixels of a row, a multiple of four. Compilers make vector instructions of the inner
 * loop. */
static void add_row(const float *restrict columns, float row, uint32_t fours, float *restrict high,
                    float *restrict low) {
    for (uint32_t x = 0; x < 4 * fours; x += 4)
        for (uint32_t k = 0; k < 4; k++) {
            float h = high[x + k], term = columns[x + k] * row, sum = h + term, v = sum - h;
            low[x + k] += (h - (sum - v)) + (term - v);
            high[x + k] = sum;
        }
}

/* One pair more in all pixels. Adding 0 changes no sum, so rows and columns of zeros are left out. */
static void add_pair(const vectors *v, const float *columns, const float *rows, float *high, float *low) {
    uint32_t fours = vectors_fours(v->samples), from = 0, end = fours;
    while (from < end && columns[4 * from] == 0 && columns[4 * from + 1] == 0 && columns[4 * from + 2] == 0 &&
           columns[4 * from + 3] == 0)
        from++;
    while (from < end && columns[4 * end - 1] == 0 && columns[4 * end - 2] == 0 &&
           columns[4 * end - 3] == 0 && columns[4 * end - 4] == 0)
        end--;
    for (uint32_t y = 0; y < v->levels; y++) {
        size_t at = 4 * ((size_t)y * fours + from);
        if (rows[y] != 0) add_row(columns + 4 * from, rows[y], end - from, high + at, low + at);
    }
}

static glshape_status make_image(error *err, void *user, uint64_t i, void *scratch) {
    const vectors *v = user;
    size_t width = 4 * vectors_fours(v->samples), pixels = width * v->levels;
    float *high = scratch, *low = high + pixels, *factors = low + pixels, *out = v->values + i * v->columns;
    (void)err;
    memset(high, 0, 2 * pixels * sizeof *high);
    for (size_t k = v->first[i]; k < v->first[i + 1]; k++) {
        image_factors(v, k, factors);
        add_pair(v, factors, factors + width, high, low);
    }
    for (uint32_t y = 0; y < v->levels; y++)
        for (uint32_t x = 0; x < v->samples; x++, out++)
            *out = image_value(v, high[y * width + x] + low[y * width + x]);
    return GLSHAPE_OK;
}

glshape_status image_on_cpu(vectors *v) {
    size_t pixels = 4 * (size_t)vectors_fours(v->samples) * v->levels;
    const threads_job job = {.work = make_image,
                             .user = v,
                             .blocks = v->n,
                             .scratch_bytes = (2 * pixels + 4 * image_texels(v)) * sizeof(float),
                             .name = "an image",
                             .progress = run_go_on,
                             .progress_user = run_of(v->g),
                             .to = 1};
    return threads_do(run_error(run_of(v->g)), &job);
}
