/* place: the only folder that decides where a stage runs: by passes on the device, or by threads.
 *
 * A method says what its passes can do and how much work there is. What was measured, and says from how much
 * work on passes are worth their start, stands in place.c and nowhere else. The rules, in this order:
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
    PLACE_CANDIDATES,     /* candidates are compared in double: coordinates read */
    PLACE_POINT_TREE,     /* spanning tree of points in space: points */
    PLACE_MATRIX_TREE,    /* linkage of a matrix: points */
    PLACE_FOREST,         /* spanning forest of a graph: nodes or edges, the more */
    PLACE_TRIANGULATION,  /* delaunay and alpha: points */
    PLACE_EXACT_SIGNS,    /* delaunay, sites whose signs are uncertain: sites */
    PLACE_CLOSE_RADII,    /* alpha, pairs of close radii: pairs */
    PLACE_IMAGE,          /* cubical, two dimensions: pixels */
    PLACE_ITEMS,          /* cubical, lists that are sorted: items */
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
/* Whether passes are not worth their start for so much work. Never for what the caller insists on. */
bool place_is_little(const gpu *g, place_stage stage, double items);
/* Rules 2 and 3. */
run_why place_by_size(const gpu *g, place_stage stage, double items);
/* Rules 1 to 4. Opens the device if passes are worth it; bytes: of textures beside those there are. */
glshape_status place_choose(gpu *g, place_stage stage, double items, bool can, uint64_t bytes, run_why *why);

/* ---- programs that are compiled for later runs ---------------------------------------------------- */

typedef enum {
    PLACE_WORK_DELAUNAY, /* points */
    PLACE_WORK_ALPHA,    /* points */
    PLACE_WORK_INDEX,    /* an index is made and searched: coordinates, and 1/10 of them for each neighbor */
    PLACE_WORK_BRANCHES, /* mergetree; cubical of one and two dimensions: vertices */
    PLACE_WORK_CONTOUR,  /* contour trees: vertices */
    PLACE_WORK_VOLUME,   /* cubical of three dimensions: vertices */
    PLACE_WORK_FIRST,    /* rips, columns begin: columns times points */
    PLACE_WORK_SHORT,    /* rips, columns are reduced: columns */
    PLACE_WORK_SHORT_OF_LISTS, /* where there is no matrix: the same */
    PLACE_WORK_LONG,           /* rips, a long column: its terms when it is begun, times points */
    PLACE_WORKS
} place_work;

/* Whether threads take less time for all stages of a method than a driver for its programs: then they do
 * them while these are compiled for later runs (gpu_may_wait). */
void place_may_wait(gpu *g, place_work work, double items);
/* The same of a field in which this share of the vertices are extremes (field_extremes()). */
void place_may_wait_for_field(gpu *g, place_work work, double vertices, double extremes);
#define PLACE_INDEX_COLUMNS 4 /* of an index; in more, searches of some points look at very many others */

/* ---- an index or pairs ---------------------------------------------------------------------------- */

/* An index pays where a search looks at less than one in `share` points, those counted in that each search
 * would look at in the time that it takes to make the index, a point's part of it: `making`. wide: points
 * of many columns. found: there is a device; by_passes: it searches an index, too. */
typedef struct place_price {
    double share, making;
} place_price;
place_price place_index_price(const gpu *g, bool wide, bool found, bool by_passes);

#endif
