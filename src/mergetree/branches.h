/* The elder rule over the saddles of a field, and what is read off it. On the CPU. */
#ifndef GLSHAPE_MERGETREE_BRANCHES_H
#define GLSHAPE_MERGETREE_BRANCHES_H

#include "mergetree/order.h"

#define BRANCH_ESSENTIAL UINT64_MAX

/* Branch m begins at vertex minimum[m]. Numbers are whatever the GPU gave; orders are unique. */
typedef struct branches {
    uint32_t count, essential;
    uint32_t *minimum;
    uint64_t *death;        /* order_of the saddle; BRANCH_ESSENTIAL */
    uint32_t *parent;       /* the oldest branch at the saddle; its own if essential */
    uint32_t *falling;      /* all: the essential ones by birth, then by descending death, birth */
    uint32_t *jump, *depth; /* an older ancestor, so that any is reached in a logarithm of steps; NULL:
                               the GPU has them, or nobody */
    uint32_t *survivor;     /* itself, or the ancestor that is left; NULL: all are */
} branches;

static inline uint32_t branches_survivor(const branches *b, uint32_t m) {
    return b->survivor ? b->survivor[m] : m;
}

/* Makes *out (branches_free()) of edges: the order of a vertex, and two branches that join there; in any
 * order, repeats allowed; they are sorted. Takes minimum over, also when it fails; *out is then zeroed. */
glshape_status branches_new(error *err, const order *o, uint32_t *minimum, uint32_t count, radix_item *edges,
                            size_t edge_count, branches *out);
/* The same from a forest, without jumps. items: room for 2 × count; the first `count` are
 * in memory (key and vertex of a branch's end, its parent, anything), four words each. */
glshape_status branches_of_forest(error *err, const order *o, uint32_t *minimum, uint32_t count,
                                  radix_item *items, branches *out);
/* The same from triplets: saddle[u] and other[u], UINT32_MAX where a component never ends. other[u] becomes
 * the number of the branch, not its vertex. No jumps. */
glshape_status branches_of_triplets(error *err, const order *o, const uint32_t *saddle, uint32_t *other,
                                    branches *out);
/* What persists: |value at death - value at birth| that is no less. Persistences of 64-bit integers are
 * compared exactly; an infinity that ends at itself persists 0. */
typedef struct branches_least {
    double real;
    uint64_t whole; /* of 64-bit integers, in place of real; 0: real is meant */
} branches_least;

/* Cuts the branches that persist less. */
glshape_status branches_simplify(error *err, branches *b, const glshape_field *field, branches_least least);
void branches_free(branches *b);

#endif
