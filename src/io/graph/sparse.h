/* Sparse matrices: the values that are not 0, row after row. Documents × words, mostly. */
#ifndef GLSHAPE_IO_GRAPH_SPARSE_H
#define GLSHAPE_IO_GRAPH_SPARSE_H

#include "base/error.h"

/* Row r has value[k] in column[k], start[r] <= k < start[r + 1]; all other values are 0. */
typedef struct io_sparse {
    size_t rows, cols; /* each 1 .. 2^32 - 1 */
    size_t count;      /* of values */
    size_t *start;     /* rows + 1 */
    uint32_t *column;  /* strictly ascending in each row */
    float *value;      /* finite, not 0 */
    double *exact;     /* the values in double precision; NULL if single precision has them all */
} io_sparse;

/* Reads path ("-": standard input; gzip is decompressed) into *out, to be released with io_sparse_free(); on
 * failure *out is zeroed. Values at the same place are summed (in double precision), then zeros, written or
 * summed, are dropped, as are values that single precision rounds to 0; one beyond it is refused. Told apart
 * by content:
 *
 * Matrix Market (math.nist.gov/MatrixMarket/formats.html), coordinate format: real, integer or pattern (every
 * value 1); general, symmetric or skew-symmetric, of which one triangle is stored.
 *
 * scipy.sparse.save_npz: csr, csc or coo.
 *
 * UCI bag of words (docword.txt): the numbers of documents, words and entries, a line each, then a line
 * "document word count" for each entry, counted from 1. Documents are rows.
 *
 * GLSHAPE_BAD_INPUT, with the line: another format, complex or Hermitian or dense ("array") Matrix Market, a
 * place outside the matrix, NaN or infinity, more or fewer entries than announced, both triangles of a
 * symmetric matrix. GLSHAPE_IO_ERROR, GLSHAPE_NO_MEMORY: as io_read_matrix(). The numbers in the header are
 * believed as far as the entries bear them out; rows and columns cost 8 bytes each, entries 32 while reading
 * (12 if all values are 1) and 8 afterwards, or 16 if single precision does not have them all. */
glshape_status io_read_sparse(error *err, const char *path, io_sparse *out);

/* Makes *out, to be released with io_sparse_free(), the transpose of m. GLSHAPE_NO_MEMORY; *out is then
 * zeroed. */
glshape_status io_sparse_transpose(error *err, const io_sparse *m, io_sparse *out);

/* Weighs counts by how rare their column is; rows are documents. With n rows, of which df(c) have a value in
 * column c,
 *
 *     value(r, c) ← value(r, c) · (ln((1 + n) / (1 + df(c))) + 1),
 *
 * and each row is then divided by its Euclidean length; rows without values stay so. This is what
 * scikit-learn's TfidfTransformer does by default (smooth_idf, l2), but for the rounding to single precision.
 * GLSHAPE_NO_MEMORY leaves m as it was. */
glshape_status io_sparse_tfidf(error *err, io_sparse *m);

/* Releases what *m holds and zeroes it. */
void io_sparse_free(io_sparse *m);

#endif
