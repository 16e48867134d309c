/* glshape_mst: the public call. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "gpu/context.h"
#include "tree/tree.h"

static glshape_status compute_forest(gpu *g, const glshape_edges *edges, bool maximum,
                                     glshape_mst_result *result) {
    OWNED_BY(tree_forest_free) tree_forest forest = {0};
    OWNED float *ones = NULL;
    double start = wall_seconds(), total = 0;
    run_begin_stage(run_of(g), "edges", RUN_NOT_BY_PASSES);
    if (edges->nodes >= UINT32_MAX || edges->count >= UINT32_MAX)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                    "%zu nodes and %zu edges; at most %lu of each can be handled", edges->nodes, edges->count,
                    (unsigned long)UINT32_MAX - 1);
    if (edges->count && (!edges->i || !edges->j))
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                    "edges without ends: a pointer to them is NULL");
    if (!edges->weight) TRY(allocate(run_error(run_of(g)), &ones, edges->count, sizeof *ones, "the weights"));
    for (size_t k = 0; ones && k < edges->count; k++) ones[k] = 1;
    tree_graph graph = {.n = (uint32_t)edges->nodes,
                        .count = edges->count,
                        .i = edges->i,
                        .j = edges->j,
                        .weight = ones ? ones : edges->weight,
                        .maximum = maximum};
    TRY(tree_mst(g, &graph, &forest));
    for (size_t k = 0; k < forest.count; k++) total += forest.weight[k];
    if (forest.rounds) run_fact(run_of(g), forest.rounds, "rounds");
    TRY(run_tick(run_of(g), 1));
    *result = (glshape_mst_result){.count = forest.count,
                                   .i = MOVE(forest.i),
                                   .j = MOVE(forest.j),
                                   .weight = MOVE(forest.weight),
                                   .total = total,
                                   .components = forest.components,
                                   .seconds = wall_seconds() - start,
                                   .gpu_bytes = gpu_recent_bytes(g)};
    return GLSHAPE_OK;
}

glshape_status glshape_mst(glshape_context *context, const glshape_edges *edges,
                           const glshape_mst_options *options, glshape_mst_result *result) {
    *result = (glshape_mst_result){0};
    gpu *g;
    TRY(CONTEXT_BEGIN_METHOD(context, options, &g));
    return context_end(context, compute_forest(g, edges, options && options->maximum, result));
}

void glshape_mst_free(glshape_mst_result *result) {
    free(result->i);
    free(result->j);
    free(result->weight);
    *result = (glshape_mst_result){0};
}
