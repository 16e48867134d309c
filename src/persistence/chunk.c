#include "persistence/chunk.h"

#include <stdlib.h>

#include "base/memory.h"

#define FIRST ((size_t)1 << 10) /* words; each next one is twice as large, ... */
#define LAST ((size_t)1 << 21)  /* ... up to this */

static bool add(chunk **first, size_t needed) {
    size_t room = *first ? 2 * (*first)->room : FIRST;
    room = room > LAST ? LAST : room;
    room = room < needed ? needed : room;
    chunk *c = malloc(sizeof *c + room * sizeof(uint64_t));
    if (!c) return false;
    *c = (chunk){*first, 0, room};
    *first = c;
    return true;
}

uint64_t *chunk_take(chunk **first, size_t words) {
    if ((!*first || (*first)->room - (*first)->used < words) && !add(first, words)) return NULL;
    uint64_t *taken = (*first)->words + (*first)->used;
    (*first)->used += words;
    return taken;
}

size_t chunk_bytes(const chunk *first) {
    size_t bytes = 0;
    for (; first; first = first->next) bytes += sizeof *first + first->used * sizeof(uint64_t);
    return bytes;
}

void chunk_free(chunk *first) {
    for (chunk *next; first; first = next) {
        next = first->next;
        free(first);
    }
}
