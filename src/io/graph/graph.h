/* Reading graphs. */
#ifndef GLSHAPE_IO_GRAPH_H
#define GLSHAPE_IO_GRAPH_H

#include <stdbool.h>

#include "io/stream.h"

/* What the values of a file are taken for. */
typedef enum {
    IO_GRAPH_PLAIN,    /* nothing: they are ignored, every edge has length 1 */
    IO_GRAPH_LENGTHS,  /* lengths, positive and finite; every edge needs one */
    IO_GRAPH_HEIGHTS,  /* likewise, but 0 is a length, too */
    IO_GRAPH_LEAST,    /* weights, finite; if the first edge has none, none may have: all are 1 */
    IO_GRAPH_GREATEST, /* likewise; of repeated edges the heaviest is kept */
} io_graph_values;

typedef struct io_graph {
    glshape_graph graph; /* its arrays belong to this struct; neighbours ascend; no loops, no double edges */
    double *length;   /* IO_GRAPH_HEIGHTS: of the edges, if single precision does not have all; else NULL */
    size_t edges;     /* each counted once */
    uint64_t first;   /* the number of node 0 in the file if names is NULL: node v is first + v */
    char **names;     /* of the nodes, one block with the texts; NULL if they are numbered throughout */
    size_t loops;     /* edges from a node to itself (diagonal entries), left out */
    size_t repeated;  /* edges that were there already, left out; the shortest (or the heaviest) is kept */
    bool has_values;  /* the file has a value for some edge */
    bool has_lengths; /* and one of them is a number other than 1 */
} io_graph;

/* Reads path ("-": standard input; gzip is decompressed) into *out, to be released with io_graph_free(); on
 * failure *out is zeroed. What the values of the file mean is the caller's to know (in power networks they
 * are admittances, in social ones counts: more is closer); weighted below is any but IO_GRAPH_PLAIN.
 *
 * Told apart by content:
 *
 * Matrix Market, coordinate format, square: an edge for each entry. General matrices must have each entry on
 * both sides of the diagonal, with the same value if weighted. Not weighted, entries of value 0 are none.
 *
 * scipy.sparse.save_npz, csr, csc or coo, square: as a general matrix of Matrix Market, but counted from 0.
 *
 * DIMACS shortest paths (.gr: "p sp NODES ARCS", then "a FROM TO LENGTH"; comments "c"): each arc needs its
 * partner, of the same length if weighted.
 *
 * Edge list, any other text: an edge a line, two nodes and perhaps a value, between white space, tabs,
 * commas or semicolons (the first line decides). Blank lines and lines that start with '#' or '%' are
 * skipped. Names of nodes are any text. If all are whole numbers, without a gap from 0 or 1 on, they are the
 * numbers of the nodes; whole numbers with gaps become names in ascending order; other names are in the order
 * in which they appear. A first line is a header, and skipped, if it says "source target" or "from to", if it
 * alone has no whole numbers, or if weighted and its three fields are no numbers, the third has a letter
 * and no edge has its nodes.
 * A third field {}, as networkx writes it, is none.
 *
 * GLSHAPE_BAD_INPUT, with the line where there is one: not square, a direction ("edge 3 → 7 has no partner"),
 * weighted and a value that is missing, NaN, infinite or, of a length, not positive, and as io_read_sparse().
 * Edges from a node to itself are left out, whatever their values.
 * GLSHAPE_IO_ERROR, GLSHAPE_NO_MEMORY: as io_read_matrix(). */
glshape_status io_read_graph(error *err, const char *path, io_graph_values values, io_graph *out);

/* The same for a graph that only says who is next to whom: an edge that a file has in one direction is one in
 * both. The shorter of two that differ is kept. */
glshape_status io_read_adjacency(error *err, const char *path, io_graph_values values, io_graph *out);
/* The same from s. */
glshape_status io_read_adjacency_stream(error *err, io_stream *s, io_graph_values values, io_graph *out);

/* What the file calls node v: its name, or its number printed into number. */
enum { IO_NODE_ROOM = 24 };
const char *io_graph_name(const io_graph *graph, size_t v, char number[IO_NODE_ROOM]);

/* Releases what *graph holds and zeroes it. */
void io_graph_free(io_graph *graph);

#endif
