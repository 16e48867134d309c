/* tree: spanning forests of least weight, and what is read off them: dendrograms and the elder rule.
 *
 * Every order here is total: edges go by (weight, smaller end, larger end), vertices by (value, index). The
 * forest is therefore the only one possible, whatever the device, with equal weights, zeros and edges
 * given twice. A method whose ties fall the other way (greater ends first) gives vertex v as n-1-v. */
#ifndef GLSHAPE_TREE_TREE_H
#define GLSHAPE_TREE_TREE_H

#include <string.h>

#include "index/index.h"

/* Edges {i[k], j[k]}, in any order and direction. An edge from a vertex to itself is ignored; of parallel
 * edges the first in the order counts. Edges are ordered by weight (not NaN; -0 is 0), or by rank (any but
 * TREE_NONE) if weight is NULL. */
typedef struct tree_graph {
    uint32_t n;
    size_t count; /* below 2^32 - 1 */
    const uint32_t *i, *j;
    const float *weight;
    const uint32_t *rank;
    bool maximum; /* the greatest weight first, then the smaller ends as always; only with weight */
} tree_graph;

/* The edges of a spanning forest, in order. i[k] < j[k]. Owned by the caller: tree_forest_free. */
typedef struct tree_forest {
    uint32_t count, components;
    uint32_t rounds; /* 0 if the CPU found it */
    uint32_t *i, *j;
    float *weight;  /* NULL if the graph had ranks */
    uint32_t *rank; /* NULL if it had weights */
} tree_forest;

/* The least (or greatest) spanning forest, by Borůvka's rounds on the GPU; on the CPU if edges are few or the
 * device is emulated, unless it is named. 40 bytes of texture an edge, 32 a vertex. Fails with
 * GLSHAPE_BAD_ARGUMENT (an end outside 0 … n-1, NaN, with the edge's index), and as gpu_texture_new and
 * gpu_execute do; *out is then zeroed. */
glshape_status tree_mst(gpu *g, const tree_graph *graph, tree_forest *out);

#define TREE_NO_EDGE 3e38f

/* The same of a complete graph from its symmetric matrix in a texture: R32F with n·n elements (i·n + j), or
 * RGBA32F as dist/matrix.c makes it (n elements of ceil(n / 4) texels; element i has row i, four a texel).
 * The diagonal is ignored. A value of TREE_NO_EDGE or more is no edge; NaN must not occur. */
glshape_status tree_mst_dense(gpu *g, gpu_texture *matrix, uint32_t n, bool maximum, tree_forest *out);

/* *why stays, if it is for the device, where the driver runs the programs of tree_mst_dense rightly; if not,
 * the CPU is to find the tree. packed: of RGBA32F (check.c). */
glshape_status tree_trusts_dense(gpu *g, bool packed, run_why *why);

/* Lists of neighbors in textures: of each of n points, and one more, where its list begins (R32UI), and of
 * each place the neighbor (R32UI) and the weight (R32F), below TREE_NO_EDGE. Each edge is in the lists of
 * both ends. */
typedef struct tree_neighbors {
    gpu_texture *start, *neighbor, *length;
} tree_neighbors;

/* The same from these. Vertex v of the forest is point n - 1 - v of the lists. */
glshape_status tree_mst_lists(gpu *g, const tree_neighbors *lists, uint32_t n, tree_forest *out);
/* As tree_trusts_dense(). */
glshape_status tree_trusts_lists(gpu *g, run_why *why);

/* The same on the CPU (jarnik.c), from a symmetric matrix in memory, element i·n + j, least weight first;
 * only INFINITY is no edge. backwards: vertex v of the forest is point n-1-v of the matrix. */
glshape_status tree_mst_rows(error *err, const float *matrix, uint32_t n, bool backwards, tree_forest *out);

void tree_forest_free(tree_forest *f);

/* ---- points ------------------------------------------------------------------------------------ */

/* The edges of a spanning tree of n points, n - 1, in no order: ends by their indices, i < j, and the sum
 * (see index/index.h). The caller's arrays. */
typedef struct tree_edges {
    uint32_t *i, *j;
    double *sum;
} tree_edges;

/* What is known of the edges of each point v: those to the other ends index[v · k + e], e < listed[v], in the
 * order of (sum, other end). No other edge of v comes before the one that stands last, at e = k - 1. */
typedef struct tree_lists {
    uint32_t k;
    const uint32_t *index; /* n × k */
    const double *sum;     /* n × k; NULL: points go by their positions, as index_nearest makes such lists */
    const uint16_t *listed;   /* n; NULL: all k are listed, as index_nearest and knn_lists make them */
    const index_cores *cores; /* sums are mutual reachabilities; NULL: they are not */
} tree_lists;

/* Another way to answer an index_crossing: `answer` sets found and sum. It is taken where searches through
 * the index would look at more than *most points, on average; most is asked for where there is much to
 * search. */
