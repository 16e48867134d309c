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
void knn_points_free(knn_points *p);

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
    bool both;         /* each pair once, for both: all rows at a time */
    gpu_texture list, progress, found;
    gpu_texture chosen, query, labels; /* across components: see glsl/knn/across.glsl */
} knn_search;

/* k ≤ GLSHAPE_KNN_MOST neighbors are wanted; the search keeps a few more. across: only knn_search_queries. */
glshape_status knn_search_new(gpu *g, const knn_points *p, uint32_t k, bool across, knn_search *out);
/* Candidates of points [first, first + rows), or to the last: search->keep each, the least (sum, index)
 * first, never the point itself. first is a multiple of search->rows. */
glshape_status knn_search_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, knn_candidate *out);
void knn_search_free(knn_search *s);

/* Searches across components: from here on s finds, for some points, candidates among those whose label is
 * not theirs. label: of the n points; to be called again when they have changed. */
glshape_status knn_search_across(gpu *g, knn_search *s, const knn_points *p, const uint32_t *label);
typedef struct knn_query {
    uint32_t point, label;
} knn_query;
/* As knn_search_rows, for 1 … s->rows queries; KNN_NOTHING where there are fewer points to find. */
glshape_status knn_search_queries(gpu *g, knn_search *s, knn_points *p, const knn_query *queries,
                                  uint32_t count, knn_candidate *out);

/* ---- settle.c ---------------------------------------------------------------------------------- */

/* Points whose neighbors are to be decided, and the candidates of each. */
typedef struct knn_settling {
    uint32_t first, count;    /* points [first, first + count); or, if queries, these */
    const knn_query *queries; /* of each only points whose label is not its own count */
    const uint32_t *label;    /* with queries: of all points */
    uint32_t k, keep;
    const knn_candidate *candidates; /* keep for each; 0: each is compared with all */
} knn_settling;

/* Decides k neighbors of each: their indices, and what distances are made of (knn_distance). Sums are those
 * of double precision, column after column, the same from both ends; neighbors go by (sum, index). *scanned
 * grows by the points that had to be compared with all others. */
glshape_status knn_settle(error *err, const knn_points *p, const knn_settling *what, uint32_t *index,
                          double *sum, size_t *scanned);
double knn_distance(const knn_points *p, double sum);
/* The sum of points i and j, that knn_settle would find. row: room for two rows of doubles. */
glshape_status knn_sum(error *err, const knn_points *p, uint32_t i, uint32_t j, double *row, double *sum);

/* ---- knn.c ------------------------------------------------------------------------------------- */

typedef struct knn_cost {
    double find, settle; /* seconds */
    size_t scanned;
} knn_cost;
/* The k neighbors of all points, as knn_settle has them: n × k. */
glshape_status knn_lists(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum, knn_cost *cost);

#endif
