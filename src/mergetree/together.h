/* The tree of a field in slabs, which several ranks may have. */
#ifndef GLSHAPE_MERGETREE_TOGETHER_H
#define GLSHAPE_MERGETREE_TOGETHER_H

#include "mergetree/slabs.h"

/* What the first of several ranks knows of the field beside its own planes: values of branches, by their
 * numbers. */
typedef struct together_known {
    glshape_field births, deaths; /* those of essential branches mean nothing */
    void *of_births, *of_deaths;  /* their values */
    order order;                  /* of births: the numbers of branches ascend as their vertices do */
    uint64_t *vertices;           /* of a wide tree: where branches begin, by number, then where they end */
} together_known;
void together_known_free(together_known *known);

/* After slabs_edges() with `count` edges on this rank: makes *tree (branches_free()) of all, without jumps,
 * on the first rank; of several, fills *known there. Frees the edges. wide: in the tree, minimum[m] is m, and
 * what stands in death for the vertices ascends as they do; known->vertices has these. */
glshape_status together_find(slabs *s, size_t count, bool wide, together_known *known, branches *tree);

#endif
