/* The column that a thread works on: a sum of coboundaries, its earliest cells in a heap, the others in
 * buckets by value, and those beyond a bound not made yet. Inside src/persistence. */
#ifndef GLSHAPE_PERSISTENCE_COLUMN_H
#define GLSHAPE_PERSISTENCE_COLUMN_H

#include <stdatomic.h>

#include "persistence/heap.h"
#include "persistence/wide.h"

#define COLUMN_BUCKETS 64

typedef struct working_column {
    const filtered_complex *complex;
    int dim;                /* of the cells whose coboundaries are added */
    atomic_int *status;     /* becomes GLSHAPE_NO_MEMORY when a function returns false for that */
    cell_pile batch, spare; /* cofacets on their way to the column */
    cell_heap heap;
    cell_pile terms;                   /* the column of the reduction matrix */
    cell_pile buckets[COLUMN_BUCKETS]; /* the rest of the cells up to `bound`, in no order */
    int steps, current;                /* steps of the bound; buckets up to the current one are in the heap */
    float from, scale;                 /* they map a value to its bucket */
    float single;                      /* if width is not 0: the value whose cells are mapped by index, */
    uint64_t top, width;               /* ... from this one down */
    float bound, least,
        step;          /* cofacets up to bound are made; least: of the next bound; step: to later ones */
    uint64_t cofacets; /* as in persistence_work */
    uint64_t begun;    /* cofacets when the column was empty */
} working_column;

/* Begins the column of e, and finds its pivot while nothing has been added: the first of e's cofacets. Most
 * columns need no more, because no other column owns that pivot (an emergent pair). *zero: e has no cofacets.
 */
bool column_begin(working_column *c, cell e, cell *pivot, bool *zero);
/* The same where the first cofacet is known. */
void column_begin_known(working_column *c, cell e, size_t cofacets);
/* Makes the cells of a column that was begun, if only the first one is known. */
bool column_make(working_column *c);
/* Empties the column for one whose cell has this value; no cofacets are made yet. */
void column_clear(working_column *c, float value);

/* Adds factor × the cell and, up to the bound, its coboundary; column_flush() is to follow. */
bool column_add_cell(working_column *c, cell e, uint32_t factor);
bool column_flush(working_column *c);
/* Sets *pivot to the earliest cell, or *zero if there is none. False: it failed. */
bool column_pivot(working_column *c, cell *pivot, bool *zero);
/* Adds up equal terms. */
bool column_merge_terms(working_column *c);

size_t column_bytes(const working_column *c);
void column_free(working_column *c);

#endif
