/* Bytes from the memory of another process of this machine, by threads. Knows no MPI. */
#ifndef GLSHAPE_RANKS_FETCH_H
#define GLSHAPE_RANKS_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where bytes lie: to be sent to the process that fetches them. A process elsewhere, as in another container,
 * may have the same number: so there is a token of the process, and where that lies. */
typedef struct fetch_place {
    uint64_t process, address;
    uint64_t token, token_address;
} fetch_place;

fetch_place fetch_place_of(const void *data);
/* Fetches bytes that stay as they are meanwhile. Returns whether they are there: the system may not allow it,
 * or have no such process. */
bool fetch_from(const fetch_place *from, void *out, size_t bytes);

#endif
