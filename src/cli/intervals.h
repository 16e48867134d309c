/* Files of persistence intervals: what glshape rips -o and glshape alpha --diagram write. */
#ifndef GLSHAPE_CLI_INTERVALS_H
#define GLSHAPE_CLI_INTERVALS_H

#include "base/error.h"
#include "io/json.h"

typedef struct intervals {
    size_t n; /* points; simplices are named among these */
    size_t count;
    const glshape_interval *at;
    const uint32_t *row; /* of each of these points; NULL: its number */
    bool single; /* births and deaths are floats: write the digits that read back as the same floats */
} intervals;

/* Returns true if the extension of path is .json. */
bool intervals_is_json(const char *path);
/* GLSHAPE_BAD_ARGUMENT unless the extension of path is one that intervals are written to. */
glshape_status intervals_check(error *err, const char *path);
/* Writes a row for each interval: dimension, birth, death, and the vertices of the two simplices (.npy: their
 * indices). GLSHAPE_IO_ERROR; GLSHAPE_BAD_ARGUMENT if a simplex has an index beyond float64 (.npy). */
glshape_status intervals_write(error *err, const char *path, const intervals *list);

/* Writes the digits of a number to `at`, without a NUL; returns where they end. */
char *intervals_print_whole(char *at, uint32_t value);
/* Write as in these files: a birth or a death, null if it is infinite; the vertices of a simplex, null for
 * none. */
void intervals_put_value(json *j, const char *key, const intervals *list, double value);
void intervals_put_vertices(json *j, const char *key, const intervals *list, glshape_simplex simplex,
                            int vertices);

#endif
