/* HDF5, and NetCDF from version 4 on, which is kept in it, through libhdf5 1.10 or newer. */
#ifndef GLSHAPE_IO_FIELD_HDF5_H
#define GLSHAPE_IO_FIELD_HDF5_H

#include "io/field/values.h"

/* Whether s starts like one. */
bool io_hdf5_starts(const io_stream *s);
/* Reads the data set called wanted ("group/name"), or the only one if wanted is NULL, of the file path, which
 * s has open: shape, dimensions and extents of *npy and *out (free() its data). Attributes scale_factor,
 * add_offset and _FillValue are obeyed. GLSHAPE_BAD_ARGUMENT: libhdf5, which is loaded
 * when such a file is read, is not installed, or path is
 * standard input or gzip. */
glshape_status io_hdf5_read(error *err, const io_stream *s, const char *path, const char *wanted, io_npy *npy,
                            glshape_matrix *out);

#endif
