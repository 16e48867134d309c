/* Reading a file descriptor. */
#ifndef GLSHAPE_IO_RAW_H
#define GLSHAPE_IO_RAW_H

#include "base/error.h"

/* Reads up to room bytes of fd into to; *got is 0 only at the end. GLSHAPE_IO_ERROR names the file. */
glshape_status io_raw_read(error *err, const char *name, int fd, void *to, size_t room, size_t *got);

/* So many bytes are worth threads. */
#define IO_RAW_LARGE ((size_t)4 << 20)

/* Reads the bytes of a regular file from byte `from` on, wherever fd stands; threads read the pieces of
 * a large part side by side, as one alone copies slower than memory could take it. *got is less than bytes
 * only where the file ends. Errors as above. */
glshape_status io_raw_read_at(error *err, const char *name, int fd, uint64_t from, void *to, size_t bytes,
                              size_t *got);

#endif
