/* dist: where a dissimilarity comes from. A shader that includes "dist/source.glsl", compiled with a source's
 * defines and with its texture at port `given`, can ask for dissimilarities, whatever the source is. */
#ifndef GLSHAPE_DIST_SOURCE_H
#define GLSHAPE_DIST_SOURCE_H

#include "base/norm.h"
#include "gpu/gpu.h"

/* SOURCE of glsl/dist/source.glsl. */
typedef enum { DIST_POINTS, DIST_SPARSE, DIST_MATRIX, DIST_PAGES } dist_kind;

/* Dissimilarities on the GPU are in a scaled unit that suits float32; times `unit` they are the input's. */
typedef struct dist_source {
    gpu_texture values; /* RGBA32F; RGBA32UI if sparse */
    bool sparse, paged; /* paged: a pager fills values, page by page */
    uint32_t n;
    double unit;
    double radius;  /* of a first layout: root mean square distance from the centre, in the scaled unit */
    uint32_t turns; /* loop turns of one call of dissimilarity() */
    dist_kind kind;
    int metric; /* METRIC of glsl/dist/metric.glsl */
    int texels; /* of a row of points */
} dist_source;

void dist_source_free(dist_source *s);

/* check.c: the kinds of sources that a method takes; on a sphere: points by haversine distances, too. */
enum {
    DIST_OF_POINTS = 1,
    DIST_OF_SPARSE = 2,
    DIST_OF_GRAPH = 4,
    DIST_OF_READER = 8,
    DIST_OF_FEEDER = 16,
    DIST_ON_SPHERE = 32
};
/* Refuses a source of which not exactly one kind is set, or one that is not among kinds; a metric, a type or
 * a way of keeping that there is not; values that are not there; and starts and ends that lead out of their
 * arrays. Lengths in double precision are not negative, and finite; other values are for the methods to
 * check. needs: the sentence that says what the method takes. */
glshape_status dist_source_check(error *err, const glshape_source *s, int kinds, const char *needs);
/* Refuses sparse rows whose starts do not ascend, or whose arrays are not there. */
glshape_status dist_sparse_check_shape(error *err, const glshape_sparse *m);

/* points.c: dense rows. Refuses shapes that cannot be laid out: fewer than 2 rows, no columns, too many. */
glshape_status dist_points_check(error *err, const glshape_matrix *m);
/* The rows of m, element e being row order[e] (n entries), made unit rows for cosine and correlation (after
 * the row's mean is taken from it), then centred on the mean row and scaled to largest value 1. m has been
 * checked. Errors: as glshape_mds. */
glshape_status dist_points_new(gpu *g, const glshape_matrix *m, glshape_metric metric, const uint32_t *order,
                               dist_source *out);

/* Row r of m as doubles; for cosine and correlation, of length 1 (and mean 0); for cosine the same bits for
 * every multiple of a row, if its values are doubles. Errors: a value that is not finite, a row that has no
 * direction. */
glshape_status dist_row(error *err, const glshape_matrix *m, glshape_metric metric, size_t r, double *out);
/* The same but for the length: the largest value of a row for cosine and correlation is in [1/2, 1), brought
 * there by a power of two, so that no value of a row for cosine is rounded. */
glshape_status dist_direction(error *err, const glshape_matrix *m, glshape_metric metric, size_t r,
                              double *out);
/* Whether a metric compares directions: half the square of a distance of unit rows. */
static inline bool dist_metric_is_angular(glshape_metric metric) {
    return metric == GLSHAPE_METRIC_COSINE || metric == GLSHAPE_METRIC_CORRELATION;
}

/* metric.c: refuses a metric that there is not, and a p that no Minkowski distance has. */
glshape_status dist_metric_check(error *err, glshape_metric metric, double p);
/* What the distances of rows, as dist_row gives them, are made of; those of a metric that is angular are half
 * the sum. */
norm dist_norm(glshape_metric metric, double p);
/* A power of two. Rows as dist_row gives them have, multiplied by it, a largest value of 1/2 … 1, so that no
 * power of a difference overflows, and none vanishes that counts. 1 for rows of length 1. */
glshape_status dist_scale(error *err, const glshape_matrix *m, glshape_metric metric, double *scale);
/* The distance of two rows as dist_row gives them. */
static inline double dist_of_rows(glshape_metric metric, const norm *n, const double *x, const double *y,
                                  size_t columns) {
    return dist_metric_is_angular(metric) ? norm_sum(n, x, y, columns) / 2 : norm_distance(n, x, y, columns);
}

/* sparse.c: sparse rows as pairs of column and value, memory in proportion to the values. values: those in
 * double precision, or NULL. */
glshape_status dist_sparse_check(error *err, const glshape_sparse *m, const double *values,
                                 glshape_metric metric);
/* The same of any number of rows. */
glshape_status dist_sparse_check_rows(error *err, const glshape_sparse *m, const double *values,
                                      glshape_metric metric);
