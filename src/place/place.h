/* place: the only folder that decides where a stage runs, by passes on the device or by threads, and that
 * asks what kind of device there is.
 *
 * A method says what its passes can do and how much work there is. What was measured stands here and nowhere
 * else: in place.c from how much work on passes are worth their start, in amounts.c how much of it a kind of
 * device is given at once. The rules, in this order:
 *   1. What passes cannot compute is done by threads (RUN_NOT_LIMITS).
 *   2. On a device that the caller named passes do all else, however little it is.
 *   3. Little work is done by threads (RUN_NOT_SMALL); a closed device is not opened for it.
 *   4. So is all work where there is no device, where it has no room, or where it is a software renderer
 *      (RUN_NOT_THERE, RUN_NOT_ROOM, RUN_NOT_SOFTWARE): its passes run on the same processors.
 *   5. So is what the driver is not trusted with (RUN_NOT_EXACT; gpu/trust.c), and what its compiler would
 *      take longer for than threads for the work (RUN_NOT_YET; gpu/later.c). */
#ifndef GLSHAPE_PLACE_PLACE_H
#define GLSHAPE_PLACE_PLACE_H

#include "gpu/gpu.h"

/* Stages, and what an item of their work is. */
typedef enum {
    PLACE_LAYOUT,         /* mds: points */
    PLACE_PRODUCTS,       /* mds, classical: rows of the matrix */
    PLACE_NEW_ROWS,       /* mds, new rows in a layout: their distances to its points */
    PLACE_RANKS,          /* mds, ordinal: pairs */
    PLACE_SIMPLICES,      /* rips: simplices of a dimension */
    PLACE_COLLAPSE,       /* rips, edges are collapsed: edges */
    PLACE_LISTED_EDGES,   /* rips, lists of neighbors, dimension 1: edges */
    PLACE_WALKS_IN_LISTS, /* the same, higher dimensions: walks of as many edges as the dimension */
    PLACE_FIRST_COFACETS, /* rips, columns begin: columns times points */
    PLACE_SHORT_COLUMNS,  /* rips, columns are reduced: columns */
    PLACE_LONG_COLUMNS,   /* rips, a long column: its terms when it is begun, times points */
    PLACE_MATRIX_FOREST,  /* rips, spanning tree of a matrix: points */
    PLACE_INDEX,          /* an index of points is made: points */
    PLACE_WALKS,          /* searches through an index: queries */
    PLACE_RESULTS,        /* their results are finished: queries */
    PLACE_PAIRS,          /* all pairs of points are compared: coordinates read */
    PLACE_PAIRS_ACROSS,   /* few points with all: coordinates read */
    PLACE_CANDIDATES,     /* candidates are compared in double, on an open device: coordinates read */
    PLACE_POINT_TREE,     /* spanning tree of points in space: points */
    PLACE_MATRIX_TREE,    /* linkage of a matrix: points */
    PLACE_FOREST,         /* spanning forest of a graph: nodes or edges, the more */
    PLACE_TRIANGULATION,  /* delaunay and alpha: points */
    PLACE_EXACT_SIGNS,    /* delaunay, sites whose signs are uncertain: sites */
    PLACE_CLOSE_RADII,    /* alpha, pairs of close radii: pairs */
    PLACE_IMAGE,          /* cubical, two dimensions: pixels */
    PLACE_INTERVALS,      /* cubical, pairs that are on the device become intervals: pairs */
    PLACE_ITEMS,          /* lists that are sorted, on an open device: items */
    PLACE_FIELD,          /* mergetree: vertices */
    PLACE_FLAT_BRANCHES,  /* mergetree, the branches of a field of two dimensions: vertices */
    PLACE_SADDLES, /* mergetree: edges between basins, where these are on the device; cubical: vertices with
                      critical edges, and pairs */
    PLACE_MEMBERSHIPS, /* hdbscan: coordinates of rows and exemplars compared */
    PLACE_SLICES,      /* compare: steps on lines, times diagrams */
    PLACE_VECTORS,     /* compare, vectors: pairs times numbers of a vector */
    PLACE_LEAVES,      /* mergetree, contour trees: nodes that are left */
    PLACE_FLOW,        /* cubical, edges flow along the gradient: edges for each thread */
    PLACE_COLUMNS,     /* cubical, columns that passes still reduce: columns for each thread */
    PLACE_STAGES
} place_stage;

