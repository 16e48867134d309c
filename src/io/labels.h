/* Reading the class of each row from a file of labels. */
#ifndef GLSHAPE_IO_LABELS_H
#define GLSHAPE_IO_LABELS_H

#include "io/label_list.h"

/* of[i] in 0 .. classes - 1 is the class of row i, 0 <= i < count; names[c] is the label of class c. If all
 * labels are finite numbers the classes are in ascending order of value (1 and 1.0 are one class, named as
 * its first label is written), else in ascending byte order of name. */
typedef struct io_labels {
    size_t count;
    uint32_t *of;
    size_t classes;
    char **names; /* one block with the texts */
} io_labels;

/* Reads the labels in path ("-": standard input; gzip is decompressed) into *out, to be released with
 * io_labels_free(); on failure *out is zeroed. expect is the number of rows to be labelled, 0 if unknown.
 *
 * Text: one label a line, a number or words; surrounding blanks and quotes do not belong to it; lines whose
 * first character is '#' are skipped, and blank lines at the end. If there are expect + 1 labels the first
 * is a header. .npy: one dimension, or n × 1; numbers, or text ('U', 'S').
 *
 * GLSHAPE_BAD_INPUT: several columns or an empty line, with the line; NaN in a .npy, with the row; or a
 * number of labels other than expect, with both. Else as io_read_matrix(). */
glshape_status io_read_labels(error *err, const char *path, size_t expect, io_labels *out);

/* The same of a list, with a label for each row; name is what messages call it. */
glshape_status io_labels_of(error *err, const io_label_list *list, io_labels *out);

/* Releases what *labels holds and zeroes it. */
void io_labels_free(io_labels *labels);

#endif
