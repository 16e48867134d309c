/* DIPHA's images: an array of doubles.
 *
 * The header is whole numbers of 64 bits, all little endian: 8067171840, the kind of file (1: an image), how
 * many values there are, how many dimensions, and the extents, the fastest first. Source: Bauer, Kerber,
 * Reininghaus, DIPHA. */
#ifndef GLSHAPE_IO_FIELD_DIPHA_H
#define GLSHAPE_IO_FIELD_DIPHA_H

#include "io/npy.h"

#define IO_DIPHA_MAGIC "\x00\x46\xd7\xe0\x01\x00\x00\x00" /* 8067171840 */
enum { IO_DIPHA_MAGIC_BYTES = 8 };

/* Reads the header from the start of s; *out is what an .npy file of these values would have.
 * GLSHAPE_BAD_INPUT. */
glshape_status io_dipha_read_header(error *err, io_stream *s, io_npy *out);

#endif
