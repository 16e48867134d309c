/* Values of HDF5 that lie in the file as in memory, in pieces, as its chunks that no filter packs. */
#ifndef GLSHAPE_IO_FIELD_HDF5_PIECES_H
#define GLSHAPE_IO_FIELD_HDF5_PIECES_H

#include "io/field/dataset.h"

/* Where a piece lies in the file, and the place of its first value. */
typedef struct io_hdf5_piece {
    uint64_t at, first[IO_DATASET_DIMENSIONS];
} io_hdf5_piece;

typedef struct io_hdf5_pieces {
    uint64_t count, extent[IO_DATASET_DIMENSIONS]; /* extents of each */
    io_hdf5_piece *all;                            /* in the order of their places, the last axis fastest */
} io_hdf5_pieces;

/* Reads the values of d into to. GLSHAPE_BAD_INPUT: the file does not have them. */
glshape_status io_hdf5_read_pieces(error *err, const io_stream *s, const io_dataset *d,
                                   const io_hdf5_pieces *p, char *to);
/* That failure. */
glshape_status io_hdf5_is_unreadable(error *err, const io_stream *s, const io_dataset *d);

#endif
