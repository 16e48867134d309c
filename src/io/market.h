/* Matrix Market's coordinate format, entry by entry (math.nist.gov/MatrixMarket/formats.html):
 *
 *     %%MatrixMarket matrix coordinate FIELD SYMMETRY
 *     % comments
 *     ROWS COLS ENTRIES
 *     ROW COL VALUE          one line each, from 1; no VALUE if FIELD is pattern
 *
 * Blank lines and comments are accepted anywhere, blanks before the first line and one sign '%' in it, too.
 * Inside src/io. */
#ifndef GLSHAPE_IO_MARKET_H
#define GLSHAPE_IO_MARKET_H

#include <stdbool.h>

#include "io/block.h"

typedef enum { IO_MARKET_REAL, IO_MARKET_INTEGER, IO_MARKET_PATTERN } io_market_field;
/* What an entry (r, c) off the diagonal says about (c, r): nothing; the same value; its negative. */
typedef enum { IO_MARKET_GENERAL, IO_MARKET_SYMMETRIC, IO_MARKET_SKEW } io_market_symmetry;

typedef struct io_market_entry {
    uint32_t row, col; /* from 0 */
    double value;      /* finite also as a float; 1 if the field is pattern */
} io_market_entry;

typedef struct io_market {
    io_stream *s;
    io_market_field field;
    io_market_symmetry symmetry;
    size_t rows, cols;     /* each 1 .. 2^32 - 1 */
    uint64_t count, taken; /* entries announced and handed out */
    bool below, above;     /* the triangles that had an entry */
    io_block block;
    io_market_entry *ahead; /* entries that have been read, from `at` on; meanwhile s->line is that of the
                               last one that was handed out */
    size_t at, end, room;
} io_market;

#define IO_MARKET_HEAD 256 /* bytes in which the first line begins, and says what the file is */

/* Returns the first word of Matrix Market, which stands in the head of s behind blanks and signs, and in
 * *length how much of the head follows; NULL: there is none. */
const char *io_market_banner(const io_stream *s, size_t *length);
bool io_market_starts(const io_stream *s);

/* Reads the header from the start of s, which must outlive *out (io_market_close(), also after a failure).
 * GLSHAPE_BAD_INPUT with the line and what to do if it is no matrix in coordinate format of real numbers. */
glshape_status io_market_open(error *err, io_stream *s, io_market *out);

/* Sets *out to the next entry, as stored; *more is false if there is none. GLSHAPE_BAD_INPUT with the line:
 * it is no entry, is outside the matrix, is one more than announced, entries are missing at the end, or a
 * symmetric matrix has entries in both triangles. */
glshape_status io_market_next(error *err, io_market *m, io_market_entry *out, bool *more);

void io_market_close(io_market *m);

/* Returns the most entries that the matrix can have, mirrored ones included: for io_entries.limit. */
size_t io_market_limit(const io_market *m);

#endif
