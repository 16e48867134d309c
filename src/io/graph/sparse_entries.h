/* Entries of a matrix in the order of a file, and their way into rows. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_SPARSE_ENTRIES_H
#define GLSHAPE_IO_GRAPH_SPARSE_ENTRIES_H

#include "base/error.h"

typedef struct io_entry {
    uint32_t row, col;
} io_entry;

typedef struct io_entries {
    const char *name; /* what messages call their file */
    size_t limit;     /* there are never more; 0: unknown */
    io_entry *at;
    double *value; /* of each; NULL: all are 1, as most graphs have them */
    size_t count, capacity, value_capacity;
    bool both; /* each stands for two: of (row, col) and of (col, row) */
} io_entries;

/* Appends an entry. GLSHAPE_NO_MEMORY; the entries stay valid. */
glshape_status io_entries_add(error *err, io_entries *entries, uint32_t row, uint32_t col, double value);
/* Makes room for so many more; with values, also for all their values, those before being 1. */
glshape_status io_entries_grow(error *err, io_entries *entries, size_t more, bool values);
static inline double io_entries_value(const io_entries *entries, size_t k) {
    return entries->value ? entries->value[k] : 1;
}
/* Entry k becomes entry `to`, which comes no later. */
void io_entries_move(io_entries *entries, size_t to, size_t k, io_entry e);

void io_entries_free(io_entries *entries);

typedef struct io_cell {
    uint32_t column;
    double value;
} io_cell;

/* The cells of row r are those from start[r] to start[r + 1] - 1, by ascending column and, at the same place,
 * ascending value. */
typedef struct io_cells {
    size_t rows;
    size_t *start;
    io_cell *cell;    /* NULL: all values are 1 */
    uint32_t *column; /* then these are the columns; else NULL */
} io_cells;

static inline uint32_t io_cells_column(const io_cells *c, size_t k) {
    return c->cell ? c->cell[k].column : c->column[k];
}
static inline double io_cells_value(const io_cells *c, size_t k) { return c->cell ? c->cell[k].value : 1; }

/* Arranges the entries, whose rows are below rows, into *out (io_cells_free(), also after a failure).
 * Releases the entries, except after a failure. Refuses many more rows than values (GLSHAPE_BAD_INPUT). */
glshape_status io_cells_of(error *err, io_entries *entries, size_t rows, io_cells *out);

/* Returns where that of so many parts begins, which have about as many cells each: a row. */
size_t io_cells_part(const io_cells *cells, size_t part, size_t parts);

void io_cells_free(io_cells *cells);

#endif
