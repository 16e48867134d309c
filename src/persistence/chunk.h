/* Memory that is taken in small pieces and freed all at once. Of one thread. Inside src/persistence. */
#ifndef GLSHAPE_PERSISTENCE_CHUNK_H
#define GLSHAPE_PERSISTENCE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct chunk {
    struct chunk *next;
    size_t used, room; /* words */
    uint64_t words[];
} chunk;

/* Returns so many words of the first chunk, a new one if needed; NULL: not enough memory. */
uint64_t *chunk_take(chunk **first, size_t words);
/* Gives back the last so many words of what was taken last. */
static inline void chunk_give_back(chunk *first, size_t words) { first->used -= words; }
/* Bytes in use. */
size_t chunk_bytes(const chunk *first);
void chunk_free(chunk *first);

#endif
