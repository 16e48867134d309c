/* Reading a file descriptor through gzip. */
#ifndef GLSHAPE_IO_GZIP_H
#define GLSHAPE_IO_GZIP_H

#include "base/error.h"

/* Decompression of one file, of one or more gzip members. */
typedef struct io_gzip io_gzip;

/* Starts decompression of fd (borrowed), of which the first count bytes were already read into start.
 * name is borrowed. io_gzip_close() releases *out. */
glshape_status io_gzip_open(error *err, const char *name, int fd, const void *start, size_t count,
                            io_gzip **out);

/* As io_raw_read, of the decompressed bytes. Data that end early, are damaged or are followed by anything
 * but another gzip member are GLSHAPE_BAD_INPUT. */
glshape_status io_gzip_read(error *err, io_gzip *gzip, void *to, size_t room, size_t *got);

/* Releases gzip, which may be NULL. */
void io_gzip_close(io_gzip *gzip);

#endif
