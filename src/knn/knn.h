/* knn: the nearest neighbors of every point among all others, as double precision has them.
 *
 * Points in few dimensions are searched through an index (src/index). Others are compared all with all, in
 * three steps: points.c makes float32 points and bounds their error; search.c finds, on the GPU, candidates
 * for each point by sums in float32; certify.c compares the candidates in double and shows that no other
 * point is nearer.
 *
 * The sum of two points is what their distance is made of (base/norm.h): for Euclidean, the sum over the
 * columns of squared differences. Neighbors are ordered by (sum, index). */
#ifndef GLSHAPE_KNN_KNN_H
#define GLSHAPE_KNN_KNN_H

#include "gpu/gpu.h"
#include "index/index.h"

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

/* ---- search.c ---------------------------------------------------------------------------------- */

/* A candidate: the bits of a sum in float32, and a point. */
typedef struct knn_candidate {
    uint32_t bits, index;
} knn_candidate;
#define KNN_NOTHING 0xffffffffu /* bits and index where there are fewer points than candidates */

/* Whether the first candidate of a point says that its list had no room: then it has none. */
static inline bool knn_is_given_up(const knn_candidate *first) {
    return first->index == KNN_NOTHING && !first->bits;
}

/* A search of all points, some rows at a time. */
typedef struct knn_search {
    uint32_t keep;     /* candidates of a point that a search returns */
    uint32_t capacity; /* candidates of a point that list has room for */
    uint32_t rows;     /* searched at a time: whole tiles */
    uint32_t parts;    /* of the points: each query is compared with each of them apart */
    bool shared;       /* tiles pass through shared memory, which is slow on software renderers */
    bool products;     /* sums are found from products: faster, of a larger error; knn_points_upload has
                          prepared the points for it */
    bool both;  /* each pair is computed once, for both its points; needs all rows at a time. A point that
                   too many came near to, before its limit was known, has no candidates */
    bool alone; /* with both: no other rank takes part */
    double from, to; /* of the progress, while rows or queries are searched; equal: it stays */
    gpu_texture list, progress, found;
    gpu_texture chosen;        /* the rows that are compared with pages, or the queries */
    gpu_texture query, labels; /* for searches across components: see glsl/knn/across.glsl */
    bool raised;               /* labels has core distances, too */
} knn_search;

#define KNN_TILE 128u /* points that are compared with as many at a time */
#define KNN_PAIRS_MOST 128u
/* Prepares a search for k ≤ KNN_PAIRS_MOST neighbors; it keeps a few candidates more. across: it will be
 * used by knn_search_queries only. GLSHAPE_NO_GPU_MEMORY. */
glshape_status knn_search_new(gpu *g, knn_points *p, uint32_t k, bool across, knn_search *out);
/* Finds the candidates of points first … first + count - 1: s->keep of each, those of least (sum, index),
 * never the point itself. count is at most s->rows; first is a multiple of KNN_TILE. With s->both: of this
 * rank's share of the points, which first and count name; the ranks call this together. They stay on the GPU.
 */
glshape_status knn_search_rows(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t count);
/* Brings candidates that the last search found: of points first … first + count - 1, which may be fewer. */
glshape_status knn_take(gpu *g, knn_search *s, uint32_t first, uint32_t count, knn_candidate *out);
void knn_search_free(knn_search *s);

/* Gives the n points labels. From now on s searches for queries, among the points whose label is not the
 * query's. With s->both, on one rank and without cores, all points are the queries, by knn_search_rows, which
 * pays if half of them are asked for. To be called again when labels have changed. cores: candidates are
 * those of least mutual reachability, times alpha. Each core distance is rounded up so far that it is no less
 * than the sum in float32 of a pair that it raises: all pairs that have the core distance of their query are
 * equal. NULL: there are none. */
glshape_status knn_search_across(gpu *g, knn_search *s, const knn_points *p, const uint32_t *label,
                                 const index_cores *cores);
/* As knn_search_rows, for 1 … s->rows queries. Behind the last candidate of a query: KNN_NOTHING. Where the
 * driver's passes are not right, queries have no candidates, as if their lists had no room. */
glshape_status knn_search_queries(gpu *g, knn_search *s, knn_points *p, const knn_query *queries,
                                  uint32_t count, knn_candidate *out);

