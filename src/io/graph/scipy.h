/* Sparse matrices as scipy.sparse.save_npz writes them: csr, csc or coo in an .npz file. Inside src/io. */
#ifndef GLSHAPE_IO_GRAPH_SCIPY_H
#define GLSHAPE_IO_GRAPH_SCIPY_H

#include "io/graph/sparse_entries.h"
#include "io/stream.h"

bool io_scipy_starts(const io_stream *s);
/* Reads all entries into *entries, in the order of the file, and the extents. GLSHAPE_BAD_INPUT: it is no
 * such file, or an entry is outside the matrix, NaN or infinite. */
glshape_status io_scipy_read(error *err, io_stream *s, io_entries *entries, size_t *rows, size_t *cols);

#endif
