/* UCI's bag of words (docword.txt): three lines with the numbers of documents, words and entries, then a line
 * "document word count" for each entry, counted from 1. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_BAG_H
#define GLSHAPE_IO_GRAPH_BAG_H

#include "io/graph/sparse_entries.h"
#include "io/stream.h"

/* Reads the whole of s into *entries: documents are rows. *entries is zeroed before; io_entries_free()
 * releases it, also after a failure. GLSHAPE_BAD_INPUT with the line if s is not a bag of words. */
glshape_status io_bag_read(error *err, io_stream *s, io_entries *entries, size_t *documents, size_t *words);

#endif
