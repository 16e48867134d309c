/* The tree of a field whose slabs several ranks have. */
#ifndef GLSHAPE_MERGETREE_TOGETHER_H
#define GLSHAPE_MERGETREE_TOGETHER_H

#include "mergetree/slabs.h"

/* What the first rank has to know of the field beside its own planes: the values at minima and saddles. It
 * puts them in their places in `values`, and *order is the order of these. */
typedef struct together_known {
    glshape_field field;
    order order;
    void *values; /* free() it */
} together_known;

/* After slabs_edges() with `count` edges on this rank: makes *tree (branches_free()) of all, without jumps,
 * on the first rank, and fills *known there. */
glshape_status together_find(slabs *s, size_t count, together_known *known, branches *tree);

#endif
