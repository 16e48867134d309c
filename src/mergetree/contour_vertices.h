/* The vertices of a field beside the nodes of its contour tree: by threads, or by passes. */
#ifndef GLSHAPE_MERGETREE_CONTOUR_VERTICES_H
#define GLSHAPE_MERGETREE_CONTOUR_VERTICES_H

#include "gpu/gpu.h"
#include "mergetree/contour_nodes.h"
#include "mergetree/contour_tree.h"
#include "mergetree/mergetree.h"

/* place says for each side where a vertex's branch begins. After contour_vertices_place() it says which node
 * a regular vertex follows on its branch in the join tree, and in the split tree, which node follows it; for
 * a node it stays as it was. */
typedef struct contour_vertices {
    gpu *g;
    const contour_nodes *nodes;
    uint32_t *place[2];
    bool placed[2];
    /* By passes, in place of these (on_gpu). */
    bool on_gpu;
    gpu_texture key;     /* of a vertex */
    uint32_t kind, flip; /* as mergetree_on has them */
    gpu_texture at[2];   /* place; in the split tree, of the vertices from the last to the first */
    gpu_texture span[2]; /* the branches, as mergetree_on has them; or the host has them */
    gpu_texture number;  /* as nodes->number */
} contour_vertices;

/* The nodes on a branch are in consecutive slots, in order. */
typedef struct contour_slots {
    const uint32_t *low;    /* of a branch, and one more: its first slot */
    const uint32_t *branch; /* of a node where one begins, that */
    const uint32_t *node;   /* of a slot */
    const uint64_t *at;     /* of a slot, as order_of() */
} contour_slots;

/* What a regular vertex needs of the node beside it: the arc that was made when the edge between them went,
 * and the branch of the arc's end that is to be looked at in the other tree; and where the node lies. */
typedef struct contour_guide {
    struct {
        uint32_t row, branch; /* row CONTOUR_NONE: no arc */
        contour_reach reach;
    } side[2];
} contour_guide;

/* *why stays, if it is for the device, where the driver runs the programs of these calls rightly (contour.c).
 */
glshape_status contour_vertices_are_for_passes(gpu *g, run_why *why);
/* Takes a side over as the tree's own vertices have it (mergetree_on): those of the split tree are numbered
 * from the last vertex of the field on, of which there are n. */
void contour_vertices_take(contour_vertices *v, int side, uint32_t n, mergetree_on *on);
/* Takes from the device what it has, and its branches; threads do the rest. n: vertices. GLSHAPE_NO_MEMORY.
 */
glshape_status contour_vertices_fetch(contour_vertices *v, uint32_t n, contour_branches sides[2]);
/* These are threads'. Once there are nodes: birth[side] (free() them, also after a failure) becomes of each
 * node the vertex where its branch begins. GLSHAPE_NO_MEMORY. */
glshape_status contour_vertices_begin(contour_vertices *v, uint32_t *birth[2]);
/* Finds the nodes beside regular vertices, unless passes have done so. */
void contour_vertices_place(contour_vertices *v, int side, const contour_slots *s);
/* *arc (free() it) becomes of each regular vertex the row of its arc, of a node CONTOUR_NONE; *regular
 * (free() it), of each row, how many vertices these are. *good: whether each has an arc. Uses up what v
 * holds. GLSHAPE_NO_MEMORY. */
glshape_status contour_vertices_name(contour_vertices *v, const contour_guide *guide, uint32_t rows,
                                     uint32_t **arc, uint32_t **regular, bool *good);
void contour_vertices_free(contour_vertices *v);

#endif
