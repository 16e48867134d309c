/* Graphs as text, an edge a line: edge lists and DIMACS. The rules are at io_read_graph(). Inside src/io. */
#ifndef GLSHAPE_IO_EDGES_H
#define GLSHAPE_IO_EDGES_H

#include "io/graph_parts.h"

/* Whether s, of which nothing is read yet, starts with DIMACS comments, if any, and "p sp". */
bool io_edges_is_dimacs(const io_stream *s);

/* Reads the whole of s into *parts, whose values is set and whose entries.name is. */
glshape_status io_edges_read_dimacs(error *err, io_stream *s, io_graph_parts *parts);
glshape_status io_edges_read(error *err, io_stream *s, io_graph_parts *parts);

#endif
