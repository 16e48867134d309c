/* NetCDF up to version 3, the classic format: with offsets of 32 or 64 bits (CDF-1, CDF-2), or with 64 bits
 * for all (CDF-5). What version 4 writes is HDF5 (hdf5.h). */
#ifndef GLSHAPE_IO_FIELD_NETCDF_H
#define GLSHAPE_IO_FIELD_NETCDF_H

#include "io/field/values.h"

/* Whether s starts like one. */
bool io_netcdf_starts(const io_stream *s);
/* Reads the variable called wanted, or the only one if wanted is NULL, from the start of s: shape, dimensions
 * and extents of *npy and *out (free() its data). Attributes scale_factor, add_offset and _FillValue are
 * obeyed. */
glshape_status io_netcdf_read(error *err, io_stream *s, const char *wanted, io_npy *npy, glshape_matrix *out);

#endif
