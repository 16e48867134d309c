/* The arrays of a file that names them: HDF5 (hdf5.h) and NetCDF (netcdf.h), each through its library, which
 * is loaded when such a file is read. */
#ifndef GLSHAPE_IO_FIELD_DATASET_H
#define GLSHAPE_IO_FIELD_DATASET_H

#include "io/field/values.h"

enum { IO_DATASET_NAME = 256, IO_DATASET_MOST = 1000, IO_DATASET_DIMENSIONS = 32, IO_DATASET_FILLS = 2 };

typedef struct io_dataset {
    char name[IO_DATASET_NAME];
    char code[3]; /* of its type, as numpy has it: "u2"; "": its values are no numbers */
    int dims;
    unsigned long long extent[IO_DATASET_DIMENSIONS]; /* the slowest first */
    bool natural;                  /* whole numbers are not negative, whatever their type says */
    bool axis;                     /* its values are those of a coordinate of others */
    bool records;                  /* they lie in records, one of each array that has them in turn */
    unsigned long long begin;      /* of its values in the file */
    int fills;                     /* how many values stand for none: */
    double fill[IO_DATASET_FILLS]; /* _FillValue, missing_value */
    double slope, intercept;       /* what a value v stands for: slope · v + intercept */
} io_dataset;

typedef struct io_datasets {
    io_dataset *all;
    size_t count, room;
} io_datasets;

void io_datasets_free(io_datasets *d);
/* Adds one, which *out points to until the next is added. */
glshape_status io_datasets_add(error *err, io_datasets *d, io_dataset **out);

/* The one called wanted, or, if wanted is NULL, the only one of numbers that is no axis. GLSHAPE_BAD_INPUT:
 * there is none, or several are there and none is asked for, or its values cannot be a field's. */
glshape_status io_datasets_choose(error *err, const char *file, const io_datasets *d, const char *wanted,
                                  const io_dataset **out);

/* Makes shape, dimensions and extents of *npy, and *out of the values, which it takes over: rows along the
 * slowest axis. GLSHAPE_BAD_INPUT: a point has no value. */
glshape_status io_dataset_finish(error *err, const char *file, const io_dataset *d, void *values, io_npy *npy,
                                 glshape_matrix *out);

#endif
