/* Entries of a matrix in the order of a file, and their way into rows. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_SPARSE_ENTRIES_H
#define GLSHAPE_IO_GRAPH_SPARSE_ENTRIES_H

#include "base/error.h"

typedef struct io_entry {
    uint32_t row, col;
    double value;
} io_entry;

typedef struct io_entries {
    const char *name; /* what messages call their file */
    size_t limit;     /* there are never more; 0: unknown */
    io_entry *at;
    size_t count, capacity;
    bool both; /* each stands for two: of (row, col) and of (col, row) */
} io_entries;

/* Appends an entry. GLSHAPE_NO_MEMORY; the entries stay valid. */
glshape_status io_entries_add(error *err, io_entries *entries, uint32_t row, uint32_t col, double value);

void io_entries_free(io_entries *entries);

typedef struct io_cell {
    uint32_t column;
    double value;
} io_cell;

/* The cells of row r are cell[start[r]] .. cell[start[r + 1] - 1], by ascending column and, at the same
 * place, ascending value. */
typedef struct io_cells {
    size_t rows;
    size_t *start;
    io_cell *cell;
} io_cells;

/* Arranges the entries, whose rows are below rows, into *out (io_cells_free(), also after a failure).
 * Releases the entries, except after a failure. Refuses many more rows than values (GLSHAPE_BAD_INPUT). */
glshape_status io_cells_of(error *err, io_entries *entries, size_t rows, io_cells *out);

void io_cells_free(io_cells *cells);

#endif