typedef struct tree_other_way {
    glshape_status (*most)(void *user, double *most);
    glshape_status (*answer)(void *user, const index_crossing *task);
    void *user;
} tree_other_way;

/* Finds the spanning tree of least weight of the points of an index, by order (sum, i, j); on the CPU, with
 * searches on the GPU (points.c). */
glshape_status tree_points(gpu *g, const spatial_index *x, const tree_lists *lists,
                           const tree_other_way *other, tree_edges *out);

/* The tree of points on the device: n elements {high word of the sum, low word, smaller end, larger end}, in
 * no order; element `hole` is none. (points_by_passes.c) */
typedef struct tree_kept {
    gpu_texture edges;
    uint32_t hole;
    threads_touching *touching; /* NULL, or of the memory that tree_dendrogram_kept writes to */
    threads_touching **of_core; /* NULL, or of the memory of core distances */
    void (*meanwhile)(gpu *g);  /* NULL, or called while the device searches */
    double most; /* 0, or how many turns of long searches a point may cost, on average: where it is more, the
                    edges are given up, and have no id */
} tree_kept;
void tree_kept_free(tree_kept *t);
/* Heights as sums stand for them: their roots or they themselves, times a double, which is a power of two. */
typedef struct tree_scale {
    bool root;
    double factor;
} tree_scale;

/* Whether the lists and the tree of the points of an index are found by passes. */
glshape_status tree_points_place(gpu *g, const spatial_index *x, uint32_t k, run_why *why);
/* Finds them, 1 ≤ k neighbors of each of n ≥ 2 points. Needs no points of the index in host memory.
 * GLSHAPE_NO_GPU_MEMORY. GLSHAPE_GPU_ERROR: the device computes what cannot be. */
glshape_status tree_points_kept(gpu *g, spatial_index *x, uint32_t k, tree_kept *out);
/* The same by mutual reachability (index_cores, of alpha 1). The core distance of a point is the sum of its
 * neighbor `within`, or 0 for none; core gets, by index, what it stands for. */
glshape_status tree_raised_place(gpu *g, const spatial_index *x, uint32_t within, bool root, run_why *why);
glshape_status tree_raised_kept(gpu *g, spatial_index *x, uint32_t within, const tree_scale *scale,
                                double *core, tree_kept *out);
/* Brings the edges to host memory. */
glshape_status tree_kept_bring(gpu *g, tree_kept *t, tree_edges *out);

/* ---- one round after another ------------------------------------------------------------------ */

/* For callers who find candidates by other means. In a Borůvka round the caller sets, for each vertex v,
 * key[v] and to[v] to v's candidate: its best edge into another component (label[to[v]] != label[v]), or
 * key[v] = TREE_NONE. tree_boruvka_merge does the rest. A candidate remains v's best edge until its other end
 * joins v's component, because edges only drop out. Only the best candidate of each component has to be
 * right: other vertices may name worse edges, or none. */
#define TREE_NONE 0xffffffffu
typedef struct tree_boruvka {
    uint32_t n, components, rounds;
    gpu_texture label;   /* R32UI: a vertex of v's component, the same for all of it */
    gpu_texture key, to; /* R32UI. The key of a weight: tree_key; in shaders, ordered() of lib/ordered.glsl,
                            its complement for maximum. At first all TREE_NONE */
    gpu_texture best_key, best_lo, best_hi; /* R32UI, of root v: the edge its component chose. Of a v that is
                                               no root any more: the edge by which its component was joined */
    gpu_texture parent, state;
} tree_boruvka;

glshape_status tree_boruvka_new(gpu *g, uint32_t n, tree_boruvka *out);
/* Each component takes its best candidate and merges along it; components and label are updated. *merged
 * becomes true if any merged. Waits for the GPU. GLSHAPE_GPU_ERROR if the candidates contradict each other
 * (a weight that is not the same from both ends). */
glshape_status tree_boruvka_merge(gpu *g, tree_boruvka *b, bool *merged);
/* The edges so far, in order. ranks: the keys are ranks, not keys of weights. */
glshape_status tree_boruvka_read(gpu *g, tree_boruvka *b, bool ranks, bool maximum, tree_forest *out);
void tree_boruvka_free(tree_boruvka *b);

/* Orders as the weight does (maximum: as its negative), -0 as 0. Never TREE_NONE. */
uint32_t tree_key(float weight, bool maximum);
float tree_weight(uint32_t key, bool maximum);
/* The key of edge k: of its weight, or its rank. */
static inline uint32_t tree_edge_key(const tree_graph *graph, size_t k) {
    return graph->weight ? tree_key(graph->weight[k], graph->maximum) : graph->rank[k];
}

/* ---- on the CPU ------------------------------------------------------------------------------- */

/* As tree_mst, of a graph that is right. 4 bytes a vertex, and 32 an edge that is sorted: where edges are
 * many, most are not. */
glshape_status tree_kruskal(error *err, const tree_graph *graph, tree_forest *out);

