/* glshape_mst: the public call. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "gpu/context.h"
#include "tree/tree.h"

static glshape_status check_sizes(error *err, const glshape_edges *edges) {
    if (edges->nodes < UINT32_MAX && edges->count < UINT32_MAX) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%zu nodes and %zu edges; at most %lu of each can be handled",
                edges->nodes, edges->count, (unsigned long)UINT32_MAX - 1);
}

/* Moves the forest's arrays into the result. */
static void hand_over(gpu *g, tree_forest *f, glshape_mst_result *r) {
    *r = (glshape_mst_result){.count = f->count,
                              .i = f->i,
                              .j = f->j,
                              .weight = f->weight,
                              .components = f->components,
                              .gpu_bytes = gpu_recent_bytes(g)};
    gpu_fact(g, f->rounds, "rounds");
    for (size_t k = 0; k < r->count; k++) r->total += r->weight[k];
}

static glshape_status find(gpu *g, const glshape_edges *edges, bool maximum, glshape_mst_result *result) {
    TRY(check_sizes(gpu_error(g), edges));
    float *ones = NULL;
    if (!edges->weight) TRY(allocate(gpu_error(g), &ones, edges->count, sizeof *ones, "the weights"));
    for (size_t k = 0; ones && k < edges->count; k++) ones[k] = 1;
    tree_graph graph = {.n = (uint32_t)edges->nodes,
                        .count = edges->count,
                        .i = edges->i,
                        .j = edges->j,
                        .weight = ones ? ones : edges->weight,
                        .maximum = maximum};
    tree_forest forest;
    glshape_status status = tree_mst(g, &graph, &forest);
    free(ones);
    if (!status) hand_over(g, &forest, result);
    return status;
}

glshape_status glshape_mst(glshape_context *context, const glshape_edges *edges,
                           const glshape_mst_options *options, glshape_mst_result *result) {
    *result = (glshape_mst_result){0};
    gpu *g;
    TRY(context_begin(context, &g));
    gpu_begin_method(g);
    double start = wall_seconds();
    glshape_status status = find(g, edges, options && options->maximum, result);
    if (!status) status = gpu_tick(g, 1);
    if (status) glshape_mst_free(result);
    else result->seconds = wall_seconds() - start;
    return context_end(context, status);
}

void glshape_mst_free(glshape_mst_result *result) {
    free(result->i);
    free(result->j);
    free(result->weight);
    *result = (glshape_mst_result){0};
}
