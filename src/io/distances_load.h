/* Binary distances from a stream into memory. */
#ifndef GLSHAPE_IO_DISTANCES_LOAD_H
#define GLSHAPE_IO_DISTANCES_LOAD_H

#include "io/distances_internal.h"

/* Reads the values (of d->item, d->swapped) from here to the end of s into d->values; *count is their number.
 * expected of them are there if it is not UINT64_MAX: GLSHAPE_BAD_INPUT, with the bytes expected
 * and found, if not, and shape says in the message of what. Memory grows with what arrives. */
glshape_status distances_load(error *err, io_stream *s, uint64_t expected, const char *shape, io_distances *d,
                              uint64_t *count);

/* GLSHAPE_BAD_INPUT, as above, for a file of found bytes that must have expected ones. */
glshape_status distances_wrong_size(error *err, const char *name, const char *shape, uint64_t expected,
                                    uint64_t found, bool or_more);

/* Bytes of a header and count values, UINT64_MAX if beyond any file. */
uint64_t distances_bytes(uint64_t header, uint64_t count, size_t item);

#endif
