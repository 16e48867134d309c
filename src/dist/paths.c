#include "dist/paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "dist/paths_internal.h"

static void free_owned(dist_paths **p) { dist_paths_free(*p); }

glshape_status dist_paths_new(error *err, const glshape_graph *g, int threads, size_t cache_bytes,
                              dist_paths **out) {
    OWNED_BY(free_owned) dist_paths *p = NULL;
    *out = NULL;
    TRY(dist_graph_check(err, g));
    TRY(allocate(err, &p, 1, sizeof *p, "the search for paths"));
    pthread_mutex_init(&p->busy, NULL);
    p->graph = *g;
    p->threads = threads_count(threads);
    TRY(allocate(err, &p->scratch, (size_t)p->threads, sizeof *p->scratch, "the search for paths"));
    for (int t = 0; t < p->threads; t++) TRY(paths_scratch_new(err, &p->graph, &p->scratch[t]));
    TRY(allocate(err, &p->wanted, p->graph.nodes, sizeof *p->wanted, "the search for paths"));
    TRY(row_cache_new(err, p->graph.nodes, cache_bytes, &p->cache));
    TRY(paths_check_lengths(err, p));
    *out = MOVE(p);
    return GLSHAPE_OK;
}

void dist_paths_free(dist_paths *p) {
    if (!p) return;
    for (int t = 0; p->scratch && t < p->threads; t++) paths_scratch_free(&p->scratch[t]);
    row_cache_free(&p->cache);
    free(p->scratch);
    pthread_mutex_destroy(&p->busy);
    free(p->wanted);
    free(p);
}

bool dist_paths_exact(const dist_paths *p) { return p->exact; }

dist_paths_counts dist_paths_counted(const dist_paths *p) { return p->counts; }

glshape_status paths_check_nodes(error *err, const dist_paths *p, const uint32_t *nodes, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (nodes[k] >= p->graph.nodes)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "node %lu of a graph of %zu (counted from 0)",
                        (unsigned long)nodes[k], p->graph.nodes);
    return GLSHAPE_OK;
}

/* ---- how far, and how exactly ----------------------------------------------------------------------- */

/* The exponent of the lowest bit that is set in length. */
static int lowest_bit(float length) {
    int exponent, shift = 0;
    uint32_t mantissa = (uint32_t)ldexpf(frexpf(length, &exponent), 24);
    while (!(mantissa >> shift & 1)) shift++;
    return exponent - 24 + shift;
}

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

/* A double holds every multiple of 2^low up to 2^(low + 53), and adds two of them exactly if the sum is one
 * of them. The search forms sums up to the width of the graph and one edge more; 1/1024 is for the rounding
 * in the width itself. */
glshape_status paths_check_lengths(error *err, dist_paths *p) {
    const glshape_graph *g = &p->graph;
    float most = 0;
    int low = 128;
    double width;
    p->exact = true;
    if (!g->weight) return GLSHAPE_OK;
    for (size_t k = 0; k < g->start[g->nodes]; k++) {
        int bit = lowest_bit(g->weight[k]);
        if (bit < low) low = bit;
        if (g->weight[k] > most) most = g->weight[k];
    }
    TRY(bound_distances(err, p, &width));
    if (width > 3e38)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "paths of the graph may be as long as %g, more than single precision holds: make its "
                    "lengths smaller",
                    width);
    p->exact = (width + (double)most) * (1 + 1.0 / 1024) <= ldexp(1, low + 53);
    return GLSHAPE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef struct rows_job {
    const dist_paths *p;
    const uint32_t *sources;
    float *out;
} rows_job;

/* Computes row k, unless it was copied from the cache: then the distance of its source is 0, else -1. */
static void search_row(void *user, size_t k, paths_scratch *scratch) {
    const rows_job *job = user;
    float *row = job->out + k * job->p->graph.nodes;
    if (row[job->sources[k]] != 0) paths_search(&job->p->graph, scratch, &job->sources[k], 1, row);
}

glshape_status dist_paths_rows(error *err, dist_paths *p, const uint32_t *sources, size_t count, float *out) {
    size_t nodes = p->graph.nodes;
    TRY(paths_check_nodes(err, p, sources, count));
    pthread_mutex_lock(&p->busy);
    row_cache_begin(&p->cache);
    for (size_t k = 0; k < count; k++) {
        const float *row = row_cache_find(&p->cache, sources[k]);
        if (row) memcpy(out + k * nodes, row, nodes * sizeof *out);
        else out[k * nodes + sources[k]] = -1, p->counts.rows++;
    }
    rows_job job = {p, sources, out};
    paths_run(p->scratch, p->threads, count, search_row, &job);
    pthread_mutex_unlock(&p->busy);
    return GLSHAPE_OK;
}