/* The least items for which passes are worth their start. */
double place_least(const gpu *g, place_stage stage);
/* Whether it takes longer to send the matrix of n points, or to make it of lists that the device has, than
 * processors take for so many columns of rips. */
bool place_matrix_is_too_much(const gpu *g, double n, bool sent, double columns);
/* Whether passes are not worth their start for so much work. A caller who names the device, a test of passes
 * and a check of passes insist on these: then 0 items are not little. */
bool place_is_little(const gpu *g, place_stage stage, double items);
/* Rules 2 and 4 of work that is not little, on an open device that has room. */
run_why place_by_kind(const gpu *g);
/* Rules 2 and 3, and 4 if the device is open. */
run_why place_by_size(const gpu *g, place_stage stage, double items);
/* Rule 2, and RUN_NOT_FASTER: threads do it sooner. */
run_why place_by_speed(const gpu *g, bool passes_are_faster);
/* Rules 1 to 4. Opens the device if passes are worth it; bytes: of textures beside those there are. */
glshape_status place_choose(gpu *g, place_stage stage, double items, bool can, uint64_t bytes, run_why *why);
/* Rules 2 and 4, of work that is not little: what it needs is on the device, or its size was asked about
 * before. */
glshape_status place_choose_any(gpu *g, uint64_t bytes, run_why *why);
/* Opens the device, if there is one, also a software renderer. *found: there is one, and it has room. */
glshape_status place_find(gpu *g, uint64_t bytes, bool *found);
/* Whether a device may stay closed until it is known that there is work for it: none is named. */
bool place_may_stay_closed(const gpu *g);
/* Whether a test asks for passes: then they are given so little at once that few items show what many do. */
bool place_is_tested(const gpu *g);

/* ---- programs that are compiled for later runs ---------------------------------------------------- */

typedef enum {
    PLACE_WORK_DELAUNAY,  /* points */
    PLACE_WORK_ALPHA,     /* points */
    PLACE_WORK_INDEX,     /* an index is made and searched: coordinates, and 1/10 of them for each neighbor */
    PLACE_WORK_BRANCHES,  /* mergetree; cubical of one and two dimensions: vertices */
    PLACE_WORK_CONTOUR,   /* contour trees: vertices */
    PLACE_WORK_VOLUME,    /* cubical of three dimensions: vertices */
    PLACE_WORK_COLLAPSE,  /* rips, edges are collapsed: edges */
    PLACE_WORK_SIMPLICES, /* rips, columns of a matrix are found: simplices */
    PLACE_WORK_WALKS,     /* ... of lists of neighbors: walks of as many edges as the dimension */
    PLACE_WORK_FIRST,     /* rips, columns begin: columns times points */
    PLACE_WORK_SHORT,     /* rips, columns are reduced: columns */
    PLACE_WORK_SHORT_OF_LISTS, /* where there is no matrix: the same */
    PLACE_WORK_LONG,           /* rips, a long column: its terms when it is begun, times points */
    PLACE_WORKS
} place_work;

/* Whether threads take less time for the work than a driver for its programs: then they do it while these are
 * compiled for later runs (gpu_may_wait). */
void place_may_wait(gpu *g, place_work work, double items);
/* The same of a field in which this share of the vertices are extremes (field_extremes()). */
void place_may_wait_for_field(gpu *g, place_work work, double vertices, double extremes);

/* ---- how much at once (amounts.c) ----------------------------------------------------------------- */