/* scipy's linkage matrix from the n-1 edges of a spanning tree, in any order: out gets n-1 rows of 4: the two
 * clusters joined, smaller id first (vertex v is cluster v, row k makes cluster n + k), height, size. Rows go
 * by (height, smaller end, larger end). edges gets the ends in this order, the smaller first; it may be NULL.
 * part: of each vertex a number below TREE_PARTS, so that most edges join vertices of one part, which threads
 * then take one each; NULL: one thread joins clusters. GLSHAPE_BAD_ARGUMENT if the edges are no tree or a
 * height is NaN. */
#define TREE_PARTS 64u
glshape_status tree_dendrogram(error *err, uint32_t n, const uint32_t *i, const uint32_t *j,
                               const double *height, const uint8_t *part, double *out, uint32_t *edges);

/* A dendrogram on the device, for the passes that follow; zeros: none. Elements are its n - 1 merges, in
 * order. */
typedef struct tree_merges {
    gpu_texture items; /* RGBA32UI: high and low word of the height's key, ends of the edge; one more, none */
    gpu_texture
        child; /* R32UI, two: the clusters that are joined, as in the rows, the smaller not always first */
    gpu_texture size; /* R32UI; there may be one more */
} tree_merges;
void tree_merges_free(tree_merges *m);
/* Whether the dendrogram of a tree that is kept is made by passes. (dendrogram_by_passes.c) */
glshape_status tree_dendrogram_place(gpu *g, uint32_t n, bool root, run_why *why);
/* As tree_dendrogram, by passes, of a tree that is kept. kept: NULL, or it gets the merges.
 * GLSHAPE_NO_GPU_MEMORY. GLSHAPE_GPU_ERROR. */
glshape_status tree_dendrogram_kept(gpu *g, tree_kept *t, const tree_scale *scale, double *out,
                                    uint32_t *edges, tree_merges *kept);
/* The same of n - 1 edges in host memory, with heights. GLSHAPE_BAD_ARGUMENT as tree_dendrogram. */
glshape_status tree_dendrogram_by_passes(gpu *g, uint32_t n, const uint32_t *i, const uint32_t *j,
                                         const double *height, double *out, uint32_t *edges,
                                         tree_merges *kept);

/* Keys of heights in their order, -0 as 0, and heights of keys. No key has all bits set. */
static inline uint64_t tree_height_key(double height) {
    uint64_t bits;
    height += 0.0;
    memcpy(&bits, &height, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}
static inline double tree_height_of(uint64_t key) {
    double height;
    key = key >> 63 ? key & ~(1ull << 63) : ~key;
    memcpy(&height, &key, sizeof height);
    return height;
}

/* The elder rule. A component is born with its oldest vertex: the one of least (birth, index), or of least
 * index if birth is NULL. Where edge k, in the order given, joins two components, the younger one dies:
 * dies[k] is its oldest vertex. dies[k] is TREE_NONE if both ends are in one component. A vertex that is not
 * in dies begins an essential class. GLSHAPE_NO_MEMORY. */
glshape_status tree_elder(error *err, uint32_t n, const float *birth, size_t count, const uint32_t *i,
                          const uint32_t *j, uint32_t *dies);

/* Components of a graph as its edges come, for the elder rule by passes. */
typedef struct tree_saddles {
    gpu_texture *edges; /* RGBA32UI: {vertex, its key, two components}; ordered by (key, vertex). Those
                           at one vertex have a component in common. Used up */
    gpu_texture *birth; /* RG32UI: {key, vertex} of each component, in whose order the least is the oldest */
    uint32_t count, n;  /* edges; components */
    uint32_t vertices;  /* there are so many */
    uint32_t key_bits;  /* the lowest, by which keys differ; 1 to 32 */
} tree_saddles;

/* Where components end. Places 0 … n - 1 are in this order: those that do not end, by birth; then the others,
 * from the last end to the first, at one vertex by birth. */
typedef struct tree_elders {
    uint32_t n, essential; /* components; those that do not end */
    gpu_texture ends; /* RGBA32UI: of each place {~ key, ~ vertex} of the end, or zeros; {key, vertex} of the
                         birth */
    gpu_texture parent; /* R32UI: at n - 1 - p, of place p that ends: the oldest component there */
    gpu_texture forest; /* the n - essential edges that join components, in order; of none: it has no id */
} tree_elders;

/* Applies the elder rule by passes. *out: tree_elders_free(). GLSHAPE_NO_GPU_MEMORY. GLSHAPE_GPU_ERROR: the
 * device computes what cannot be. */
glshape_status tree_elders_find(gpu *g, const tree_saddles *s, tree_elders *out);
void tree_elders_free(tree_elders *e);
/* *why stays, if it is for the device, where the driver runs its programs rightly. (check.c) */
glshape_status tree_trusts_elders(gpu *g, run_why *why);
void tree_expects_elders(gpu *g); /* names their programs (gpu_expect) */

#endif
