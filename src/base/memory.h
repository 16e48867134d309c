/* Host memory: sizes checked against overflow, failure reported as a sentence. */
#ifndef GLSHAPE_BASE_MEMORY_H
#define GLSHAPE_BASE_MEMORY_H

#include "base/error.h"

/* Allocates count × size zeroed bytes into *out (free() it). what names the thing in the message:
 * "the point matrix". Fails with GLSHAPE_NO_MEMORY on overflow or exhaustion. A count of 0 gives a
 * valid pointer. */
glshape_status allocate(error *err, void *out, size_t count, size_t size, const char *what);

/* Makes the block *data, which may be NULL, one of count items of size bytes. The items stay; after a failure
 * the block is as it was. */
glshape_status memory_resize(error *err, void *data, size_t count, size_t size, const char *what);

/* The same, with room for half as many items more; *room becomes the number of items that fit. */
glshape_status memory_grow(error *err, void *data, size_t *room, size_t count, size_t size, const char *what);

/* Makes the block *data of *room items larger if it has no room for count items. */
static inline glshape_status memory_reserve(error *err, void *data, size_t *room, size_t count, size_t size,
                                            const char *what) {
    return count <= *room ? GLSHAPE_OK : memory_grow(err, data, room, count, size, what);
}

/* Gives *out addresses for so many bytes, all zeros, which take memory only where something is stored.
 * memory_unmap() it. */
glshape_status memory_map(error *err, void *out, size_t bytes, const char *what);
void memory_unmap(void *memory, size_t bytes);

/* Bytes of memory that the machine has. */
size_t memory_of_machine(void);

/* a × b, or SIZE_MAX when that does not fit. */
size_t times(size_t a, size_t b);

#endif
