/* A graph while it is being read. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_PARTS_H
#define GLSHAPE_IO_GRAPH_PARTS_H

#include "io/graph/graph.h"
#include "io/graph/sparse_entries.h"
#include "io/sparse_lines.h"

typedef struct io_graph_parts {
    io_graph_values values;
    bool arcs;   /* entries are arcs, and each needs its partner; else they are edges */
    bool either; /* an arc is an edge */
    size_t nodes;
    io_entries entries; /* value: 1 if values are ignored */
    size_t loops;
    bool has_values, has_lengths;
    uint64_t first;
    char **names; /* free() it */
} io_graph_parts;

/* Adds an edge, or an arc if parts->arcs. A loop is only counted. */
glshape_status io_graph_add(error *err, io_graph_parts *parts, uint32_t from, uint32_t to, double length);

/* Reads the value of an edge from field. GLSHAPE_BAD_INPUT with the current line if it is not finite, or
 * not what `values` asks for. */
glshape_status io_graph_value(error *err, const io_stream *s, io_graph_values values, const io_field *field,
                              double *out);

/* GLSHAPE_BAD_INPUT with the current line if values are lengths or heights and this value, as a float, is
 * none. */
glshape_status io_graph_check_value(error *err, const io_stream *s, io_graph_values values, double value);

/* Builds *out (io_graph_free()) from the parts and takes over their names; on failure *out is zeroed.
 * GLSHAPE_BAD_INPUT if an arc has no partner. */
glshape_status io_graph_build(error *err, io_graph_parts *parts, io_graph *out);

#endif
