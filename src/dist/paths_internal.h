/* What the files of dist/paths share. Inside src/dist. */
#ifndef GLSHAPE_DIST_PATHS_INTERNAL_H
#define GLSHAPE_DIST_PATHS_INTERNAL_H

#include <pthread.h>

#include "dist/paths.h"
#include "dist/paths_search.h"
#include "dist/row_cache.h"

struct dist_paths {
    pthread_mutex_t busy; /* held by the call that uses what follows */
    glshape_graph graph;
    bool exact;
    int threads;
    paths_scratch *scratch; /* one a thread */
    row_cache cache;
    uint32_t *wanted; /* of each node: how many pairs ask for it, then its group + 1; 0 between calls */
    dist_paths_counts counts;
};

/* GLSHAPE_BAD_ARGUMENT unless all are nodes. */
glshape_status paths_check_nodes(error *err, const dist_paths *p, const uint32_t *nodes, size_t count);

/* Sets p->exact; GLSHAPE_BAD_INPUT if a distance may be too large for a float. scratch[0] is there. */
glshape_status paths_check_lengths(error *err, dist_paths *p);

#endif
