/* UCI's bag of words (docword.txt): three lines with the numbers of documents, words and entries, then a line
 * "document word count" for each entry, counted from 1. Inside src/io. */
#ifndef GLSHAPE_IO_BAG_H
#define GLSHAPE_IO_BAG_H

#include "io/sparse_entries.h"
#include "io/stream.h"

/* Reads the whole of s: documents are rows. *entries (io_entries_free(), also after a failure) is zeroed
 * before. GLSHAPE_BAD_INPUT, with the line, if it is something else. */
glshape_status io_bag_read(error *err, io_stream *s, io_entries *entries, size_t *documents, size_t *words);

#endif
