/* What the files of dist/paths share. Inside src/dist. */
#ifndef GLSHAPE_DIST_PATHS_INTERNAL_H
#define GLSHAPE_DIST_PATHS_INTERNAL_H

#include <pthread.h>

#include "dist/paths.h"
#include "dist/paths_search.h"

struct dist_paths {
    pthread_mutex_t busy; /* held by the call that uses what follows */
    glshape_graph graph;
    int threads;
    paths_scratch *scratch; /* one a thread */
};

#endif
