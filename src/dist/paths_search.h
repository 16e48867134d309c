/* Searches from a node, and the threads that run them. Inside src/dist. */
#ifndef GLSHAPE_DIST_PATHS_SEARCH_H
#define GLSHAPE_DIST_PATHS_SEARCH_H

#include "base/error.h"

/* What one thread needs: memory for each node of the graph. */
typedef struct paths_scratch {
    uint32_t *queue;  /* to be visited: in order, or as a heap */
    uint32_t *place;  /* weighted: where in the heap */
    double *distance; /* weighted: the least found so far */
    float *row;
} paths_scratch;

/* paths_scratch_free(), also after a failure. */
glshape_status paths_scratch_new(error *err, const glshape_graph *g, paths_scratch *out);
void paths_scratch_free(paths_scratch *s);

/* row[v] becomes the distance of v from the nearest of the sources; infinity if no source reaches v. */
void paths_search(const glshape_graph *g, paths_scratch *s, const uint32_t *sources, size_t count,
                  float *row);

/* Does item k, on any of the threads. It may write only what no other item reads or writes. */
typedef void (*paths_work)(void *user, size_t k, paths_scratch *scratch);

/* Does items 0 … count - 1 on at most `threads` threads, each with a scratch of its own. If the system starts
 * fewer threads, those do all items. */
void paths_run(paths_scratch *scratch, int threads, size_t count, paths_work work, void *user);

#endif
