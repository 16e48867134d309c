/* Points that search for neighbors, as the passes and the processors have them; what sums and distances are;
 * an index of the points.
 *
 * The sum of two points is what their distance is made of (base/norm.h): for Euclidean, the sum over the
 * columns of squared differences. Neighbors are ordered by (sum, index). */
#ifndef GLSHAPE_NEIGHBORS_POINTS_H
#define GLSHAPE_NEIGHBORS_POINTS_H

#include "gpu/gpu.h"
#include "index/index.h"

#define KNN_TILE 128u       /* points that are compared with as many at a time */
#define KNN_PAIRS_MOST 128u /* neighbors that a search by pairs finds of a point */

/* A point that searches among those of another label. */
typedef struct knn_query {
    uint32_t point, label;
} knn_query;

/* ---- points.c ---------------------------------------------------------------------------------- */

/* Points on the GPU: x · scale - shift, rounded to float32. For cosine and correlation the rows have length
 * 1. */
typedef struct knn_points {
    const glshape_matrix *m; /* the caller's; it must live as long */
    glshape_metric metric;
    norm norm; /* what sums are made of */
    uint32_t n;
    uint32_t queries;       /* of them, the last ones: they search, and are not searched among */
    uint32_t slice, slices; /* the shader takes `slice` columns at a time; slice · slices ≥ columns */
    bool products;          /* squares of distances are found from products at first: slices are for that */
    gpu_texture values; /* RGBA32F: element q has points 4q … 4q + 3, a texel a column, zeros behind; then,
                           with products, the squares of their lengths. Of all points, or of a page */
    uint32_t page;      /* the first of the quads that are there */
    uint32_t most_page; /* tiles of a page, at most; 0: as many as have room */
    double scale;       /* a power of two: the largest value becomes 1/2 … 1 */
    double *shift;      /* of each column, about its mean, scaled; NULL: 0 */
    bool whole_shift;   /* the shift rounds nothing */
    float *rounding;    /* of each point: how far, at most, rounding has moved it */
    double most_rounding; /* the largest of these */
    double exact_below;   /* sums in float32 below this are exact: all values are multiples of one number */
    bool by_rows;         /* the pairs of all points at once are not for these */
    bool coarse;          /* sums are a few whole numbers, so that many are equal */
    float *length;        /* with products: of each point on the GPU, no less than its length */
    bool
        exact_values; /* the values on the GPU are those of the matrix, but for the scale; none is denormal */
    bool exact_products;        /* sums from products below exact_below are exact, too */
    glshape_search search;      /* how neighbors are found: as the caller says */
    bool joins;                 /* a search across components will follow; the index may stay on the GPU */
    bool lists_only;            /* none but knn_lists searches in space, and sums may become distances … */
    bool distances;             /* … which knn_lists says that they are */
    threads_touching *touching; /* of the results' memory */
    int lowest;                 /* all values of m are multiples of 2^lowest */
    spatial_index space;        /* the rows as knn_certify has them, once knn_in_space has said so */
    bool in_pairs;              /* knn_in_space has said no */
    bool untrusted;             /* the driver is not trusted with pairs: knn_in_space knows of no device */
} knn_points;

/* power: p of Minkowski. m must be finite and, for cosine and correlation, have rows with a direction; errors
 * as glshape_knn. On the GPU there is nothing, before a search is made. r: the ranks that make this call
 * together. */
glshape_status knn_points_new(run *run, const ranks *r, const glshape_matrix *m, glshape_metric metric,
                              double power, knn_points *out);
/* Makes the float32 points. knn_search_new does so where it is to be done. If the GPU has no room for all, or
 * no such texture, a page of them is there. */
glshape_status knn_points_upload(gpu *g, knn_points *p);
static inline bool knn_is_paged(const knn_points *p) { return p->values.elements <= (p->n - 1) / 4; }
/* Has the page with point `first` there; *end becomes its end, if it is more. */
glshape_status knn_points_show(gpu *g, knn_points *p, uint32_t first, uint32_t *end);
/* Puts points side by side into the first quads of a texture as values is: those of the queries or, if these
 * are NULL, first, first + 1, … */
glshape_status knn_points_choose(gpu *g, knn_points *p, uint32_t first, const knn_query *queries,
                                 uint32_t count, gpu_texture *out);
void knn_points_free(knn_points *p);

/* ---- certify.c --------------------------------------------------------------------------------- */

/* How often, at most, a sum in float32 is rounded: its relative error is so many times 2^-24. */
double knn_terms(const knn_points *p);
/* Row i as sums are made of it: an index_reader of knn_points. */
glshape_status knn_row(error *err, const void *points, uint32_t i, double *out);
/* Rows first … first + count - 1, as an index is made of them. */
index_source knn_source(const knn_points *p, uint32_t first, uint32_t count);
/* The largest sum that stands for a distance of at most `distance`; negative if none does. */
double knn_sum_within(const knn_points *p, double distance);
/* The distance, in the unit of the input, that a sum stands for. */
double knn_distance(const knn_points *p, double sum);
/* Makes sums the distances that they stand for; INFINITY stays. */
void knn_distances(const knn_points *p, double *sum, size_t count);
/* The sum of points i and j, as knn_certify has it. rows: room for two rows of doubles. */
glshape_status knn_sum(error *err, const knn_points *p, uint32_t i, uint32_t j, double *rows, double *sum);

/* ---- choose.c ---------------------------------------------------------------------------------- */

/* Whether the k nearest are found through an index of the points, as p->search says or as a sample of them
 * tells; if so, p->space is there: on the first rank, which then works alone. GLSHAPE_BAD_ARGUMENT: it is not
 * possible as p->search says. */
glshape_status knn_in_space(gpu *g, knn_points *p, uint32_t k, bool *so);
/* How many points a search through the index may look at, on average, and be as quick as one by pairs;
 * INFINITY: pairs are not for the GPU. */
glshape_status knn_most_seen(gpu *g, const knn_points *p, double *most);
/* Makes p->space, if it is not there. k: so many neighbors will be searched, at most. GLSHAPE_BAD_ARGUMENT:
 * too many columns. */
glshape_status knn_index_points(gpu *g, knn_points *p, uint32_t k);
/* Makes an index, by passes or on the CPU. */
glshape_status knn_make_index(gpu *g, const index_source *s, spatial_index *out);
/* Where pairs are compared: by passes, or by the processors alone. The same on all ranks. */
glshape_status knn_pairs_place(gpu *g, const knn_points *p, run_why *why);

#endif
