/* What the reduction asks of a filtered complex, of simplices or of others.
 *
 * A cell has an index, unique in its dimension, and a value, from which on it is there. The filtration orders
 * cells by value, then dimension, then decreasing index. */
#ifndef GLSHAPE_PERSISTENCE_COMPLEX_H
#define GLSHAPE_PERSISTENCE_COMPLEX_H

#include "base/error.h"

/* A cell as it lies in columns; coefficient in 1 … modulus-1. */
typedef struct cell {
    uint64_t index;
    float value;
    uint32_t coefficient;
} cell;

/* A growing array of cells. */
typedef struct cell_pile {
    cell *items;
    size_t count, room;
} cell_pile;

/* a before b in the filtration; both of one dimension. */
static inline bool cell_before(float a, uint64_t a_index, float b, uint64_t b_index) {
    return a < b || (a == b && a_index > b_index);
}

/* Values wanted: above < value <= upto. */
typedef struct cell_range {
    float above, upto;
} cell_range;

typedef struct filtered_complex {
    const void *space; /* what the functions are called with */
    float threshold;   /* finite; cells beyond it do not exist */
    uint32_t modulus;
    const uint32_t *inverse; /* modulus entries: i · inverse[i] = 1 */
    size_t most_cofacets;    /* of one cell */
    /* Fills out with the cofacets of c, whose dimension is dim, of the values wanted, in any order, each with
     * c's coefficient times its own in the coboundary of c. Returns how many. Called from several threads. */
    size_t (*cofacets)(const void *space, cell c, int dim, cell_range wanted, cell *out);
    /* Whether c, whose dimension is dim, is in an apparent pair with a facet. Then *facet is its index, and
     * *coefficient the one that c has in its coboundary. NULL: there are no such pairs. */
    bool (*apparent_facet)(const void *space, cell c, int dim, uint64_t *facet, uint32_t *coefficient);
} filtered_complex;

#endif
