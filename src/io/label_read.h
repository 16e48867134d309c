/* Reading a file of labels, in its order. */
#ifndef GLSHAPE_IO_LABEL_READ_H
#define GLSHAPE_IO_LABEL_READ_H

#include "io/label_list.h"
#include "io/stream.h"

/* Appends every label of the text or the .npy array in s to *list, which is zeroed before; the rules are at
 * io_read_labels(). The caller releases it, also after a failure. */
glshape_status io_label_list_read(error *err, io_stream *s, io_label_list *list);

#endif
