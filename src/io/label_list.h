/* Texts in the order of a file: labels, or names of rows. */
#ifndef GLSHAPE_IO_LABEL_LIST_H
#define GLSHAPE_IO_LABEL_LIST_H

#include "base/error.h"
#include "io/fields.h"

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

/* Appends a field, of which doubled quotes become single ones. */
glshape_status io_label_list_add_field(error *err, io_label_list *list, const io_field *field);

/* Whether the labels are 0, 1, 2 ... or 1, 2, 3 ...: as names they say no more than the place of a row. */
bool io_label_list_counts(const io_label_list *list);

/* Label i. */
static inline const char *io_label_at(const io_label_list *list, size_t i) {
    return list->bytes + list->starts[i];
}

void io_label_list_free(io_label_list *list);

#endif
