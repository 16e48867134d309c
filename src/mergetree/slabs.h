/* A field that is too large for the GPU, a slab of planes at a time. Where a steepest path leaves a slab, the
 * CPU follows it from side to side. */
#ifndef GLSHAPE_MERGETREE_SLABS_H
#define GLSHAPE_MERGETREE_SLABS_H

#include "field/basins.h"
#include "mergetree/branches.h"

typedef struct slabs slabs;
/* What is done with the basins of a slab while the GPU has them. */
typedef glshape_status (*slabs_take)(slabs *s, uint32_t slab, basins *b, void *user);

/* Of several ranks each has slabs of its own, one behind the other, and finds their basins; slabs_share()
 * brings together what they have found. */
struct slabs {
    gpu *g;
    const ranks *ranks;
    const order *order;
    grid grid;
    uint32_t count, plane; /* slabs; vertices of a plane */
    uint32_t *first;       /* count + 1: the first plane of each slab */
    uint64_t *owned;       /* the first slab of each rank, and count */
    uint32_t own, own_end; /* this rank's slabs */
    uint32_t *base;        /* count + 1: the number of a slab's first minimum; ascending by vertex */
    uint32_t *minimum;     /* all minima, of several ranks the own ones; the tree takes them over */
    uint32_t *rank;        /* of the last slab: the GPU's number of a minimum -> that among all */
    uint32_t *sides;       /* labels of the first and the last plane of each own slab: ARRIVED | number
                              of the minimum among all, or OUTSIDE | vertex beside the slab, or
                              ARRIVED | OUTSIDE | vertex beside the planes of this rank */
    uint32_t *outer;       /* of several ranks: the same of the first and the last plane of each rank, where
                              slabs are ranks */
    radix_item *edges;
    size_t *edge_start; /* count + 1 */
    radix_item *ends;   /* of own minima, in their order: what a slab decides alone, as pairs_decide() */
    size_t room, minimum_room, end_room;
    size_t found;     /* edges, of which some may lead round outside of a slab back to the same basin */
    grid_field field; /* of several ranks, one that has a single slab keeps it on the GPU, with its basins */
    basins kept;
};

/* The planes of a field that rank q has, of `planes` in all: from here on up to those of rank q + 1. */
static inline uint32_t slabs_plane_of_rank(const ranks *r, uint32_t planes, int q) {
    return (uint32_t)ranks_first(r, planes, 1, q);
}
/* Prepares *out (slabs_free(), also after a failure) for slabs of at most so many planes. */
glshape_status slabs_new(gpu *g, const ranks *r, const order *o, const grid *d, uint32_t planes, slabs *out);
/* Finds the basins of one slab after the other on the GPU, and calls take with each. from: the fraction of
 * the work done before. */
glshape_status slabs_each(slabs *s, slabs_take take, void *user, double from);
/* For `take`: keeps the labels of the slab's sides; converts a label of the GPU, with or without ARRIVED. */
glshape_status slabs_take_sides(slabs *s, uint32_t slab, basins *b);
uint32_t slabs_label(const slabs *s, uint32_t raw);
/* The labels of the first or the last plane of rank q's planes; ARRIVED, after slabs_edges(). */
const uint32_t *slabs_outer(const slabs *s, int q, bool last);
/* Returns the number of the minimum that an own slab's label leads to, once all sides are there. */
uint32_t slabs_resolve(const slabs *s, uint32_t slab, uint32_t label);

/* Finds the edges between basins in slabs of at most so many planes: s->edges has the *edge_count of this
 * rank that no slab decides alone. *out: slabs_free(), also after a failure.
 * GLSHAPE_NO_GPU_MEMORY: fewer planes may do. */
glshape_status slabs_edges(gpu *g, const ranks *r, const order *o, const grid *d, uint32_t planes, slabs *out,
                           size_t *edge_count);
/* The first rank's tree becomes that of all, as far as branches_climb() looks at it. */
glshape_status slabs_share_tree(const slabs *s, branches *t);
/* As basins_regular. Of several ranks the first has the tree, and gets all. */
glshape_status slabs_regular(slabs *s, branches *tree, uint32_t *on);
void slabs_free(slabs *s);

#endif
