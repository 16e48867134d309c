/* index: points in a tree of boxes, so that a search looks at a few of them and not at all.
 *
 * The tree is a k-d tree in one array. Node 1 is the root, and nodes 2v and 2v + 1 are the halves of node v.
 * Nodes leaves … 2 · leaves - 1 are the leaves; each has a range of the points in their order. A node has the
 * least box that its points fill.
 *
 * The sum of two points is what their distance is made of, added column after column in double precision
 * (base/norm.h). A bound of a node is computed as a sum is, from the differences to its box. Each of these is
 * at most that of any point inside, and rounding keeps the order of numbers. So a bound is at most the sum of
 * any point inside, as double precision has both, and a search that leaves a node out for its bound misses
 * nothing. pow(), of which this is not promised, makes bounds that are a little less. Points are ordered by
 * (sum, index).
 */
#ifndef GLSHAPE_INDEX_INDEX_H
#define GLSHAPE_INDEX_INDEX_H

#include <stdatomic.h>

#include "base/norm.h"
#include "base/threads.h"
#include "gpu/gpu.h"

#define INDEX_COLUMNS 4096u    /* at most */
#define INDEX_PASS_COLUMNS 64u /* on the GPU: a row of a query is in registers */
#define INDEX_LEAF 12u         /* points of a leaf, at most */
#define INDEX_NONE 0xffffffffu

typedef struct spatial_index {
    uint32_t n, columns, leaves; /* leaves: a power of two */
    uint32_t buckets;            /* a power of two, at most `leaves`: each has as many leaves … */
    uint32_t *first;             /* … and the points from here on; buckets + 2, the last two are n */
    norm norm;                   /* what sums are made of */
    double *row;     /* n × columns: the points in the order of the tree; NULL: see index_bring */
    uint32_t *point; /* n: the index of each */
    double *box; /* 2 · leaves × columns × 2: of each node and column the least and the greatest value */
    uint32_t *least;                         /* 2 · leaves: the least index of each node's points */
    gpu_texture rows, boxes, leasts, firsts; /* the same on the GPU, after index_upload */
    bool floats;                             /* all coordinates are floats times one power of two */
    gpu_texture near_rows, near_boxes;       /* rows and boxes in single precision (near.c), … */
    bool near_pairs;                         /* … with the rests of coordinates that are no floats */
} spatial_index;

/* Writes row i of the points, of finite values, into out. */
typedef glshape_status (*index_reader)(error *err, const void *user, uint32_t i, double *out);

/* order.c: makes the index of n ≥ 1 points of 1 … INDEX_COLUMNS columns, on the CPU. Cost n log n, whatever
 * the points. reader is called by several threads. Errors: the reader's; GLSHAPE_NO_MEMORY. */
glshape_status index_new(error *err, uint32_t n, uint32_t columns, norm norm, index_reader reader,
                         const void *user, spatial_index *out);
void index_free(spatial_index *x);
/* Sets the boxes and the least indices of all nodes. */
void index_bound(spatial_index *x);
/* Whether such an index is possible and takes less than a quarter of this machine's memory. */
bool index_is_modest(uint32_t n, size_t columns);
/* textures.c: copies the index to the GPU, or what is missing of it to host memory; does nothing if it is
 * there. GLSHAPE_NO_GPU_MEMORY. GLSHAPE_NO_MEMORY. */
glshape_status index_upload(gpu *g, spatial_index *x);
glshape_status index_bring(gpu *g, spatial_index *x);

/* Points that an index is made of, by passes or on the CPU. */
typedef struct index_source {
    uint32_t n, columns;
    uint32_t from; /* the reader's */
    norm norm;
    index_reader reader; /* gets the source itself */
    const void *user;
    const float *floats;   /* not NULL: the points, row after row; reader gives these times 2^exponent */
    const double *doubles; /* the same; no value is denormal, or becomes so */
    int exponent;
    uint32_t k;          /* not 0: so many neighbors will be searched */
    uint32_t per_bucket; /* for tests: points of a bucket; 0: as many as are quick */
} index_source;
/* build.c: where the index is made. */
glshape_status index_make_place(gpu *g, const index_source *s, run_why *why);
/* Makes it, there: by passes it has no points, boxes and nodes in host memory, before index_bring. If the
 * GPU has no memory for it, the CPU makes it. Errors as index_new. */
glshape_status index_make(gpu *g, const index_source *s, run_why why, spatial_index *out);
glshape_status index_make_by_passes(gpu *g, const index_source *s, spatial_index *out);

/* The first position of the points of leaf l; of l + 1: behind the last. A bucket's points are shared among
 * its leaves, to one point equally; a leaf that gets none has a box that is infinitely far. */
static inline uint32_t index_leaf_start(const spatial_index *x, uint32_t l) {
    uint32_t each = x->leaves / x->buckets, bucket = l / each, from = x->first[bucket];
    return from + (uint32_t)((uint64_t)(l % each) * (x->first[bucket + 1] - from) / each);
}

/* ---- core distances (HDBSCAN*) ------------------------------------------------------------------- */

