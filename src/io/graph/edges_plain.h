/* Edge lists whose names are whole numbers as one writes them: read by all processors, without a list of
 * names. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_EDGES_PLAIN_H
#define GLSHAPE_IO_GRAPH_EDGES_PLAIN_H

#include "io/block.h"
#include "io/graph/edges_names.h"
#include "io/graph/graph_parts.h"

enum { IO_PLAIN_DIGITS = 10 }; /* of a plain name, with a NUL */

/* Entries from `first` on have such numbers in place of names' numbers, and loops are among them. */
typedef struct io_edges_plain {
    io_graph_parts *parts;
    char delimiter;
    bool bare; /* edges have no third field */
    size_t first;
    io_block block; /* its stream is set */
} io_edges_plain;

/* Reads the lines that follow, as long as they are plain edges; *read is how many. */
glshape_status io_edges_plain_read(error *err, io_edges_plain *p, size_t *read);
/* Takes line[0 .. length) if it is a plain edge; *taken: it was. */
glshape_status io_edges_plain_take(error *err, io_edges_plain *p, const char *line, size_t length,
                                   bool *taken);

/* Makes a node of each number, by ascending ones, and drops loops. *done is false, and nothing has changed,
 * if the numbers are much larger than they are many; then, and where other names follow,
 * io_edges_plain_name(). */
glshape_status io_edges_plain_number(error *err, const io_edges_plain *p, bool *done);
/* Gives names to the numbers of all entries, in their order, and drops loops: from here on they are entries
 * like any other. */
glshape_status io_edges_plain_name(error *err, const io_edges_plain *p, io_names *names);

#endif
