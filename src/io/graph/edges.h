/* Graphs as text, an edge a line: edge lists and DIMACS. io_read_graph() has the rules. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_EDGES_H
#define GLSHAPE_IO_GRAPH_EDGES_H

#include "io/graph/graph_parts.h"

/* Returns true if s, of which nothing is read yet, starts with DIMACS comments, if any, and "p sp". */
bool io_edges_is_dimacs(const io_stream *s);

/* Read the whole of s into *parts. The caller has set parts->values and parts->entries.name. */
glshape_status io_edges_read_dimacs(error *err, io_stream *s, io_graph_parts *parts);
glshape_status io_edges_read(error *err, io_stream *s, io_graph_parts *parts);

#endif
