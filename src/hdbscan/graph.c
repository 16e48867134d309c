/* The tree of a graph by mutual reachability: an edge that is not there is infinite. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "dist/paths.h"
#include "hdbscan/hdbscan.h"

typedef struct neighbor {
    uint32_t to;
    double length;
} neighbor;

static int by_node(const void *a, const void *b) {
    const neighbor *x = a, *y = b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

static int by_length(const void *a, const void *b) {
    const neighbor *x = a, *y = b;
    return (x->length > y->length) - (x->length < y->length);
}

static double length_of(const glshape_source *s, size_t k) {
    if (s->graph_lengths) return s->graph_lengths[k];
    return s->graph->weight ? (double)s->graph->weight[k] : 1;
}

/* Lists the neighbors of v, each once, at its shortest edge; returns how many. */
static size_t list_neighbors(const glshape_source *source, uint32_t v, neighbor *list) {
    const glshape_graph *graph = source->graph;
    size_t count = 0, kept = 0;
    for (size_t k = graph->start[v]; k < graph->start[v + 1]; k++)
        if (graph->to[k] != v) list[count++] = (neighbor){graph->to[k], length_of(source, k)};
    qsort(list, count, sizeof *list, by_node);
    for (size_t k = 0; k < count; k++)
        if (!kept || list[kept - 1].to != list[k].to) list[kept++] = list[k];
    return kept;
}

/* within: how many neighbors the core distance reaches. */
static glshape_status find_cores(error *err, const glshape_source *source, size_t within, double *core) {
    const glshape_graph *graph = source->graph;
    OWNED neighbor *list = NULL;
    size_t most = 0;
    for (size_t v = 0; v < graph->nodes; v++)
        if (graph->start[v + 1] - graph->start[v] > most) most = graph->start[v + 1] - graph->start[v];
    TRY(allocate(err, &list, most, sizeof *list, "the neighbors of a node"));
    for (uint32_t v = 0; v < graph->nodes && within; v++) {
        size_t count = list_neighbors(source, v, list);
        qsort(list, count, sizeof *list, by_length);
        core[v] = count < within ? INFINITY : list[within - 1].length;
    }
    return GLSHAPE_OK;
}

/* A graph of mutual reachabilities. Edges that are infinite are left out. */
typedef struct raised {
    size_t *start;
    uint32_t *to;
    float *weight;
    double *length; /* NULL if none of them is more precise */
} raised;

static void raised_free(raised *m) {
    free(m->start);
    free(m->to);
    free(m->weight);
    free(m->length);
}

static glshape_status raise_edges(error *err, const glshape_source *source, const double *core, double alpha,
                                  raised *m) {
    const glshape_graph *graph = source->graph;
    size_t count = 0;
    TRY(allocate(err, &m->start, graph->nodes + 1, sizeof *m->start, "the edges"));
    TRY(allocate(err, &m->to, graph->start[graph->nodes], sizeof *m->to, "the edges"));
    TRY(allocate(err, &m->weight, graph->start[graph->nodes], sizeof *m->weight, "the edges"));
    if (source->graph_lengths || alpha != 1)
        TRY(allocate(err, &m->length, graph->start[graph->nodes], sizeof *m->length, "the edges"));
    for (size_t v = 0; v < graph->nodes; v++) {
        for (size_t k = graph->start[v]; k < graph->start[v + 1]; k++) {
            double reach = fmax(length_of(source, k) / alpha, fmax(core[v], core[graph->to[k]]));
            if (isinf(reach)) continue;
            m->to[count] = graph->to[k];
            if (m->length) m->length[count] = reach;
            m->weight[count++] = (float)reach;
        }
        m->start[v + 1] = count;
    }
    return GLSHAPE_OK;
}

glshape_status hdbscan_graph(gpu *g, const glshape_source *source, linkage_tree *tree,
                             glshape_hdbscan_result *r) {
    OWNED_BY(raised_free) raised m = {0};
    const glshape_graph *graph = source->graph;
    double since = wall_seconds();
    run_begin_stage(run_of(g), "cores", RUN_NOT_BY_PASSES);
    TRY(dist_graph_check_heights(run_error(run_of(g)), graph));
    TRY(find_cores(run_error(run_of(g)), source, (size_t)r->options.min_samples - 1, r->core));
    TRY(raise_edges(run_error(run_of(g)), source, r->core, r->options.alpha, &m));
    r->seconds.cores = clock_lap(&since);
    return linkage_graph(g, &(glshape_graph){graph->nodes, m.start, m.to, m.weight}, m.length, tree,
                         &r->components);
}
