/* All points compared with all by passes: candidates for the neighbors of each, by sums in single precision.
 */
#ifndef GLSHAPE_NEIGHBORS_SEARCH_H
#define GLSHAPE_NEIGHBORS_SEARCH_H

#include "neighbors/points.h"

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
    bool whole; /* with both: lists come down whole, because they are small */
    double from, to; /* of the progress, while rows or queries are searched; equal: it stays */
    gpu_texture list, progress, found;
    gpu_texture chosen;        /* the rows that are compared with pages, or the queries */
    gpu_texture query, labels; /* for searches across components: see glsl/neighbors/across.glsl */
    bool raised;               /* labels has core distances, too */
} knn_search;

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

/* ---- merge.c ----------------------------------------------------------------------------------- */

/* all: of each list, keep candidates, in order, of each of the first count of `room` points. out: the least
 * of all lists, count × keep. */
glshape_status knn_merge_lists(error *err, const knn_candidate *all, uint32_t lists, uint32_t room,
                               uint32_t keep, uint32_t count, knn_candidate *out);

/* ---- check.c ----------------------------------------------------------------------------------- */

/* *why stays, if it is for the device, where the driver runs the passes of this search rightly: those of
 * knn_search_queries, or of knn_search_rows. With s->both the ranks call this together. */
glshape_status knn_trusts(gpu *g, const knn_points *p, const knn_search *s, bool queries, run_why *why);

/* ---- compare.c --------------------------------------------------------------------------------- */

/* Where candidates are compared in double: `keep` of each point. */
glshape_status knn_compare_place(gpu *g, const knn_points *p, uint32_t keep, run_why *why);
/* Compares the candidates of points first … first + count - 1, which the last search found. index, sum: the k
 * nearest of each among them, as knn_certify has them; KNN_NOTHING behind the last. beyond: as in knn_task.
 */
glshape_status knn_compare(gpu *g, knn_search *s, knn_points *p, uint32_t first, uint32_t count, uint32_t k,
                           uint32_t *index, double *sum, float *beyond);

#endif
