/* Host memory: sizes checked against overflow, failure reported as a sentence. */
#ifndef GLSHAPE_BASE_MEMORY_H
#define GLSHAPE_BASE_MEMORY_H

#include "base/error.h"

/* Allocates count × size zeroed bytes into *out (free() it). what names the thing in the message:
 * "the point matrix". Fails with GLSHAPE_NO_MEMORY on overflow or exhaustion. A count of 0 gives a
 * valid pointer. */
glshape_status allocate(error *err, void *out, size_t count, size_t size, const char *what);

/* Makes room for count items of size bytes, and half as many again, in the block *data of *room items, which
 * may be NULL of none. What is in it stays, also after a failure. */
glshape_status memory_reserve(error *err, void *data, size_t *room, size_t count, size_t size,
                              const char *what);

/* a × b, or SIZE_MAX when that does not fit. */
size_t times(size_t a, size_t b);

#endif
