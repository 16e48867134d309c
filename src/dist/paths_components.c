#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "dist/paths.h"

#define NONE UINT32_MAX

/* Gives all nodes that queue[0] reaches its component. Returns how many nodes these are. */
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
    OWNED uint32_t *queue = NULL;
    *count = 0;
    *sizes = NULL;
    TRY(allocate(err, &queue, g->nodes, sizeof *queue, "the components of the graph"));
    TRY(allocate(err, sizes, g->nodes, sizeof **sizes, "the components of the graph"));
    for (size_t v = 0; v < g->nodes; v++) component_of[v] = NONE;
    for (size_t v = 0; v < g->nodes; v++) {
        if (component_of[v] != NONE) continue;
        component_of[v] = *count;
        queue[0] = (uint32_t)v;
        (*sizes)[(*count)++] = flood(g, queue, component_of);
    }
    return GLSHAPE_OK;
}

glshape_status dist_component(error *err, const glshape_graph *g, const uint32_t *nodes, uint32_t size,
                              const uint32_t *place, glshape_graph *out) {
    OWNED size_t *start = NULL;
    OWNED uint32_t *to = NULL;
    OWNED float *weight = NULL;
    size_t edges = 0, used = 0;
    *out = (glshape_graph){.nodes = 0};
    for (uint32_t v = 0; v < size; v++) edges += g->start[nodes[v] + (size_t)1] - g->start[nodes[v]];
    TRY(allocate(err, &start, size + (size_t)1, sizeof *start, "a component of the graph"));
    TRY(allocate(err, &to, edges, sizeof *to, "a component of the graph"));
    if (g->weight) TRY(allocate(err, &weight, edges, sizeof *weight, "a component of the graph"));
    for (uint32_t v = 0; v < size; start[++v] = used)
        for (size_t k = g->start[nodes[v]]; k < g->start[nodes[v] + (size_t)1]; k++) {
            if (weight) weight[used] = g->weight[k];
            to[used++] = place[g->to[k]];
        }
    *out = (glshape_graph){.nodes = size, .start = MOVE(start), .to = MOVE(to), .weight = MOVE(weight)};
    return GLSHAPE_OK;
}

void dist_component_free(glshape_graph *component) {
    free((void *)component->start);
    free((void *)component->to);
    free((void *)component->weight);
    *component = (glshape_graph){.nodes = 0};
}
