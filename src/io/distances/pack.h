/* Distances as one square float32 .npy file, the form that is read from the file block by block.
 *
 * A long job that can be taken up again: it is written to "PATH.part", and "PATH.part.state" says of which
 * input and how many rows are safely there. A later call for the same input (file, size, time of
 * modification, format, symmetrization) goes on from there, whatever ended the first one; the file is the
 * same, byte for byte. When it is complete it is put in place as PATH. */
#ifndef GLSHAPE_IO_DISTANCES_PACK_H
#define GLSHAPE_IO_DISTANCES_PACK_H

#include "io/distances/distances.h"

/* Zero is the default of everything. */
typedef struct io_pack_options {
    bool symmetrize; /* write the mean of a_ij and a_ji, or the one that is there if the other is missing */
    int threads;     /* 0: one a processor */
    size_t step;     /* bytes between two points from which it can go on; 0: 64 MiB */
    bool (*progress)(void *user, double fraction); /* from the calling thread; false ends the call */
    void *user;
    /* Set by the call, if not NULL: rows that were there before, and rows that are there now. */
    uint32_t *resumed, *done;
} io_pack_options;

/* Writes in to path, a regular file or none yet (links are followed); o may be NULL. The values are not
 * checked: io_distances_check() does that.
 * GLSHAPE_CANCELLED: progress said so; what is done is kept. GLSHAPE_IO_ERROR: the input changed, a disk is
 * full, ...; the sentence says whether what is done is kept. It is not for standard input, which cannot be
 * told to be the same later. GLSHAPE_BAD_ARGUMENT: path is "-" or no regular file, or PATH.part is
 * the input, or is there and is not from such a call. GLSHAPE_NO_MEMORY. */
glshape_status io_pack(error *err, io_distances *in, const char *path, const io_pack_options *o);

#endif
