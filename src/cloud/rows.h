/* Rows of a cloud while it is being read. */
#ifndef GLSHAPE_CLOUD_ROWS_H
#define GLSHAPE_CLOUD_ROWS_H

#include "io/columns.h"
#include "io/fields.h"
#include "io/stream.h"

enum { CLOUD_NAMES = 4096 };

typedef struct cloud_rows {
    error *err;
    io_stream *s;
    const io_columns *columns; /* as options say */
    char names[CLOUD_NAMES];   /* of all columns of the file, between commas */
    size_t width;              /* how many they are */
    size_t *place;             /* of each: where it goes in a row of values, or SIZE_MAX */
    size_t cols;               /* of values */
    bool single;               /* values are floats, not doubles */
    void *values;
    size_t count, capacity;
} cloud_rows;

/* Adds the name of a column. GLSHAPE_BAD_INPUT: there are too many. */
glshape_status cloud_add_column(cloud_rows *r, const char *name, size_t length);
/* Once all names are known: decides which columns are read; by default x, y and z, or x and y, if there are
 * such, or as many as `first` says; 0: all. */
glshape_status cloud_choose(cloud_rows *r, size_t first);
static inline size_t cloud_value_size(const cloud_rows *r) {
    return r->single ? sizeof(float) : sizeof(double);
}
/* Sets *out to the first of count new rows. */
glshape_status cloud_new_records(cloud_rows *r, size_t count, void **out);
/* The same of doubles. */
glshape_status cloud_new_rows(cloud_rows *r, size_t count, double **out);
/* Adds a row of numbers between blanks that are what is left of a line. more: whether other fields may
 * follow. */
glshape_status cloud_add_line(cloud_rows *r, io_fields fields, bool more);
/* The next line that is neither blank nor a comment; *line is NULL at the end. */
glshape_status cloud_next_line(cloud_rows *r, char **line, size_t *length);
/* GLSHAPE_BAD_INPUT: the file ends before all points that it announces. */
glshape_status cloud_refuse_end(const cloud_rows *r, unsigned long long announced);

/* Where numbers lie: the first, and bytes from one to the next; their bytes are in the other order if
 * swapped. */
typedef struct cloud_bytes {
    const char *first;
    size_t step;
    bool swapped;
} cloud_bytes;

/* Numbers in binary. */
typedef struct cloud_type {
    const char *names[2];
    int bytes;
    void (*read)(cloud_bytes from, size_t count, double *to, size_t step);
} cloud_type;
/* Reads count numbers to to, to + step, ... */
static inline void cloud_numbers(const cloud_type *type, cloud_bytes from, size_t count, double *to,
                                 size_t step) {
    type->read(from, count, to, step);
}
bool cloud_is_float(const cloud_type *type); /* single or double precision */
bool cloud_is_single(const cloud_type *type);
/* The same of floats, unchanged. */
void cloud_singles(cloud_bytes from, size_t count, float *to, size_t step);
/* The only one at an address. */
double cloud_number(const cloud_type *type, const char *at, bool swapped);
/* The type that PLY calls by this name; NULL: none. */
const cloud_type *cloud_type_named(const char *name, size_t length);
/* The type of PCD's letter (F, I or U) and size; NULL: none. */
const cloud_type *cloud_type_of(char letter, int bytes);

/* Points in binary, a record each: a number of each column. */
typedef struct cloud_records {
    const cloud_type *const *type; /* of each column */
    unsigned long long count;
    bool swapped;
} cloud_records;
/* Reads them, by threads from a plain file. r->single becomes so if all columns that are read are floats. */
glshape_status cloud_read_records(cloud_rows *r, const cloud_records *of);
/* Takes column k of count points into rows, if it is read. */
void cloud_take_column(cloud_rows *r, size_t k, const cloud_type *type, cloud_bytes from, size_t count,
                       void *rows);

/* What readers of formats do: s stands at the beginning. */
glshape_status cloud_read_ply(cloud_rows *r);
glshape_status cloud_read_pcd(cloud_rows *r);
glshape_status cloud_read_off(cloud_rows *r);
glshape_status cloud_read_obj(cloud_rows *r);
glshape_status cloud_read_xyz(cloud_rows *r);
glshape_status cloud_read_geojson(cloud_rows *r);
glshape_status cloud_read_wkt(cloud_rows *r);

#endif
