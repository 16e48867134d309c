/* From the names of an edge list to the numbers of its nodes. Inside src/io. */
#ifndef GLSHAPE_IO_EDGES_NUMBER_H
#define GLSHAPE_IO_EDGES_NUMBER_H

#include "io/edges_names.h"
#include "io/graph_parts.h"

/* Numbers the nodes by the rules of io_read_graph(), in parts->entries, whose nodes have the numbers of
 * names; sets nodes, first and names. header: names 0 and 1 are not nodes, no entry has them. */
glshape_status io_edges_number(error *err, const io_names *names, bool header, io_graph_parts *parts);

#endif
