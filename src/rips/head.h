/* The head of a working column: a heap, earliest simplex first, that holds each simplex once. What comes
 * again is added to the one that is there, as most of it cancels. */
#ifndef GLSHAPE_RIPS_HEAD_H
#define GLSHAPE_RIPS_HEAD_H

#include "rips/space.h"

typedef struct rips_term {
    uint64_t simplex; /* index + 1; 0: free */
    uint32_t coefficient;
} rips_term;

typedef struct rips_head {
    uint32_t modulus;
    rips_entry *heap; /* coefficients do not count here */
    size_t count, room;
    rips_term *table; /* of those on the heap, by open addressing */
    size_t used, allocated;
    int log2_slots; /* of `allocated`, those in use; at most half of them are taken */
} rips_head;

bool rips_head_push(rips_head *h, rips_entry e); /* false: not enough memory */

/* The earliest simplex whose coefficient is not 0; it stays. False: there is none. */
bool rips_head_first(rips_head *h, rips_entry *first);

void rips_head_clear(rips_head *h);
void rips_head_free(rips_head *h);
size_t rips_head_bytes(const rips_head *h);

#endif
