/* The tree of a field whose slabs several ranks have. */
#ifndef GLSHAPE_MERGETREE_TOGETHER_H
#define GLSHAPE_MERGETREE_TOGETHER_H

#include "mergetree/slabs.h"

/* Makes *tree of the edges of all ranks, without jumps, on the first rank; s->edges has `count` own ones,
 * whose ends are numbers of minima among all. *known is filled there. */
glshape_status together_find(slabs *s, size_t count, slabs_known *known, branches *tree);
/* The first rank's tree becomes that of all, as far as branches_climb() looks at it. */
glshape_status together_share_tree(const slabs *s, branches *t);

#endif
