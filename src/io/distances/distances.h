/* Precomputed distance matrices, from files that may be far larger than memory.
 *
 * A square binary file (.npy, DIPHA) is left where it is and read block by block with pread; text, triangles
 * and whatever comes through gzip or standard input are read into memory once. Either way the rest of the
 * program asks for rows of float32. NaN is a distance that is missing, infinity one of points that are never
 * joined; which of them a method can use is its own to say.
 *
 * Sources of the formats: NumPy's .npy (npy.h); Ripser's readers (lower, upper and full matrices as text, and
 * its binary lower triangle of float32); DIPHA's distance matrix (int64 8067171840, int64 7, int64 n, n × n
 * float64); the condensed vector of scipy.spatial.distance.pdist. All binary ones are little-endian, except
 * that .npy says what it is. */
#ifndef GLSHAPE_IO_DISTANCES_H
#define GLSHAPE_IO_DISTANCES_H

#include "io/label_list.h"

/* Name, as --format has it, and what it reads. */
#define IO_DISTANCE_FORMATS(X)                                                                           \
    X(IO_DISTANCES_AUTO, "auto")     /* by content; .bin is binary; see io_distances_open() */           \
    X(IO_DISTANCES_NPY, "npy")       /* n by n, or n(n-1)/2 values: the upper triangle, row after row */ \
    X(IO_DISTANCES_FULL, "distance") /* text, n lines of n values */                                     \
    X(IO_DISTANCES_LOWER, "lower-distance") /* text, below the diagonal, row after row */                \
    X(IO_DISTANCES_UPPER, "upper-distance") /* text, above the diagonal, row after row */                \
    X(IO_DISTANCES_DIPHA, "dipha")                                                                       \
    X(IO_DISTANCES_BINARY, "binary") /* float32, below the diagonal, row after row */

#define IO_DISTANCE_FORMAT_ENUM(name, text) name,
typedef enum { IO_DISTANCE_FORMATS(IO_DISTANCE_FORMAT_ENUM) } io_distance_format;
#undef IO_DISTANCE_FORMAT_ENUM

/* Sets *out to the format called name. GLSHAPE_BAD_ARGUMENT, naming the known ones, if there is none. */
glshape_status io_distance_format_from_name(error *err, const char *name, io_distance_format *out);

/* An open matrix of distances between n points. */
typedef struct io_distances io_distances;

/* Opens the matrix in path ("-": standard input) into *out, to be released with io_distances_close(); on
 * failure *out is NULL. gzip is recognised and decompressed. .npy values may be of any real type, in either
 * order and byte order; whatever the type, distances are rounded to float32.
 *
 * IO_DISTANCES_AUTO: .npy and DIPHA by their first bytes; a name that ends in .bin (or .bin.gz) is
 * IO_DISTANCES_BINARY; all else is text, whose values per line tell: as many as there are lines, a full
 * matrix; 1, 2, 3, ... (an empty first line is no matter), a lower triangle; ..., 3, 2, 1, an upper one, with
 * its diagonal if every line begins with 0, of which err gets a note; 1, 1, 1, ..., as many as n points have
 * pairs, scipy's condensed vector; a single number, two points.
 *
 * Text: values between commas, semicolons or white space; a comma at the end of a line is no matter; blank
 * lines, and lines whose first character is '#', are skipped; nan and na are missing. If the format is asked
 * for, a triangle may be broken into lines anywhere, as with Ripser; and without values it is that of one
 * point.
 *
 * A square of which one side of the diagonal is all 0, and the other is not, is a triangle, too; err gets a
 * note. Such a .npy or DIPHA file is read into memory.
 *
 * GLSHAPE_IO_ERROR: cannot be opened or read. GLSHAPE_BAD_INPUT: not such a matrix, with the numbers of
 * values, bytes or lines expected and found. GLSHAPE_NO_MEMORY: with the bytes needed. */
glshape_status io_distances_open(error *err, const char *path, io_distance_format format, io_distances **out);

/* The same, but values that single precision does not have are kept as doubles. */
glshape_status io_distances_open_precise(error *err, const char *path, io_distance_format format,
                                         io_distances **out);
/* Whether d was opened so, and its type is neither float32 nor float16. */
bool io_distances_are_double(const io_distances *d);

/* The threshold in the type of d's values: of a decimal that both stand for, the same number. */
double io_distances_round(const io_distances *d, double threshold);

/* The same as io_distances_open() for a matrix of any number of rows, which are the distances of as many
 * others to n points: .npy of two dimensions, in C order, or text, kept as doubles if need be.
 * io_distances_rows() and the reader give its rows; it cannot be checked or watched. */
glshape_status io_distances_open_rectangle(error *err, const char *path, io_distances **out);
uint32_t io_distances_height(const io_distances *d); /* rows; n, but for a rectangle */

/* Releases d; NULL is fine. */
void io_distances_close(io_distances *d);

uint32_t io_distances_count(const io_distances *d);   /* n */
const char *io_distances_name(const io_distances *d); /* what messages call it */
io_label_list *io_distances_names(io_distances *d);   /* of the points; empty: it has none */
bool io_distances_is_file(const io_distances *d);     /* not a pipe: a later run can know it again */