/* The device is open. */
typedef enum {
    PLACE_AMOUNT_TERMS,        /* rips, a long column: terms that there is room for, */
    PLACE_AMOUNT_CELLS,        /* ... and cells */
    PLACE_AMOUNT_GROUPS,       /* of what has a group for each of them: groups at most, */
    PLACE_AMOUNT_LEAST_GROUPS, /* ... and where they are few */
    PLACE_AMOUNT_CELL_GROUPS,  /* of what has an invocation for each: the same */
    PLACE_AMOUNT_LEAST_CELL_GROUPS,
    PLACE_AMOUNT_GROUP_EDGES,   /* rips, edges that a group looks at */
    PLACE_AMOUNT_LIST_SPAN,     /* rips, simplices of lists that an invocation looks at */
    PLACE_AMOUNT_LIST,          /* rips, neighbors of a point, where passes look at lists */
    PLACE_AMOUNT_COLLAPSE_LIST, /* ... where they collapse edges */
    PLACE_AMOUNT_FIRST_TURNS,   /* cubical, loop turns in which an edge flows first, */
    PLACE_AMOUNT_ROUND_TURNS,   /* ... a column in each round, */
    PLACE_AMOUNT_ENTRIES,       /* ... entries of two columns of which one is added to the other, */
    PLACE_AMOUNT_ROUNDS,        /* ... rounds, */
    PLACE_AMOUNT_FLOWS,         /* ... edges of an invocation */
    PLACE_AMOUNT_FEW_LEAVES, /* mergetree, contour trees: rounds that find few leaves, before threads go on */
    PLACE_AMOUNT_WALK_COLUMNS, /* columns of points that walks take */
    PLACE_AMOUNT_SLICE,        /* knn, columns that a program has written out */
    PLACE_AMOUNT_SHARED,       /* knn, whether tiles are in shared memory: 0 or 1 */
    PLACE_AMOUNT_ALL_LISTS,    /* knn, bytes of candidates of all points, */
    PLACE_AMOUNT_RANK_LISTS,   /* ... on each of several ranks, */
    PLACE_AMOUNT_ROW_LISTS,    /* ... of some rows */
    PLACE_AMOUNT_SEARCHES,     /* knn, groups, of a block of queries each, that keep the device busy */
    PLACE_AMOUNT_TILED_TEXELS, /* mds, texels of a point whose pairs go in tiles */
    PLACE_AMOUNT_SETTLING,     /* mds, pairs times loop turns of the steps that settle a layout */
    PLACE_AMOUNTS
} place_quantity;

uint64_t place_amount(const gpu *g, place_quantity quantity);
/* The same where it is below 2^32. */
uint32_t place_count(const gpu *g, place_quantity quantity);
/* Loop turns that an invocation may take. GPU_TURNS, where a software renderer ends loops without an error;
 * elsewhere more than any takes. */
uint32_t place_turns(const gpu *g);
/* Whether the stores of an invocation are seen in their order without a barrier. */
bool place_in_order(const gpu *g);

/* ---- an index or pairs ---------------------------------------------------------------------------- */

#define PLACE_INDEX_COLUMNS 4u /* of an index; in more, searches of some points look at very many others */
/* Threads have answered fewer than one query across components for so many points before all labels are on
 * the device (H200, 16 processors). */
#define PLACE_POINTS_A_QUERY 64u
/* Turns of searches a point, after which a tree is made of pairs: 0.2 s for a million points at most, 0.03 at
 * best (H100). */
#define PLACE_TREE_TURNS 1000
/* Searches among so many points of so few columns look at so few of them, wherever these are, that an index
 * pays. To ask samples takes 2 to 3 ms (H200's host, 2026-12-01). */
#define PLACE_SURE_COLUMNS 3u
#define PLACE_SURE_POINTS (1u << 18)

/* An index pays where a search looks at less than one in `share` points, those counted in that each search
 * would look at in the time that it takes to make the index, a point's part of it: `making`. wide: points
 * of many columns. found: there is a device; by_passes: it searches an index, too. */
typedef struct place_price {
    double share, making;
} place_price;
place_price place_index_price(const gpu *g, bool wide, bool found, bool by_passes);

/* ---- lists or a matrix ----------------------------------------------------------------------------- */

/* Threads go by lists alone where these are less than such a part of the matrix. To make that takes some 1.1
 * ns a place, and saves some 0.6 µs of a collapse for each pair (O(3), 4,096 points, 2 cores, 2026-12-01). */
#define PLACE_MATRIX_SHARE 512u

#endif
