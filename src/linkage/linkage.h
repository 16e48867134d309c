/* linkage: exact single-linkage clustering.
 *
 * The tree is the least spanning tree of all edges {i, j}, ordered by (sum, smaller index, larger index). The
 * sum of a pair is its squared distance in double (Manhattan: its distance; see knn_distance). So the tree
 * does not depend on float32 or on the device. */
#ifndef GLSHAPE_LINKAGE_LINKAGE_H
#define GLSHAPE_LINKAGE_LINKAGE_H

#include "dist/source.h"
#include "neighbors/lists.h"
#include "tree/tree.h"

/* The n - 1 edges of a spanning tree, in any order. */
typedef struct linkage_tree {
    uint32_t n, count;
    uint32_t *i, *j; /* n each */
    double *height;
    uint8_t *part;       /* of each point, as tree_dendrogram takes it, or NULL */
    tree_kept kept;      /* not NULL edges: on the device, by sums, in place of i, j and height … */
    tree_scale scale;    /* … which this makes heights of */
    tree_merges *merges; /* NULL, or what gets the dendrogram, if passes make it */
} linkage_tree;

glshape_status linkage_tree_new(error *err, uint32_t n, linkage_tree *out);
void linkage_tree_free(linkage_tree *t);

/* The tree of points: by linkage_rounds or, in space, by tree_points. Heights are sums. */
glshape_status linkage_points(gpu *g, knn_points *p, const tree_lists *lists, linkage_tree *tree,
                              double *seconds);

/* ---- kept.c ------------------------------------------------------------------------------------ */

/* Sets the parts of the points of an index, if there are many. */
glshape_status linkage_set_parts(error *err, const spatial_index *x, linkage_tree *tree);
/* Whether heights are roots of sums, or sums, times a power of two; *scale then says so. */
bool linkage_has_scale(const knn_points *p, tree_scale *scale);
/* Makes room for the linkage matrix and the edges (NULL: none), which gets its memory aside, while the device
 * works. */
glshape_status linkage_expect_rows(error *err, linkage_tree *t, double **merges, uint32_t **edges);
/* What tree->kept.most is to be: where searches through the index look at very much, pairs are compared. */
double linkage_patience(const knn_points *p);
/* Leaves a tree that is on the device there if the dendrogram is made there; else brings it, with heights. */
glshape_status linkage_keep(gpu *g, knn_points *p, linkage_tree *tree);
/* The linkage matrix and the edges of a tree, in memory that linkage_expect_rows or this makes. */
glshape_status linkage_rows(gpu *g, linkage_tree *t, double **merges, uint32_t **edges);

/* ---- rounds.c ---------------------------------------------------------------------------------- */

/* The tree of points: on the first rank, from its lists; the others take part in searches, for which they
 * need the core distances of lists, if there are any, but no lists. Heights are sums. Adds facts: how many
 * edges the lists certified, how many edges and points were searched for, rounds. Adds the seconds of
 * searches to *seconds. */
glshape_status linkage_rounds(gpu *g, knn_points *p, const tree_lists *lists, linkage_tree *tree,
                              double *seconds);

/* ---- across.c ---------------------------------------------------------------------------------- */

/* Searches by pairs across components. */
typedef struct linkage_across {
    gpu *g;
    knn_points *p;
    const uint32_t *label;    /* of each point, its component */
    const index_cores *cores; /* sums are mutual reachabilities; NULL: they are not */
    size_t scanned;           /* grows by the number of queries that are compared with all */
} linkage_across;
/* Whether so many queries are more than a few. */
bool linkage_is_much(const gpu *g, const knn_points *p, uint32_t count);
/* Whether so many queries are answered by a search of all points, of which each rank has its share. */
bool linkage_is_of_all(const linkage_across *s, uint32_t count, uint32_t ranks);
/* Finds the least edge out of each query: its other end and its sum. all: the ranks search all points
 * together; the queries, in order, are those of this rank's share of the points. */
glshape_status linkage_find_across(linkage_across *s, bool all, const knn_query *queries, uint32_t count,
                                   uint32_t *to, double *sum);
/* The other way of tree_points, by pairs: user is a linkage_across without labels. */
glshape_status linkage_most(void *user, double *most);
glshape_status linkage_answer(void *user, const index_crossing *task);

/* ---- matrix.c ---------------------------------------------------------------------------------- */

/* A matrix of distances that is checked as it is read. Its user is a linkage_checked; a value off the
 * diagonal that is no distance fails, and sets refused. */
typedef struct linkage_checked {
    const glshape_source *source;
    bool refused;
} linkage_checked;
/* It as a dist_reader. */
dist_reader linkage_checked_reader(linkage_checked *c);

/* The tree of a matrix of distances: on the GPU, or on the CPU, which reads each row once (stream.c). One in
 * double precision is the CPU's: a texture would round it. */
glshape_status linkage_matrix(gpu *g, const glshape_source *source, linkage_tree *tree, size_t *components);

/* ---- stream.c ---------------------------------------------------------------------------------- */

/* The tree of a matrix of distances on the CPU. Reads each row once; of row i it uses the first i values. */
glshape_status linkage_stream(run *r, const dist_reader *reader, linkage_tree *tree);

/* ---- sparse.c ---------------------------------------------------------------------------------- */

/* Sparse rows as a matrix of distances that is never stored. A distance is summed in double, term by term in
 * the order of the columns. */
typedef struct linkage_sparse_rows {
    dist_sparse_rows rows;
    bool whole; /* rows are filled with distances; else with sums, and only up to the diagonal, as
                   linkage_stream looks at no more */
} linkage_sparse_rows;
void linkage_sparse_free(linkage_sparse_rows *r);
/* The matrix, read in double. */
glshape_source linkage_sparse_source(linkage_sparse_rows *rows);

/* The tree of sparse rows on the CPU. Computes every distance once and keeps none. */
glshape_status linkage_sparse(gpu *g, const glshape_source *source, linkage_tree *tree);

/* ---- graph.c ----------------------------------------------------------------------------------- */

/* Joins every other component of the forest to that of point 0, at INFINITY. */
glshape_status linkage_join_components(error *err, linkage_tree *tree);
/* The tree of a graph's lengths, which length has in double, or is NULL. Components that no edge connects are
 * joined at INFINITY. */
glshape_status linkage_graph(gpu *g, const glshape_graph *graph, const double *length, linkage_tree *tree,
                             size_t *components);
/* The same of points that may only join along the graph's edges. Heights are sums. */
glshape_status linkage_connected(gpu *g, const knn_points *p, const glshape_graph *graph, linkage_tree *tree,
                                 size_t *components);

#endif