/* Copies count full rows of n values, from row first on, to out. What rounding has left below 0 or on the
 * diagonal (base/noise.h) is 0. May be called from several threads at once.
 * A matrix in a file is read as it is stored: a file in column order gives columns, which are the rows of a
 * symmetric matrix.
 * GLSHAPE_BAD_ARGUMENT: rows beyond n. GLSHAPE_IO_ERROR: the file cannot be read, or has changed its size
 * since it was opened. */
glshape_status io_distances_rows(error *err, io_distances *d, uint32_t first, uint32_t count, float *out);

/* The same in double precision. GLSHAPE_BAD_INPUT: an integer that double precision does not have. */
glshape_status io_distances_double_rows(error *err, io_distances *d, uint32_t first, uint32_t count,
                                        double *out);

/* Replaces a_ij and a_ji by their mean, or by the one that is there if the other is missing. For a matrix in
 * memory; GLSHAPE_BAD_ARGUMENT, with the advice to pack it first, for one in a file. */
glshape_status io_distances_symmetrize(error *err, io_distances *d);

/* From now on d holds weights: io_distances_check() refuses missing ones and negative ones, and accepts any
 * other value on the diagonal. */
void io_distances_are_weights(io_distances *d);

/* What io_distances_check() and a watch accept beside distances, from now on: NaN for those that are missing,
 * infinity for points that are never joined. Before, and for weights: missing ones. */
void io_distances_take(io_distances *d, bool missing, bool infinite);

/* From now on io_distances_check() accepts any asymmetry. */
void io_distances_allow_asymmetry(io_distances *d);

/* What a check found. Pairs are unordered, i < j. If asymmetry is allowed, numbers are half of what both
 * triangles have together, of values as stored. */
typedef struct io_distances_facts {
    uint64_t missing;        /* pairs without a distance */
    float largest;           /* finite distance; 0 if there is none */
    double squares;          /* sum of the squares of the distances */
    bool asymmetric;         /* not the same bits on both sides of the diagonal */
    bool rounding_asymmetry; /* |a-b| <= 1e-6 max(|a|, |b|) in float32, 2e-3 in f2 */
} io_distances_facts;

/* Reads the whole matrix once and checks that it is one of distances: finite or what io_distances_take()
 * says, not negative, zero on the diagonal, symmetric (-0 is 0, and so is noise, of which err gets a note).
 * threads of 0: one a processor. progress (may be NULL) is called from the calling thread with the fraction
 * done; false cancels. *facts, which may be NULL, does not depend on threads. Asymmetry is found by a
 * fingerprint that misses one with probability 2^-60; a second pass over tiles and their mirror images then
 * finds the largest. GLSHAPE_BAD_INPUT: the first value at fault in row order, or the largest asymmetry, with
 * row and column from 1; or that all are below the least normal float32 and rounding has taken digits from
 * some. GLSHAPE_CANCELLED, GLSHAPE_NO_MEMORY, and the errors of io_distances_rows(). */
glshape_status io_distances_check(error *err, io_distances *d, int threads,
                                  bool (*progress)(void *user, double fraction), void *user,
                                  io_distances_facts *facts);

/* The same check, of rows as somebody else reads them, so that the matrix is read only once. */
typedef struct io_distances_watch io_distances_watch;

/* Begins to watch d, which must outlive *out; io_distances_watch_free(), also after a failure. */
glshape_status io_distances_watch_new(error *err, io_distances *d, io_distances_watch **out);
void io_distances_watch_free(io_distances_watch *w);

/* As io_distances_rows(), by any number of threads; rows are checked when they are first read.
 * GLSHAPE_BAD_INPUT if there is a fault, or if these were the last rows of an asymmetric matrix:
 * io_distances_watch_end() says which. */
glshape_status io_distances_watch_rows(error *err, io_distances_watch *w, uint32_t first, uint32_t count,
                                       float *out);

/* The same in double precision; what is checked is the values rounded to single precision. */
glshape_status io_distances_watch_double_rows(error *err, io_distances_watch *w, uint32_t first,
                                              uint32_t count, double *out);

/* These four as a glshape_row_reader or a glshape_double_reader; user is the matrix or the watch. */
bool io_distances_reader(void *user, uint32_t first, uint32_t count, float *out, char *message, size_t size);
bool io_distances_double_reader(void *user, uint32_t first, uint32_t count, double *out, char *message,
                                size_t size);
bool io_distances_watch_double_reader(void *user, uint32_t first, uint32_t count, double *out, char *message,
                                      size_t size);
bool io_distances_watch_reader(void *user, uint32_t first, uint32_t count, float *out, char *message,
                               size_t size);

/* What a watch has seen, as bytes for the watch of the same matrix in another process, which then has seen
 * it, too. free() *out. */
glshape_status io_distances_watch_report(error *err, const io_distances_watch *w, void *out, size_t *bytes);
void io_distances_watch_add(io_distances_watch *w, const void *report, size_t bytes);

/* Ends a watch. GLSHAPE_OK if all rows have been read and found good; else runs io_distances_check() and
 * returns its errors. *again: rows were refused, so whoever needs them has to read again if the result is
 * GLSHAPE_OK all the same (the asymmetry is rounding). No other thread may read meanwhile. */
glshape_status io_distances_watch_end(error *err, io_distances_watch *w,
                                      bool (*progress)(void *user, double fraction), void *user, bool *again);

#endif
