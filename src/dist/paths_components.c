#include <stdlib.h>

#include "base/memory.h"
#include "dist/paths.h"

#define NONE UINT32_MAX

/* Gives the component of the first of queue to all that it reaches; returns their number. */
static uint32_t flood(const glshape_graph *g, uint32_t *queue, uint32_t *component_of) {
    uint32_t end = 1, component = component_of[queue[0]];
    for (uint32_t at = 0; at < end; at++)
        for (size_t k = g->start[queue[at]]; k < g->start[queue[at] + (size_t)1]; k++) {
            if (component_of[g->to[k]] != NONE) continue;
            component_of[g->to[k]] = component;
            queue[end++] = g->to[k];
        }
    return end;
}

glshape_status dist_components(error *err, const glshape_graph *g, uint32_t *component_of, uint32_t *count,
                               uint32_t **sizes) {
    uint32_t *queue;
    *count = 0;
    *sizes = NULL;
    TRY(allocate(err, &queue, g->nodes, sizeof *queue, "the components of the graph"));
    glshape_status status = allocate(err, sizes, g->nodes, sizeof **sizes, "the components of the graph");
    for (size_t v = 0; v < g->nodes; v++) component_of[v] = NONE;
    for (size_t v = 0; v < g->nodes && status == GLSHAPE_OK; v++) {
        if (component_of[v] != NONE) continue;
        component_of[v] = *count;
        queue[0] = (uint32_t)v;
        (*sizes)[(*count)++] = flood(g, queue, component_of);
    }
    free(queue);
    return status;
}

/* Arrays of a component; start is filled with the number of its edges at the end. */
static glshape_status allocate_component(error *err, size_t nodes, size_t edges, bool weighted,
                                         size_t **start, uint32_t **to, float **weight) {
    TRY(allocate(err, start, nodes + 1, sizeof **start, "a component of the graph"));
    TRY(allocate(err, to, edges, sizeof **to, "a component of the graph"));
    return weighted ? allocate(err, weight, edges, sizeof **weight, "a component of the graph") : GLSHAPE_OK;
}

static void copy_edges(const glshape_graph *g, const uint32_t *node_of, const uint32_t *new_of, size_t nodes,
                       size_t *start, uint32_t *to, float *weight) {
    size_t used = 0;
    for (size_t v = 0; v < nodes; start[++v] = used)
        for (size_t k = g->start[node_of[v]]; k < g->start[node_of[v] + (size_t)1]; k++) {
            if (weight) weight[used] = g->weight[k];
            to[used++] = new_of[g->to[k]];
        }
}

glshape_status dist_component(error *err, const glshape_graph *g, const uint32_t *nodes, uint32_t size,
                              const uint32_t *place, glshape_graph *out) {
    uint32_t *to = NULL;
    size_t *start = NULL, edges = 0;
    float *weight = NULL;
    for (uint32_t k = 0; k < size; k++) edges += g->start[nodes[k] + (size_t)1] - g->start[nodes[k]];
    glshape_status status = allocate_component(err, size, edges, g->weight != NULL, &start, &to, &weight);
    if (status == GLSHAPE_OK) copy_edges(g, nodes, place, size, start, to, weight);
    *out = (glshape_graph){.nodes = size, .start = start, .to = to, .weight = weight};
    if (status != GLSHAPE_OK) dist_component_free(out);
    return status;
}

void dist_component_free(glshape_graph *component) {
    free((void *)component->start);
    free((void *)component->to);
    free((void *)component->weight);
    *component = (glshape_graph){.nodes = 0};
}
