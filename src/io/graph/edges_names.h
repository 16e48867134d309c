/* The names of nodes, each with a number. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_EDGES_NAMES_H
#define GLSHAPE_IO_GRAPH_EDGES_NAMES_H

#include <stdbool.h>

#include "io/label_list.h"

/* The names of nodes. Names are numbered in the order in which they are first looked up. */
typedef struct io_names {
    io_label_list list;
    uint32_t *slot;       /* open addressing: number + 1, 0 if free */
    size_t slots, hashed; /* a power of 2, or 0; names that have a slot */
    uint32_t *table;      /* of names that are whole numbers below table_size, by value: number + 1, or 0 */
    size_t table_size;
} io_names;

/* Sets *out to the number of the name text[0 .. length); a name that is new gets the next number. */
glshape_status io_names_number(error *err, io_names *names, const char *text, size_t length, uint32_t *out);

/* Returns true if name i is a whole number below 2^53, however it is written ("7", "007", "7.0", "7e0"). */
bool io_names_whole(const io_names *names, size_t i, uint64_t *out);

/* Copies the names from first on, in their order, into *out: one block for free(). */
glshape_status io_names_copy(error *err, const io_names *names, size_t first, char ***out);

void io_names_free(io_names *names);

#endif
