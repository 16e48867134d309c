#include "io/graph/graph.h"

#include <stdio.h>
#include <stdlib.h>

const char *io_graph_name(const io_graph *graph, size_t v, char number[IO_NODE_ROOM]) {
    if (graph->names) return graph->names[v];
    snprintf(number, IO_NODE_ROOM, "%llu", (unsigned long long)(graph->first + v));
    return number;
}

void io_graph_free(io_graph *graph) {
    free((void *)graph->graph.start);
    free((void *)graph->graph.to);
    free((void *)graph->graph.weight);
    free((void *)graph->length);
    free(graph->names);
    *graph = (io_graph){.edges = 0};
}
