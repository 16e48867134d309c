/* The values of a matrix as text. */
#ifndef GLSHAPE_IO_VALUE_H
#define GLSHAPE_IO_VALUE_H

#include "base/error.h"
#include "io/number.h"

/* Writes value i of m (row i / cols, column i % cols) to out, NUL-terminated: an integer in full, else the
 * shortest digits that read back as the same value of its type. Returns the length. */
size_t io_value_print(char out[IO_NUMBER_ROOM], const glshape_matrix *m, size_t i);

#endif
