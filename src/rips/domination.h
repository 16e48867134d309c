/* When an edge has to appear: at the first value, from its own on, at which no point dominates it. That does
 * not depend on which dominating points are found. rips/collapse.h has the sources. */
#ifndef GLSHAPE_RIPS_DOMINATION_H
#define GLSHAPE_RIPS_DOMINATION_H

#include "rips/space.h"

#define DOMINATION_STEPS 4

/* The neighbors of each point of a matrix, a bit each, `words` words a point. Edges are looked at in blocks.
 */
typedef struct domination_rows {
    size_t words;
    uint64_t *most;  /* every edge that is there at the value of some edge of the block; perhaps others */
    uint64_t *least; /* only edges that are there at the values of all of them */
    uint64_t *left;  /* the edges that are there at the threshold */
} domination_rows;

typedef struct domination_verdict {
    float value;                   /* INFINITY: the edge need not appear at all */
    int steps;                     /* points that dominate it one after the other, until it appears … */
    uint32_t by[DOMINATION_STEPS]; /* … the first ones of them */
} domination_verdict;

typedef struct common_neighbor {
    uint32_t point;
    float from; /* the value from which on it is a common neighbor */
} common_neighbor;

/* One edge at work. */
typedef struct domination {
    const rips_space *s;
    const domination_rows *rows; /* NULL: there are none */
    common_neighbor *common;     /* of its ends; the first `now` of them at the value at hand */
    size_t count, now;
    uint32_t *witness; /* points that refuted others are asked first */
    size_t witnesses;
    uint64_t *both;
} domination;

/* rows are s's, and last as long. Free it, also after a failure. GLSHAPE_NO_MEMORY. */
glshape_status domination_new(error *err, const rips_space *s, const domination_rows *rows, domination *out);
void domination_free(domination *d);

/* The edge (a, b) has this value in s, and edges of s that came before it have their new ones. */
void domination_find(domination *d, uint32_t a, uint32_t b, float value, domination_verdict *out);

#endif
