/* knn: the nearest neighbors of every point among all others.
 *
 * In three steps: points.c makes float32 points and the bound of their error; find.c keeps, on the GPU, the
 * candidates of each point by sums in float32; settle.c decides in double. */
#ifndef GLSHAPE_KNN_KNN_H
#define GLSHAPE_KNN_KNN_H

#include "gpu/gpu.h"

/* ---- points.c ---------------------------------------------------------------------------------- */

/* Points on the GPU: (x - shift) · scale, rounded. Rows of length 1 for cosine and correlation. */
typedef struct knn_points {
    const glshape_matrix *m;
    glshape_metric metric;
    uint32_t n;
    uint32_t slice, slices; /* the shader takes `slice` columns at a time; slice · slices ≥ columns */
    gpu_texture values;     /* RGBA32F: element q has points 4q … 4q + 3, a texel a column, zeros behind */
    double scale;           /* a power of two: the largest value becomes 1/2 … 1 */
    double *shift;          /* a column's mean; NULL: 0, as all values are float32's own */
    float *rounding;        /* of each point, at least the distance that rounding moved it */
    double most_rounding;
    double exact_below; /* sums below this are exact: all values are multiples of one number */
} knn_points;

/* m: finite and, for cosine and correlation, rows with a direction; errors as glshape_knn. */
glshape_status knn_points_new(gpu *g, const glshape_matrix *m, glshape_metric metric, knn_points *out);
void knn_points_free(gpu *g, knn_points *p);

/* ---- find.c ------------------------------------------------------------------------------------ */

/* A candidate: bits of a sum of squares (or magnitudes) in float32, and a point. */
typedef struct knn_candidate {
    uint32_t bits, index;
} knn_candidate;
#define KNN_NOTHING 0xffffffffu /* bits and index where there are fewer points than candidates */

/* A search of all points, some rows at a time. */
typedef struct knn_search {
    uint32_t keep;     /* candidates of a point */
    uint32_t capacity; /* room for them in list */
    uint32_t rows;     /* at a time */
    bool shared;       /* through shared memory, which software renderers are slow at */
    gpu_texture list, progress, found;
} knn_search;

/* k ≤ GLSHAPE_KNN_MOST neighbors are wanted; the search keeps a few more. */
glshape_status knn_search_new(gpu *g, const knn_points *p, uint32_t k, knn_search *out);
/* Candidates of points [first, first + rows), or to the last: search->keep each, the least (sum, index)
 * first, never the point itself. first is a multiple of search->rows. */
glshape_status knn_search_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, knn_candidate *out);
void knn_search_free(gpu *g, knn_search *s);

/* ---- settle.c ---------------------------------------------------------------------------------- */

/* Decides the k neighbors of points [first, first + count) from their `keep` candidates each; index and
 * distance are those of the first of them. *scanned grows by the points that had to be compared with all
 * others. */
glshape_status knn_settle(error *err, const knn_points *p, uint32_t first, uint32_t count, uint32_t k,
                          const knn_candidate *candidates, uint32_t keep, uint32_t *index, double *distance,
                          size_t *scanned);

#endif
