/* The elder rule by passes over the graph of basins. */
#ifndef GLSHAPE_MERGETREE_PAIRS_H
#define GLSHAPE_MERGETREE_PAIRS_H

#include "field/basins.h"
#include "mergetree/branches.h"

/* What there is of the branches then. *tree has how many there are, and how many do not end. */
typedef enum {
    PAIRS_LIST = 1,    /* tree->list */
    PAIRS_ITEMS = 2,   /* b->items; the edges of b become those that join components, in order */
    PAIRS_NUMBERS = 4, /* b has the branches by numbers that are their places in the order of falling, and
                          b->branch is the forest as basins_regular needs it */
    PAIRS_ARRAYS = 8,  /* with these, the other arrays of *tree, without jumps and depths */
    PAIRS_SPANS = 16   /* with these, b->span */
} pairs_form;

/* Makes *tree of the edges of b, which are used up. Takes 56 bytes of texture an edge, then
 * 180 a minimum, and 32 for a list or 8 for a span. */
glshape_status pairs_find(gpu *g, basins *b, pairs_form form, branches *tree);

/* Fills tree->pairs with b->items, which are used up. */
glshape_status pairs_bring(gpu *g, basins *b, branches *tree);

/* What a slab decides of its edges, whose sides others see, as far as what they know does not matter. In each
 * round every component looks at its lowest edge. If that leads to an older component, it ends there and
 * becomes part of that one. Else it waits. The rounds end when few edges are left, or when a round removes
 * less than an eighth of them. The edges of b become those that are left, between components; each has the
 * number of its oldest minimum. *ends (free() it), of each minimum. at: the order of the vertex where its
 * branch ends, or BRANCH_ESSENTIAL: that is not decided here; a: its parent, or a branch that is not decided:
 * its ancestor, or itself; b: the vertex. fraction: what part of the work is done before.
 * GLSHAPE_NO_GPU_MEMORY. */
glshape_status pairs_decide(gpu *g, basins *b, double fraction, radix_item **ends);

/* *why stays, if it is for the device, where the driver runs the programs of pairs_find() rightly, after
 * basins_are_for_passes(); if not, the CPU is to apply the rule (check.c). */
glshape_status pairs_are_for_passes(gpu *g, int hood, pairs_form form, run_why *why);
/* The same of pairs_decide(). */
glshape_status pairs_are_for_slabs(gpu *g, int hood, run_why *why);

#endif
