/* The elder rule over many edges, by threads. Inside src/cubical. */
#ifndef GLSHAPE_CUBICAL_JOINS_H
#define GLSHAPE_CUBICAL_JOINS_H

#include "base/error.h"

/* An edge between two components; it may lead from one to itself. place: in the order of edges. */
typedef struct joins_edge {
    uint32_t end[2], place;
} joins_edge;

#define JOINS_NEVER UINT32_MAX

/* Sets ended[m] to the place of the edge at which component m joins an older one, or JOINS_NEVER. birth: what
 * is less is older; all differ. edges: ascending places; they are used up. in_rounds: by all threads.
 * Errors: GLSHAPE_NO_MEMORY. */
glshape_status joins_end(error *err, const uint64_t *birth, uint32_t count, joins_edge *edges,
                         size_t edge_count, bool in_rounds, uint32_t *ended);
/* Whether rounds are faster than one thread. */
bool joins_in_rounds(size_t edge_count);

#endif
