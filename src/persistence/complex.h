/* What the reduction asks of a filtered complex, of simplices or of other cells.
 *
 * A cell has an index, unique in its dimension, and a value: the cell exists from that value on. The
 * filtration orders cells by value, then by dimension, then by decreasing index. */
#ifndef GLSHAPE_PERSISTENCE_COMPLEX_H
#define GLSHAPE_PERSISTENCE_COMPLEX_H

#include "base/error.h"

/* A cell as it lies in columns; coefficient in 1 … modulus-1. */
typedef struct cell {
    uint64_t index;
    float value;
    uint32_t coefficient;
} cell;

/* Returns true if a comes before b in the filtration; both have one dimension. */
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
    /* Fills out with the cofacets of c, whose dimension is dim, that have the values wanted, in any order.
     * The coefficient of each is c's times its own in the coboundary of c. Returns how many there are.
     * Called from several threads. */
    size_t (*cofacets)(const void *space, cell c, int dim, cell_range wanted, cell *out);
    /* Returns true if c, whose dimension is dim, is in an apparent pair with a facet. Then sets *facet to
     * the facet's index, and *coefficient to that of c in the facet's coboundary. */
    bool (*apparent_facet)(const void *space, cell c, int dim, uint64_t *facet, uint32_t *coefficient);
} filtered_complex;

#endif
