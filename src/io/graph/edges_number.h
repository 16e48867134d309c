/* Numbers the nodes of an edge list. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_EDGES_NUMBER_H
#define GLSHAPE_IO_GRAPH_EDGES_NUMBER_H

#include "io/graph/edges_names.h"
#include "io/graph/graph_parts.h"

/* Replaces, in parts->entries, the numbers of names by numbers of nodes, by the rules of io_read_graph();
 * sets nodes, first and names. header: names 0 and 1 came from the header, and no entry has them. */
glshape_status io_edges_number(error *err, const io_names *names, bool header, io_graph_parts *parts);

#endif
