/* Lists of the nearest neighbors of every point among all others, as double precision has them.
 *
 * Points in few dimensions are searched through an index (src/index). Others are compared all with all, in
 * three steps: points.c makes float32 points and bounds their error; search.c finds, on the GPU, candidates
 * for each point by sums in float32; certify.c compares the candidates in double and shows that no other
 * point is nearer. */
#ifndef GLSHAPE_NEIGHBORS_LISTS_H
#define GLSHAPE_NEIGHBORS_LISTS_H

#include "neighbors/search.h"

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

/* ---- lists.c ------------------------------------------------------------------------------------- */

/* What knn_lists adds to: seconds, and points that were compared with all. */
typedef struct knn_cost {
    double search, certify;
    size_t scanned;
} knn_cost;
/* The task of searching for neighbors of the points, or of the queries, of which it makes an index:
 * index_free(queries). */
glshape_status knn_task_in_space(gpu *g, knn_points *p, spatial_index *queries, uint32_t k, index_task *task);
/* Finds the k nearest of all points, or of all queries if there are any: index and sum, as knn_certify has
 * them. On the first rank; to_all: on every rank, unless in space. There sum may be NULL, as for
 * index_nearest. */
glshape_status knn_lists(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum, bool to_all,
                         knn_cost *cost);

/* ---- queries.c --------------------------------------------------------------------------------- */

/* As knn_lists, for this rank's share of the queries, by pairs. */
glshape_status knn_lists_of_queries(gpu *g, knn_points *p, uint32_t k, uint32_t *index, double *sum,
                                    knn_cost *cost);
/* Joins points and queries in one matrix, the queries last; the caller frees out->data. GLSHAPE_BAD_INPUT:
 * queries of another width, none, or with a bad row. */
glshape_status knn_join_queries(error *err, const glshape_matrix *points, const glshape_matrix *queries,
                                glshape_metric metric, glshape_matrix *out);

#endif
