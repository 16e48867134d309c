/* What src/io/distances_*.c and pack.c share. Inside src/io. */
#ifndef GLSHAPE_IO_DISTANCES_INTERNAL_H
#define GLSHAPE_IO_DISTANCES_INTERNAL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "io/distances/distances.h"
#include "io/label_list.h"
#include "io/stream.h"

/* Where entry (r, c) stands. LOWER: values[r(r-1)/2 + c] for c < r. UPPER: as in scipy's condensed vector,
 * for c > r. SQUARE: values[r n + c]. FILE: item r n + c after the header of the file. */
typedef enum { DISTANCES_SQUARE, DISTANCES_LOWER, DISTANCES_UPPER, DISTANCES_FILE } distances_layout;

/* A type of stored values. */
typedef struct distances_item {
    const char *code; /* as .npy has it, without the byte order */
    size_t bytes;
    /* from: native byte order, any alignment. Returns whether one that is below the least normal float32 has
     * lost digits. */
    bool (*to_float)(float *to, const void *from, size_t count);
    /* Returns whether an integer has lost digits. */
    bool (*to_double)(double *to, const void *from, size_t count);
} distances_item;

/* Numbers in memory: floats or, if wide, doubles. */
typedef struct distances_numbers {
    void *at;
    bool wide;
} distances_numbers;

/* The identity of a file, to tell later whether it is still the same. */
typedef struct distances_identity {
    bool known; /* false for standard input */
    uint64_t size, device, inode;
    int64_t seconds;
    long nanoseconds;
} distances_identity;

struct io_distances {
    char *name;
    io_label_list names; /* of the points, if it has them */
    uint32_t n, rows;    /* rows: n, but for a rectangle */
    distances_layout layout;
    bool precise;             /* values that single precision does not have are kept and read as doubles */
    distances_numbers values; /* in memory */
    int fd;                   /* in a file, else -1 */
    uint64_t header;
    const distances_item *item; /* as stored, also if it has been read into memory */
    bool swapped, fortran;
    bool asymmetry_allowed, symmetrized, weights, rectangle;
    bool missing_refused, infinite_allowed, noise_told;
    atomic_bool *lost;    /* whether a value that was read has, as to_float says */
    atomic_bool *rounded; /* whether an integer that was read has lost digits, as to_double says */
    atomic_bool noise;    /* a row that was read had some (base/noise.h) */
    distances_identity identity;
};

/* Returns true if a type is float32 or float16. */
bool distances_is_single(const distances_item *item);

/* Returns the type that .npy calls code, such as "f4"; NULL if that is no type of real numbers. */
const distances_item *distances_item_of(const char *code);

/* Returns the identity of the file behind fd as it is now. */
distances_identity distances_identify(int fd);

/* Returns the number of pairs of n points, which is the number of values in a triangle. */
uint64_t distances_pairs(uint64_t n);

/* Returns the n that has count pairs; 0 if there is none below 2^31. */
uint32_t distances_points(uint64_t count);

/* A value as float32; -INFINITY, which is no distance, if it is finite but beyond. */
float distances_rounded(double value);

/* Number k. */
static inline double distances_number(distances_numbers from, size_t k) {
    return from.wide ? ((const double *)from.at)[k] : (double)((const float *)from.at)[k];
}
static inline void distances_set(distances_numbers to, size_t k, double value) {
    if (to.wide) ((double *)to.at)[k] = value;
    else ((float *)to.at)[k] = distances_rounded(value);
}
static inline size_t distances_size(distances_numbers of) { return of.wide ? sizeof(double) : sizeof(float); }
/* Room for numbers from k on. */
static inline distances_numbers distances_from(distances_numbers of, size_t k) {
    return (distances_numbers){(char *)of.at + k * distances_size(of), of.wide};
}

/* Converts count items, as they are stored, and notes what is lost. */
void distances_convert(const io_distances *d, distances_numbers out, const void *from, size_t count);

/* Copies the rectangle of rows × cols values at (row, col), row after row, to out; as io_distances_rows(). */
glshape_status distances_tile(error *err, const io_distances *d, uint32_t row, uint32_t rows, uint32_t col,
                              uint32_t cols, distances_numbers out);
/* Copies count full rows from row first on, without noise; as io_distances_rows(). */
glshape_status distances_read(error *err, io_distances *d, uint32_t first, uint32_t count,
                              distances_numbers out);
/* distances_tile() in single precision. */
static inline glshape_status distances_float_tile(error *err, const io_distances *d, uint32_t row,
                                                  uint32_t rows, uint32_t col, uint32_t cols, float *out) {
    return distances_tile(err, d, row, rows, col, cols, (distances_numbers){out, false});
}

/* Returns the mean of a value and its mirror image; if one of them is missing, the other. */
double distances_mean(double a, double b);

/* Reads the lines of s into d->values and sets d->layout and d->n. format: as the user asked for it. */
glshape_status distances_read_text(error *err, io_stream *s, io_distance_format format, io_distances *d);

/* How far rounding may leave a value from its mirror image, or from 0, as a fraction of the largest. */
double distances_tolerance(const io_distances *d);

/* Tells once, in the notes of err, that noise has been taken for 0. */
void distances_tell_noise(error *err, io_distances *d);

/* Makes a square matrix of which all values on one side of the diagonal are 0 symmetric, and tells it in the
 * notes of err; one in a file is then in memory. Leaves others as they are. */
glshape_status distances_complete(error *err, io_distances *d);

/* Finds the largest asymmetry of a matrix known to have one. GLSHAPE_BAD_INPUT describes it if it is
 * beyond rounding. progress is called with fractions from 0.9 to 1. */
glshape_status distances_compare(error *err, const io_distances *d, int threads,
                                 bool (*progress)(void *user, double fraction), void *user);

#endif
