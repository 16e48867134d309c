/* A scalar field on a grid as INPUT: its options, and reading it. */
#ifndef GLSHAPE_CLI_FIELD_INPUT_H
#define GLSHAPE_CLI_FIELD_INPUT_H

#include "cli/session.h"
#include "io/field/grid.h"
#include "io/number.h"

typedef struct field_input {
    const char *shape, *type, *periodic;
    int endian; /* -1: not given */
    const char *skip, *channel, *dataset;
    const char *remedy; /* of fields of more vertices than 32 bits number; NULL: the usual one */
    const char *narrow; /* what cannot have such a field shared among ranks; NULL: nothing */
    io_grid in;
    glshape_field field; /* of `in` */
} field_input;

#define FIELD_INPUT_ROWS(f)                                                                                  \
    {"--periodic",                                                                                           \
     NULL,                                                                                                   \
     OPTION_TEXT,                                                                                            \
     &(f).periodic,                                                                                          \
     "AXES",                                                                                                 \
     "axes whose two ends are neighbors, such as x,y,z; x is the last extent",                               \
     0},                                                                                                     \
        {"--shape", NULL, OPTION_TEXT, &(f).shape, "z,y,x", "extents of raw values in INPUT, x fastest", 0}, \
        {"--type",                                                                                           \
         NULL,                                                                                               \
         OPTION_TEXT,                                                                                        \
         &(f).type,                                                                                          \
         "TYPE",                                                                                             \
         "type of raw values: u1, u2, u4, u8, i1, i2, i4, i8, f4, f8 or NumPy's names of them",              \
         0},                                                                                                 \
        {"--endian",                                                                                         \
         NULL,                                                                                               \
         OPTION_CHOICE,                                                                                      \
         &(f).endian,                                                                                        \
         "little|big",                                                                                       \
         "byte order of raw values (default little)",                                                        \
         0},                                                                                                 \
        {"--skip", NULL, OPTION_TEXT, &(f).skip, "BYTES", "bytes before raw values in INPUT", 0},            \
        {"--channel",                                                                                        \
         NULL,                                                                                               \
         OPTION_TEXT,                                                                                        \
         &(f).channel,                                                                                       \
         "C",                                                                                                \
         "of an image with colors: red, green, blue, alpha, or a number from 0",                             \
         0},                                                                                                 \
    {                                                                                                        \
        "--dataset", NULL, OPTION_TEXT, &(f).dataset, "NAME",                                                \
            "of HDF5 or NetCDF with several arrays: the one to read", 0                                      \
    }

/* GLSHAPE_BAD_ARGUMENT: an option is malformed, or is for raw values and there is no --shape. */
glshape_status field_input_check(session *s, const field_input *f);
/* Reads INPUT. field_input_free(), also after a failure. If s->shared, each rank reads its planes of it,
 * unless the first rank has to read all: then s->shared becomes false, and the others have nothing. */
glshape_status field_input_read(session *s, field_input *f);
/* Stores a value that the library has told of vertex v, whose plane another rank has read. */
void field_input_set(const field_input *f, uint32_t v, double value);
/* Prints a value of the field, of 32 bits at most, as it is stored. */
void field_input_print(const field_input *f, double value, char out[IO_NUMBER_ROOM]);
void field_input_free(field_input *f);

/* Returns true if values are integers of 64 bits, which a double may not hold exactly. */
bool field_is_whole(const glshape_field *f);
/* Sets *out to the decimal that text is, rounded up or down to an integer, as a value of the field's type
 * cast to int64_t. Returns false if the field has no integers of 64 bits, or text is no plain decimal of that
 * range. */
bool field_whole_value(const glshape_field *f, const char *text, bool up, int64_t *out);
/* A persistence as an integer of 64 bits, if text is one that a double may not hold exactly; else 0. */
uint64_t field_whole_persistence(const char *text, double value);

#endif
