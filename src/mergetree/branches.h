/* The branches of a field, by the elder rule over its saddles. On the CPU. */
#ifndef GLSHAPE_MERGETREE_BRANCHES_H
#define GLSHAPE_MERGETREE_BRANCHES_H

#include "field/order.h"

#define BRANCH_ESSENTIAL UINT64_MAX

/* Branch m begins at vertex minimum[m]. The numbers of branches depend on the device; the orders below do
 * not. */
typedef struct branches {
    uint32_t count, essential;
    uint32_t *minimum;
    uint64_t *death;   /* order_of the saddle; BRANCH_ESSENTIAL */
    uint32_t *parent;  /* the oldest branch at the saddle; its own if essential */
    uint32_t *falling; /* all branches: the essential ones by birth, then the others by descending death, then
                          birth */
    uint32_t *jump;    /* an ancestor; by jumps and parents any ancestor is reached in a logarithmic number of
                          steps. NULL if the GPU has them, or if there are none */
    _Atomic uint32_t *depth; /* the branch and its ancestors: how many; with jump */
    uint32_t *survivor; /* after simplification: the branch itself, or its first ancestor that is left; NULL:
                           all are left */
    glshape_branch *list; /* NULL, or all in the order of falling: there is no other array then */
    radix_item *pairs;    /* the same; at: order_of the vertex where a branch begins; a, b: key and vertex of
                             its end, UINT32_MAX if it is essential */
} branches;

/* Returns the first ancestor of a branch that ends after `then`, or the branch itself. */
static inline uint32_t branches_climb(const branches *b, uint32_t at, uint64_t then) {
    while (b->death[at] <= then) at = b->death[b->jump[at]] <= then ? b->jump[at] : b->parent[at];
    return at;
}
static inline uint32_t branches_survivor(const branches *b, uint32_t m) {
    return b->survivor ? b->survivor[m] : m;
}

/* Makes *out (branches_free()) of edges: the order of a vertex, and two branches that join there; in any
 * order, repeats allowed; they are sorted. Takes minimum over, also when it fails; *out is then zeroed. */
glshape_status branches_new(error *err, const order *o, uint32_t *minimum, uint32_t count, radix_item *edges,
                            size_t edge_count, branches *out);
/* Fills jump and depth, if they are not there. */
glshape_status branches_find_jumps(error *err, branches *b);
/* The same without jumps, of edges that are sorted. */
glshape_status branches_of_sorted(error *err, const order *o, uint32_t *minimum, uint32_t count,
                                  const radix_item *edges, size_t edge_count, branches *out);
/* The same from a forest, without jumps. items: room for 2 × count; the memory of the first `count` holds the
 * forest, four words a branch: key and vertex of its end, its parent, anything. */
glshape_status branches_of_forest(error *err, const order *o, uint32_t *minimum, uint32_t count,
                                  radix_item *items, branches *out);
/* The same from a forest in the order of falling, without jumps: of each branch key and vertex of its end,
 * its parent, anything. The first `essential` do not end. */
glshape_status branches_in_order(error *err, uint32_t *minimum, uint32_t count, uint32_t essential,
                                 const radix_item *forest, branches *out);
/* The same from triplets, without jumps: saddle[u], UINT32_MAX if the class of u is essential, and other[u],
 * which becomes the number of that vertex's branch. */
glshape_status branches_of_triplets(error *err, const order *o, const uint32_t *saddle, uint32_t *other,
                                    branches *out);
/* The least persistence, |value at death - value at birth|, of branches that are left. Persistences of 64-bit
 * integers are compared exactly; a branch from an infinity to the same infinity persists 0. */
typedef struct branches_least {
    double real;
    uint64_t whole; /* for 64-bit integers: it counts in place of real, unless it is 0 */
} branches_least;

/* Cuts the branches that persist less: fills survivor. deaths: NULL, or the values where branches end, by
 * their numbers; then field has those where they begin, by their numbers, too. GLSHAPE_NO_MEMORY. */
glshape_status branches_simplify(error *err, branches *b, const glshape_field *field,
                                 const glshape_field *deaths, branches_least least);
void branches_free(branches *b);

#endif
