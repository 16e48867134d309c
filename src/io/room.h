/* Room in host memory: how much there is, and buffers that grow with what a file holds, not with what its
 * header claims. */
#ifndef GLSHAPE_IO_ROOM_H
#define GLSHAPE_IO_ROOM_H

#include "base/error.h"

/* GLSHAPE_NO_MEMORY, naming name and both sizes, if bytes are many and exceed what can be allocated now
 * without swapping: MemAvailable, and the control group's limit. */
glshape_status io_room_check(error *err, const char *name, size_t bytes);

/* Makes *data (from malloc, or NULL) hold at least need items of size bytes each: *capacity grows by half
 * or more, never above limit (limit >= need). The new items are not initialised. Fails with
 * GLSHAPE_NO_MEMORY, naming name; *data then stays valid. */
glshape_status io_room_grow(error *err, const char *name, void *data, size_t *capacity, size_t need,
                            size_t limit, size_t size);

#endif
