/* Persistent cohomology of one dimension, over the columns that are left when apparent pairs are taken out.
 */
#ifndef GLSHAPE_RIPS_REDUCE_H
#define GLSHAPE_RIPS_REDUCE_H

#include "rips/space.h"

#define RIPS_ESSENTIAL UINT64_MAX

/* What a column was paired with: the (d+1)-simplex that ends it, RIPS_ESSENTIAL if none does. */
typedef struct rips_death {
    uint64_t index;
    float diameter; /* INFINITY */
} rips_death;

typedef struct rips_work {
    uint64_t additions; /* of columns to columns */
    uint64_t cofacets;  /* enumerated */
    size_t bytes;       /* most memory */
} rips_work;

/* The final column j of the reduction matrix, count terms, the column's own simplex among them: a cocycle. */
typedef void (*rips_cocycle)(void *user, uint32_t j, const rips_entry *terms, size_t count);

/* Reduces `count` columns (simplices of `vertices` vertices, in the order of reduction: descending diameter,
 * then ascending index) and fills deaths[count]. `threads` threads share the columns; deaths do not depend on
 * how many. cocycle (may be NULL) is called from one thread when all is done; what it gets is the same for
 * every run with one thread only. cancel is asked now and then with the fraction done. Errors:
 * GLSHAPE_NO_MEMORY, GLSHAPE_CANCELLED. */
glshape_status rips_reduce(error *err, const rips_space *s, int vertices, const rips_entry *columns,
                           uint32_t count, int threads, bool (*go_on)(void *user, double fraction),
                           void *user, rips_cocycle cocycle, void *cocycle_user, rips_death *deaths,
                           rips_work *work);

#endif