/* Core distances raise the sum of two points to their mutual reachability. */
typedef struct index_cores {
    const double *core; /* of each point: a sum */
    double alpha;       /* what sums of pairs are divided by: α, squared where a sum is a squared distance */
} index_cores;

/* The mutual reachability of points i and j, as a sum. cores NULL: their sum itself. */
static inline double index_reach(const index_cores *cores, uint32_t i, uint32_t j, double sum) {
    if (!cores) return sum;
    double larger = cores->core[i] < cores->core[j] ? cores->core[j] : cores->core[i];
    return sum / cores->alpha < larger ? larger : sum / cores->alpha;
}

/* ---- searches ---------------------------------------------------------------------------------- */

/* Where the points of `queries` are searched for in x. queries may be x itself: a point is then no neighbor
 * of its own. Results are in the order of the queries' indices. */
typedef struct index_task {
    spatial_index *x;
    const spatial_index *queries;
    uint32_t k; /* index_nearest: neighbors of each query, at most as many as there are */
    /* index_nearest: not NULL: sums may become distances, their roots times 2^exponent; says whether they
     * did. */
    bool *distances;
    int exponent;
    threads_touching **touching; /* not NULL: the results' memory, to be waited for before they are there */
} index_task;

/* nearest.c: finds the k nearest points of each query: index and sum, count of queries × k, in order. By
 * passes, where the device's doubles are right and passes are quicker than the CPU. sum NULL: `index` gets
 * positions of points, in the order of the queries' positions, which saves the way back to indices. */
glshape_status index_nearest(gpu *g, const index_task *task, uint32_t *index, double *sum);
/* The two ways that it has; both give the same bytes. */
glshape_status index_nearest_on_cpu(run *r, const index_task *task, uint32_t *index, double *sum);
glshape_status index_nearest_by_passes(gpu *g, const index_task *task, uint32_t *index, double *sum);

/* nearest_on_cpu.c: how many points and boxes a search of the k nearest looks at, about, by a sample of the
 * points. */
double index_cost(const spatial_index *x, uint32_t k);

/* within.c, within_by_passes.c: the points of x within `most`, a sum, of each query: those of query q are
 * start[q] … start[q + 1] - 1, in order. start: one more than there are queries, which index_within_count
 * fills; index, sum: as many as its last says. sum NULL: no sums are asked for, and the points of a query are
 * in the order of their numbers. By passes or on the CPU as index_nearest. */
glshape_status index_within_count(gpu *g, const index_task *task, double most, uint64_t *start);
glshape_status index_within(gpu *g, const index_task *task, double most, const uint64_t *start,
                            uint32_t *index, double *sum);
glshape_status index_within_count_on_cpu(run *r, const index_task *task, double most, uint64_t *start);
glshape_status index_within_on_cpu(run *r, const index_task *task, double most, const uint64_t *start,
                                   uint32_t *index, double *sum);
glshape_status index_within_count_by_passes(gpu *g, const index_task *task, double most, uint64_t *start);
/* A query with more than INDEX_WITHIN_MOST points is not for passes. */
#define INDEX_WITHIN_MOST (1u << 24)
/* Passes sort lists of so many points at most, and the CPU longer ones: MOST of sort.glsl. */
#define INDEX_MOST_SORTED 1024u
/* check.c: *why stays, if it is for the device, where the driver sorts lists rightly. */
glshape_status index_trusts_sort(gpu *g, run_why *why);
glshape_status index_within_by_passes(gpu *g, const index_task *task, double most, const uint64_t *start,
                                      uint32_t *index, double *sum);

/* ---- across components ------------------------------------------------------------------------- */

/* A search for the nearest point of another component. What is said of points here goes by their positions in
 * the order of the tree. */
typedef struct index_crossing {
    spatial_index *x;
    const uint32_t *label;          /* n: each point's component, one of 0 … n - 1 */
    const uint32_t *node_label;     /* as index_label_nodes makes it */
    atomic_uint_least64_t *nearest; /* n: of each component the bits of a sum; only points at most so far from
                                       one of its points matter. The search may make it less */
    uint32_t count;
    const uint32_t *query;    /* count points */
    uint32_t *found;          /* count: the point found for each query, or INDEX_NONE … */
    double *sum;              /* … and its sum, or, if there is none, the sum up to which there is none */
    const index_cores *cores; /* by position: sums are mutual reachabilities; NULL: they are not */
    atomic_uint_least64_t *seen; /* NULL, or grows by what searches on the CPU look at */
} index_crossing;

/* across.c: sets node_label[v] to the label of all points below node v, or to INDEX_NONE if they differ. */
void index_label_nodes(const spatial_index *x, const uint32_t *label, uint32_t *node_label);
/* Answers the queries, by passes or on the CPU as index_nearest. Passes cannot divide by an alpha. */
glshape_status index_across(gpu *g, const index_crossing *task);
glshape_status index_across_on_cpu(run *r, const index_crossing *task);
glshape_status index_across_by_passes(gpu *g, const index_crossing *task);

#endif
