/* The texts of labels in the order of the file, as they are being read. */
#ifndef GLSHAPE_IO_LABEL_LIST_H
#define GLSHAPE_IO_LABEL_LIST_H

#include "io/stream.h"

/* Label i is the NUL-terminated text at bytes + starts[i], 0 <= i < count. */
typedef struct io_label_list {
    const char *name; /* of the file; outlives the stream if the path does */
    bool text;        /* read from lines, of which the first may be a header */
    char *bytes;
    size_t used, capacity;
    size_t *starts;
    size_t count, starts_capacity;
} io_label_list;

/* Appends text[0 .. length); a NUL in it ends the label. */
glshape_status io_label_list_add(error *err, io_label_list *list, const char *text, size_t length);

/* Appends every label of the text or the .npy array in s to *list, which is zeroed before; the rules are at
 * io_read_labels(). The caller releases it, also after a failure. */
glshape_status io_label_list_read(error *err, io_stream *s, io_label_list *list);

void io_label_list_free(io_label_list *list);

#endif