/* Adds candidates of all points to empty lists: given has s->keep of each. */
glshape_status knn_join_lists(gpu *g, knn_search *s, const knn_points *p, gpu_texture *given);

/* ---- check.c ----------------------------------------------------------------------------------- */

/* *why stays, if it is for the device, where the driver runs the passes of this search rightly: those of
 * knn_search_queries, or of knn_search_rows. With s->both the ranks call this together. */
glshape_status knn_trusts(gpu *g, const knn_points *p, const knn_search *s, bool queries, run_why *why);

/* ---- compare.c --------------------------------------------------------------------------------- */

/* Where candidates are compared in double. */
glshape_status knn_compare_place(gpu *g, const knn_points *p, run_why *why);
/* Compares the candidates of points first … first + count - 1, which the last search found. index, sum: the k
 * nearest of each among them, as knn_certify has them; KNN_NOTHING behind the last. beyond: as in knn_task.
 */
glshape_status knn_compare(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t count, uint32_t k,
                           uint32_t *index, double *sum, float *beyond);

/* ---- certify.c --------------------------------------------------------------------------------- */

/* Points whose k nearest are wanted, and the candidates of each. */
typedef struct knn_task {
    uint32_t first, count;    /* points first … first + count - 1; with queries, these */
    const knn_query *queries; /* NULL, or count queries: only points with another label are neighbors */
    const uint32_t *label;    /* with queries: of all points */
    const index_cores *cores; /* sums are mutual reachabilities; NULL: they are not */
    uint32_t k, keep;
    const knn_candidate *candidates; /* keep of each point; keep 0: each point is compared with all */
    const float *beyond; /* not NULL: knn_compare has compared them. Of each point: no other has a lesser
                            sum in float32; NAN: its list had no room */
    bool products;       /* their sums are from products */
    uint8_t *open; /* of each point: whether it could not be certified; such a point is then left without
                      neighbors. NULL: it is compared with all */
} knn_task;

/* Finds the k nearest of each point: index and sum, count × k. Sums are those of double precision, added
 * column after column, the same from both ends. A point whose candidates cannot be certified is compared with
 * all others; *scanned grows by the number of these. GLSHAPE_NO_MEMORY. */
glshape_status knn_certify(error *err, const knn_points *p, const knn_task *task, uint32_t *index,
                           double *sum, size_t *scanned);

/* ---- decide.c ---------------------------------------------------------------------------------- */

/* As knn_certify, of candidates that s has found, on the GPU; points that these cannot certify are searched
 * again by differences, before they are compared with all. With s->both, where the ranks call this together,
 * *again says that nothing is decided, and that a new search, another way, is to be made. NULL: it never is.
 */
glshape_status knn_decide(gpu *g, knn_points *p, knn_search *s, const knn_task *task, uint32_t *index,
                          double *sum, size_t *scanned, bool *again);

/* ---- certify.c, more --------------------------------------------------------------------------- */

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

/* ---- knn.c ------------------------------------------------------------------------------------- */

/* What knn_lists adds to: seconds, and points that were compared with all. */
typedef struct knn_cost {
    double search, certify;
    size_t scanned;
} knn_cost;
/* Finds the k nearest of all points, or of all queries if there are any: index and sum, as knn_certify has
 * them. On the first rank; to_all: on every rank, unless in space. There sum may be NULL, as for
 * index_nearest. */
glshape_status knn_lists(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum, bool to_all,
                         knn_cost *cost);

/* ---- merge.c ----------------------------------------------------------------------------------- */

/* all: of each list, keep candidates, in order, of each of the first count of `room` points. out: the least
 * of all lists, count × keep. */
glshape_status knn_merge_lists(error *err, const knn_candidate *all, uint32_t lists, uint32_t room,
                               uint32_t keep, uint32_t count, knn_candidate *out);

/* ---- queries.c --------------------------------------------------------------------------------- */

/* As knn_lists, for this rank's share of the queries, by pairs. */
glshape_status knn_lists_of_queries(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum,
                                    knn_cost *cost);
/* Joins points and queries in one matrix, the queries last; the caller frees out->data. GLSHAPE_BAD_INPUT:
 * queries of another width, none, or with a bad row. */
glshape_status knn_join_queries(error *err, const glshape_matrix *points, const glshape_matrix *queries,
                                glshape_metric metric, glshape_matrix *out);

#endif
