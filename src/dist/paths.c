#include "dist/paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/paths_internal.h"

/* ---- how far ----------------------------------------------------------------------------------------- */

/* Sets *out to a bound on all distances: twice the distance of the node that is farthest from the lowest node
 * of its component. */
static glshape_status bound_distances(error *err, dist_paths *p, double *out) {
    OWNED uint32_t *component_of = NULL, *sizes = NULL, *lowest = NULL;
    uint32_t count = 0;
    size_t nodes = p->graph.nodes;
    TRY(allocate(err, &component_of, nodes, sizeof *component_of, "the components of the graph"));
    TRY(dist_components(err, &p->graph, component_of, &count, &sizes));
    TRY(allocate(err, &lowest, count, sizeof *lowest, "the components"));
    for (size_t v = nodes; v-- > 0;) lowest[component_of[v]] = (uint32_t)v;
    paths_search(&p->graph, p->scratch, lowest, count, p->scratch->row);
    *out = 0;
    for (size_t v = 0; v < nodes; v++) *out = fmax(*out, 2 * p->scratch->distance[v]);
    return GLSHAPE_OK;
}

/* GLSHAPE_BAD_INPUT if a distance may be too large for a float. scratch[0] is there. */
static glshape_status check_lengths(error *err, dist_paths *p) {
    double width;
    if (!p->graph.weight) return GLSHAPE_OK;
    TRY(bound_distances(err, p, &width));
    if (width <= 3e38) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "paths of the graph may be as long as %g, more than single precision holds: make its "
                "lengths smaller",
                width);
}

/* ---- the search -------------------------------------------------------------------------------------- */

static void free_owned(dist_paths **p) { dist_paths_free(*p); }

glshape_status dist_paths_new(error *err, const glshape_graph *g, int threads, dist_paths **out) {
    OWNED_BY(free_owned) dist_paths *p = NULL;
    *out = NULL;
    TRY(dist_graph_check(err, g));
    TRY(allocate(err, &p, 1, sizeof *p, "the search for paths"));
    pthread_mutex_init(&p->busy, NULL);
    p->graph = *g;
    p->threads = threads_count(threads);
    TRY(allocate(err, &p->scratch, (size_t)p->threads, sizeof *p->scratch, "the search for paths"));
    for (int t = 0; t < p->threads; t++) TRY(paths_scratch_new(err, &p->graph, &p->scratch[t]));
    TRY(check_lengths(err, p));
    *out = MOVE(p);
    return GLSHAPE_OK;
}

void dist_paths_free(dist_paths *p) {
    if (!p) return;
    for (int t = 0; p->scratch && t < p->threads; t++) paths_scratch_free(&p->scratch[t]);
    free(p->scratch);
    pthread_mutex_destroy(&p->busy);
    free(p);
}

static glshape_status check_nodes(error *err, const dist_paths *p, const uint32_t *nodes, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (nodes[k] >= p->graph.nodes)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "node %lu of a graph of %zu (counted from 0)",
                        (unsigned long)nodes[k], p->graph.nodes);
    return GLSHAPE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef struct rows_job {
    const dist_paths *p;
    const uint32_t *sources;
    float *out;
} rows_job;

static void search_row(void *user, size_t k, paths_scratch *scratch) {
    const rows_job *job = user;
    float *row = job->out + k * job->p->graph.nodes;
    paths_search(&job->p->graph, scratch, &job->sources[k], 1, row);
}

glshape_status dist_paths_rows(error *err, dist_paths *p, const uint32_t *sources, size_t count, float *out) {
    TRY(check_nodes(err, p, sources, count));
    pthread_mutex_lock(&p->busy);
    rows_job job = {p, sources, out};
    paths_run(p->scratch, p->threads, count, search_row, &job);
    pthread_mutex_unlock(&p->busy);
    return GLSHAPE_OK;
}