glshape_status dist_sparse_new(gpu *g, const glshape_sparse *m, glshape_metric metric, const uint32_t *order,
                               dist_source *out);
size_t dist_sparse_bytes(const gpu *g, const glshape_sparse *m);

/* sparse_rows.c: sparse rows in double, for the CPU. */
typedef struct dist_sparse_rows {
    const glshape_sparse *m;
    glshape_metric metric;
    norm norm;
    double *value; /* of m, times scale; cosine: of rows of length 1 */
    double scale;  /* a power of two: the largest value becomes 1/2 … 1 */
} dist_sparse_rows;
/* The rows of a source, by its values in double precision if it has these. Errors: as dist_sparse_check,
 * which it calls. */
glshape_status dist_sparse_rows_new(error *err, const glshape_source *source, dist_sparse_rows *out);
void dist_sparse_rows_free(dist_sparse_rows *r);
/* The sum of rows i and j, column after column. Zeros add nothing: the same rows in dense form have the same
 * sums. */
double dist_sparse_sum(const dist_sparse_rows *r, size_t i, size_t j);
/* The distance that a sum stands for, in the unit of the input. */
double dist_sparse_distance(const dist_sparse_rows *r, double sum);

/* sparsify.c: makes *out of m as sparse rows, if the rows are wide and mostly zero. Otherwise, or if a value
 * cannot be used (dist_points_new then says which), out->start is NULL. GLSHAPE_NO_MEMORY. */
glshape_status dist_sparsify(error *err, const glshape_matrix *m, glshape_metric metric, glshape_sparse *out);
void dist_sparsify_free(glshape_sparse *rows);

/* table.c: replaces dense or sparse rows by the matrix of their dissimilarities, in the same unit. */
glshape_status dist_tabulate(gpu *g, dist_source *s);
size_t dist_table_bytes(const gpu *g, uint32_t n);

/* matrix.c: a whole matrix, row by row from its reader. */
typedef struct dist_reader {
    glshape_row_reader read;
    glshape_double_reader read_double; /* NULL: values are those of read; else it is called in place of read,
                                          where callers ask for doubles */
    void *user;
    uint32_t n;
    double unit; /* divides what is read */
    bool alone;  /* read may not be called from several threads at once: it has threads of its own */
} dist_reader;
/* The sentence that a caller's function wrote into message, of size bytes, before it failed. It may have
 * filled all of them, or none. */
const char *dist_reason(char *message, size_t size);
/* Asks the feeder of a source for count pairs; NaN stays NaN. GLSHAPE_IO_ERROR: it failed; GLSHAPE_BAD_INPUT:
 * a distance that is negative or infinite. */
glshape_status dist_ask_feeder(error *err, const glshape_source *s, size_t count, const uint32_t *i,
                               const uint32_t *j, float *out);
/* Reads count rows from `first` on, scaled. Missing values become DIST_NONE; *missing (may be NULL) grows by
 * their number. */
glshape_status dist_read_rows(error *err, const dist_reader *r, uint32_t first, uint32_t count, float *out,
                              uint64_t *missing);
#define DIST_NONE 3e38f
glshape_status dist_matrix_new(gpu *g, const dist_reader *r, const uint32_t *order, dist_source *out);
/* The same without scaling; NaN stays NaN. */
glshape_status dist_read_raw(error *err, const dist_reader *r, uint32_t first, uint32_t count, float *out);
/* The same in double precision, from whichever function there is. */
glshape_status dist_read_doubles(error *err, const dist_reader *r, uint32_t first, uint32_t count,
                                 double *out);
/* The same, as a glshape_double_reader. */
bool dist_ask_doubles(const dist_reader *r, uint32_t first, uint32_t count, double *out, char *message,
                      size_t size);
/* Makes a texture, named label, of the whole matrix, scaled: element e has row order[e], its columns in the
 * order of the elements, too; order NULL: all as they are. finish (may be NULL) may change each row before it
 * is sent; several threads call it. */
typedef void dist_row_finish(uint32_t e, uint32_t n, float *row);
glshape_status dist_upload_matrix(gpu *g, const dist_reader *r, const uint32_t *order, const char *label,
                                  dist_row_finish *finish, gpu_texture *out);
/* As dist_read_rows, by threads; rows are padded with zeros to `width` values. *missing: of each row. */
glshape_status dist_make_rows(error *err, const dist_reader *r, uint32_t first, uint32_t count,
                              uint32_t width, float *out, uint64_t *missing);

/* weights.c. dist_weights_check: reads the weights of all pairs, and sets r->unit to the largest.
 * GLSHAPE_BAD_INPUT, with row and column: one that is negative, NaN or infinite; with the row: a point that
 * has none but 0. dist_weights_new: does so, and brings them to the GPU in the order of the elements
 * (glsl/mds/weights.glsl has the form). */
glshape_status dist_weights_check(run *run, dist_reader *r);
glshape_status dist_weights_new(gpu *g, dist_reader *r, const uint32_t *order, gpu_texture *out);

#endif
