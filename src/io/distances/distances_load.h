/* Reads binary distances from a stream into memory. */
#ifndef GLSHAPE_IO_DISTANCES_LOAD_H
#define GLSHAPE_IO_DISTANCES_LOAD_H

#include "io/distances/distances_internal.h"

/* Reads the values (of d->item, d->swapped) from here to the end of s into d->values; *count is their
 * number. Memory grows with what arrives. If expected is not UINT64_MAX and there are more or fewer values:
 * GLSHAPE_BAD_INPUT with the bytes expected and found; shape says in the message what was expected. */
glshape_status distances_load(error *err, io_stream *s, uint64_t expected, const char *shape, io_distances *d,
                              uint64_t *count);

/* Returns GLSHAPE_BAD_INPUT with that message, for a file of `found` bytes that should have `expected`. */
glshape_status distances_wrong_size(error *err, const char *name, const char *shape, uint64_t expected,
                                    uint64_t found, bool or_more);

/* Returns the bytes of a header and count values; UINT64_MAX if no file can be so large. */
uint64_t distances_bytes(uint64_t header, uint64_t count, size_t item);

#endif
