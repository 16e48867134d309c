#include "rips/distances.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

#define MOST_POINTS 65535u /* n² elements of a texture are counted in 32 bits */
#define ROWS 16u           /* at a time */

/* ---- points ------------------------------------------------------------------------------------ */

typedef struct point_work {
    const float *rows;
    size_t width;
    glshape_metric metric;
    rips_space *s;
} point_work;

static float euclidean(const float *x, const float *y, size_t width) {
    float sum = 0;
    for (size_t c = 0; c < width; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sqrtf(sum);
}

static float manhattan(const float *x, const float *y, size_t width) {
    double sum = 0;
    for (size_t c = 0; c < width; c++) sum += fabs((double)x[c] - (double)y[c]);
    return (float)sum;
}

/* 1 - x·y/(|x||y|) as half the square of the difference of the unit vectors: near 0 nothing cancels. */
static float cosine(const float *x, const float *y, size_t width) {
    double xx = 0, yy = 0, sum = 0;
    for (size_t c = 0; c < width; c++) xx += (double)x[c] * x[c], yy += (double)y[c] * y[c];
    xx = 1 / sqrt(xx), yy = 1 / sqrt(yy);
    for (size_t c = 0; c < width; c++) {
        double difference = x[c] * xx - y[c] * yy;
        sum += difference * difference;
    }
    return (float)(sum / 2);
}

static void compare_row(void *of, size_t i) {
    const point_work *w = of;
    rips_space *s = w->s;
    i = s->n - 1 - i; /* the long rows first */
    const float *x = w->rows + i * w->width;
    for (size_t j = 0; j < i; j++) {
        const float *y = w->rows + j * w->width;
        float d = w->metric == GLSHAPE_EUCLIDEAN   ? euclidean(x, y, w->width)
                  : w->metric == GLSHAPE_MANHATTAN ? manhattan(x, y, w->width)
                                                   : cosine(x, y, w->width);
        s->distance[i * s->n + j] = s->distance[j * s->n + i] = d;
    }
}

/* Row r as floats, its mean taken away for correlation. */
static glshape_status take_row(error *err, const glshape_matrix *m, glshape_metric metric, size_t r,
                               float *out) {
    double sum = 0, squares = 0, mean;
    for (size_t c = 0; c < m->cols; c++) {
        size_t k = r * m->cols + c;
#define GLSHAPE_TAKE(name, ctype, code)              \
    case name:                                       \
        out[c] = (float)((const ctype *)m->data)[k]; \
        break;
        switch (m->type) { GLSHAPE_TYPES(GLSHAPE_TAKE) }
#undef GLSHAPE_TAKE
        if (!isfinite(out[c]))
            return fail(err, GLSHAPE_BAD_INPUT,
                        "row %zu, column %zu: %g is no finite single-precision number", r + 1, c + 1,
                        (double)out[c]);
        sum += out[c];
    }
    mean = metric == GLSHAPE_CORRELATION ? sum / (double)m->cols : 0;
    for (size_t c = 0; c < m->cols; c++) {
        out[c] = (float)(out[c] - mean);
        squares += (double)out[c] * out[c];
    }
    if (squares > 0 || metric == GLSHAPE_EUCLIDEAN || metric == GLSHAPE_MANHATTAN) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "row %zu is %s: it has no direction to compare; remove it", r + 1,
                metric == GLSHAPE_COSINE ? "zero" : "constant");
}

static glshape_status of_points(error *err, const glshape_matrix *m, glshape_metric metric, int threads,
                                rips_space *s) {
    float *rows;
    TRY(allocate(err, &rows, times(m->rows, m->cols), sizeof *rows, "the points"));
    glshape_status status = GLSHAPE_OK;
    for (size_t r = 0; r < m->rows && !status; r++) status = take_row(err, m, metric, r, rows + r * m->cols);
    point_work work = {rows, m->cols, metric, s};
    if (!status) threads_run(threads, s->n, compare_row, &work);
    free(rows);
    return status;
}

/* ---- a matrix ---------------------------------------------------------------------------------- */

typedef struct matrix_work {
    const glshape_source *source;
    rips_space *s;
    atomic_flag failed;
    atomic_bool stop;
    char message[512];
} matrix_work;

static void read_rows(void *of, size_t block) {
    matrix_work *w = of;
    char message[512] = "";
    uint32_t n = w->s->n, first = (uint32_t)block * ROWS, count = n - first < ROWS ? n - first : ROWS;
    if (atomic_load(&w->stop)) return;
    if (w->source->reader(w->source->user, first, count, w->s->distance + (size_t)first * n, message,
                          sizeof message))
        return;
    atomic_store(&w->stop, true);
    if (!atomic_flag_test_and_set(&w->failed)) memcpy(w->message, message, sizeof message);
}

/* The lower triangle is what counts, as Ripser has it. */
static glshape_status check_rows(error *err, rips_space *s) {
    for (size_t i = 0; i < s->n; i++) {
        s->distance[i * s->n + i] = 0;
        for (size_t j = 0; j < i; j++) {
            float d = s->distance[i * s->n + j];
            if (d < 0 || isnan(d))
                return fail(err, GLSHAPE_BAD_INPUT, "row %zu, column %zu: %g is no distance", i + 1, j + 1,
                            (double)d);
            s->distance[i * s->n + j] = s->distance[j * s->n + i] = d + 0.0f; /* -0 is 0 */
        }
    }
    return GLSHAPE_OK;
}

static glshape_status of_reader(error *err, const glshape_source *source, int threads, rips_space *s) {
    matrix_work work = {.source = source, .s = s, .failed = ATOMIC_FLAG_INIT};
    threads_run(threads, (s->n + ROWS - 1) / ROWS, read_rows, &work);
    if (atomic_load(&work.stop)) return fail(err, GLSHAPE_IO_ERROR, "%s", work.message);
    return check_rows(err, s);
}

glshape_status rips_distances(error *err, const glshape_source *source, int threads, rips_space *s) {
    size_t n = source->points ? source->points->rows : source->n;
    if (!source->points && !source->reader)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "rips needs points or a matrix of distances");
    if (n > MOST_POINTS)
        return fail(err, GLSHAPE_BAD_INPUT, "%zu points: a dense matrix may have %u; give sparse distances",
                    n, MOST_POINTS);
    s->n = (uint32_t)n;
    TRY(allocate(err, &s->distance, n * n, sizeof *s->distance, "the matrix of distances"));
    return source->points ? of_points(err, source->points, source->metric, threads, s)
                          : of_reader(err, source, threads, s);
}

float rips_enclosing_radius(const rips_space *s) {
    float radius = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        float most = 0;
        for (size_t j = 0; j < s->n; j++) most = fmaxf(most, s->distance[i * s->n + j]);
        radius = fminf(radius, most);
    }
    return radius;
}
