/* Persistence diagrams from files: the inputs of glshape compare and vectors. */
#ifndef GLSHAPE_CLI_DIAGRAMS_INPUT_H
#define GLSHAPE_CLI_DIAGRAMS_INPUT_H

#include "cli/file_list.h"
#include "cli/session.h"

enum { DIAGRAMS_DIMENSIONS = 16 };

/* What an INPUT may be, for the texts of commands. */
#define DIAGRAMS_USAGE                                                                                      \
    "Each INPUT is a diagram, or a folder of diagrams, which are taken in the order of their names: what\n" \
    "glshape rips, cubical and alpha write (dim, birth, death; .json, too), mergetree --diagram (birth, "   \
    "death), and\n"                                                                                         \
    ".npy of two columns, or of three or more that begin with the dimension.\n"

#define DIAGRAMS_DIM(dimension, text) \
    "--dim", NULL, OPTION_INTEGER, &(dimension), "K", text, OPTION_RANGE(0, DIAGRAMS_DIMENSIONS - 1)

/* Pairs of one dimension of all diagrams, as glshape_diagrams has them. */
typedef struct diagrams_list {
    double *pairs; /* birth, death */
    size_t count, room, *first;
} diagrams_list;

typedef struct diagrams_input {
    session *s;
    int dim; /* the only dimension that is taken; -1: all */
    file_list files;
    io_label_list names; /* of the files, without folders and extensions */
    diagrams_list of[DIAGRAMS_DIMENSIONS];
} diagrams_input;

/* Reads the session's inputs, in their order; first checks that no output is one of them. GLSHAPE_IO_ERROR,
 * GLSHAPE_BAD_INPUT: with the file and the row. diagrams_input_free() it, also after a failure. */
glshape_status diagrams_input_list(diagrams_input *in);
glshape_status diagrams_input_read(diagrams_input *in);
/* Those of a dimension. */
glshape_diagrams diagrams_input_of(const diagrams_input *in, int dim);
/* Those of all dimensions that any diagram has; if there are none, of the first, which are empty. Returns how
 * many dimensions. */
size_t diagrams_input_all(const diagrams_input *in, glshape_diagrams out[DIAGRAMS_DIMENSIONS]);
void diagrams_input_free(diagrams_input *in);

#endif
