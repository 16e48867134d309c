/* The earliest cells of a working column: a heap, the earliest first, that holds each cell once. A cell that
 * is pushed again is added to the one in the heap, because most of them cancel. */
#ifndef GLSHAPE_PERSISTENCE_HEAP_H
#define GLSHAPE_PERSISTENCE_HEAP_H

#include "persistence/complex.h"

typedef struct heap_term {
    uint64_t cell; /* index + 1; 0: free */
    uint32_t coefficient;
} heap_term;

typedef struct cell_heap {
    uint32_t modulus;
    cell *heap; /* their coefficients are in the table */
    size_t count, room;
    heap_term *table; /* of the cells on the heap, by open addressing */
    size_t used, allocated;
    int log2_slots; /* of `allocated`, those in use; at most half of these are taken */
} cell_heap;

bool cell_heap_push(cell_heap *h, cell e); /* false: not enough memory */

/* The earliest cell whose coefficient is not 0; it stays. False: there is none. */
bool cell_heap_first(cell_heap *h, cell *first);

void cell_heap_clear(cell_heap *h);
void cell_heap_free(cell_heap *h);
size_t cell_heap_bytes(const cell_heap *h);

#endif
