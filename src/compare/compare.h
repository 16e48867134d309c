/* Distances between persistence diagrams: what the files of this folder share. */
#ifndef GLSHAPE_COMPARE_COMPARE_H
#define GLSHAPE_COMPARE_COMPARE_H

#include <stdatomic.h>

#include "gpu/gpu.h"

/* Wasserstein distances (wasserstein.c). */
typedef struct norms {
    double order, internal; /* the power, the norm */
    double tolerance;       /* 0: exact */
} norms;

/* What the options ask for, once they are checked. */
typedef struct measure {
    glshape_compare_options o;
    norms norms;
} measure;
/* Diagrams without pairs that never end, and without those on the diagonal. */
typedef struct diagrams {
    uint32_t n;
    size_t *first;         /* n + 1 */
    double *pairs;         /* birth, death */
    size_t *first_endless; /* n + 1 */
    double *endless;       /* birth, death; in order of death (-∞ or ∞), then of birth */
} diagrams;

/* Takes the pairs of `in`, which measure_check() has passed; diagrams_free() it, also after a failure.
 * GLSHAPE_BAD_INPUT, GLSHAPE_NO_MEMORY. */
glshape_status diagrams_take(error *err, const glshape_diagrams *in, diagrams *out);
void diagrams_free(diagrams *d);

/* ---- what there is of each two diagrams --------------------------------------------------------- */

/* It is kept in tiles of 16 by 16 diagrams below the diagonal, row by row: rows and columns of the matrix are
 * then equally near each other in memory. The place of diagrams i > j: */
#define COMPARE_TILE 256u
static inline size_t compare_place(size_t i, size_t j) {
    size_t row = i / 16, column = j / 16;
    return (row * (row + 1) / 2 + column) * COMPARE_TILE + i % 16 * 16 + j % 16;
}
size_t compare_places(size_t n);

/* ---- slices ------------------------------------------------------------------------------------- */

/* Steps of all diagrams on some lines (glsl/compare/slices.glsl). */
typedef struct slices {
    uint32_t n, longest;   /* diagrams; steps of the longest */
    uint32_t *first;       /* n + 1: where the steps of a diagram begin on the first line */
    uint32_t stride;       /* steps on a line */
    int directions, lines; /* in all; that are made at a time */
    double middle, reach;  /* values lie within middle ± reach */
    int32_t (*points)[2];  /* stride / 2: births and deaths (glsl/compare/steps.glsl) */
    int32_t (*turns)[2];   /* of all lines: cosines and sines, the same */
    uint32_t *steps;       /* of those that slices_make() made */
    uint32_t most_tiles;   /* of sums that passes add up at a time */
} slices;

#define SLICES_MOST_TILES (1u << 18)

#define SLICES_UNIT 536870912.0 /* 2^29 steps on a line from the middle to the end */
#define SLICES_ROOT_2 1.4142135623730951

/* Prepares slices of d, as many lines at a time as `bytes` hold the steps of, at least one; slices_free() it,
 * also after a failure. */
#define SLICES_BYTES ((size_t)256 << 20)
glshape_status slices_new(error *err, const diagrams *d, int directions, size_t bytes, slices *out);
void slices_free(slices *s);
/* Makes the steps on lines from begin on, as many as at a time, by threads. GLSHAPE_NO_MEMORY. */
glshape_status slices_make(error *err, slices *s, int begin);
/* The row of tiles that a tile is in. */
uint32_t slices_row(uint32_t tile);

/* The sum of diagrams i > j over the lines that there is room for, which are made. */
uint64_t slices_sum(const slices *s, uint32_t i, uint32_t j);

/* How lines differ: their mean so far, and the sum of squares of what each is apart from the mean of all
 * (Welford's recurrence, which loses no digits where they differ little). */
typedef struct slices_spread {
    double mean, squares;
} slices_spread;

/* Takes the sums of some tiles: those of diagrams i > j begin at sum[compare_place(i, j)] less those of the
 * tiles before `from`. spread: the same, or NULL if nobody asked for it. */
typedef void slices_taker(void *user, uint32_t from, uint32_t tiles, const uint64_t *sum,
                          const slices_spread *spread);
/* Adds up the differences on all lines, in units of a step, some tiles at a time. Both give the same sums;
 * the CPU alone gives spreads. The device takes what slices_bytes() says, and lists of at most
 * COMPARE_LONGEST steps. */
#define COMPARE_LONGEST 18000u
glshape_status slices_add_on_cpu(run *r, slices *s, bool spreads, slices_taker *take, void *user);
glshape_status slices_add_by_passes(gpu *g, slices *s, slices_taker *take, void *user);
uint64_t slices_bytes(const slices *s);
/* How many tiles of sums are on the device at a time. */
uint32_t slices_tiles(const slices *s);
/* Whether the driver is trusted with them. */
glshape_status slices_are_for_passes(gpu *g, run_why *why);

/* ---- matchings ----------------------------------------------------------------------------------- */

/* The bottleneck distance of diagrams i and j, of pairs that end, into *out. Once *stop is true it ends soon,
 * with any number. */
glshape_status bottleneck(error *err, const diagrams *d, uint32_t i, uint32_t j, const atomic_bool *stop,
                          double *out);

/* The same of the Wasserstein distance, with `endless`: the costs of pairs that never end, to the power.
 * *gap: by how much it may exceed the least, divided by that. */
glshape_status wasserstein(error *err, const diagrams *d, uint32_t i, uint32_t j, const norms *n,
                           const atomic_bool *stop, double *out, double *gap);
/* What pairs that end and pairs that do not cost together. */
double wasserstein_join(const norms *n, double ending, double endless);

/* ---- one distance (measure.c) -------------------------------------------------------------------- */

/* Checks the options; NULL: all zeros. GLSHAPE_BAD_ARGUMENT. */
glshape_status measure_read(error *err, const glshape_compare_options *options, measure *out);
/* Checks the diagrams of all dimensions, but not their pairs. GLSHAPE_BAD_ARGUMENT. */
glshape_status measure_check(error *err, const measure *m, const glshape_diagrams *in);
/* The distance of diagrams i > j whose sum over all lines is this; its standard error. */
double measure_slices(const measure *m, const diagrams *d, const slices *s, uint32_t i, uint32_t j,
                      uint64_t sum);
double measure_error(const slices *s, const slices_spread *spread);
/* The same of bottleneck and Wasserstein distances; as bottleneck() and wasserstein(). */
glshape_status measure_matching(error *err, const measure *m, const diagrams *d, uint32_t i, uint32_t j,
                                const atomic_bool *stop, double *out, double *gap);
/* How vectors are made, and the distance of two. */
glshape_vectors_options measure_vectors_options(const measure *m);
double measure_vectors(const glshape_vectors_result *v, size_t i, size_t j);

/* ---- all distances (compare.c) ------------------------------------------------------------------- */

/* Finds all; *half becomes those below the diagonal, as compare_place() has them, which the caller frees. As
 * glshape_compare without rows and errors. */
glshape_status compare_half(gpu *g, const measure *m, const glshape_diagrams *in, float **half);
/* Fills out with rows first … of the whole matrix, from its half, on at most so many threads (0: all). */
void compare_fill(const float *half, size_t n, size_t first, size_t count, int threads, float *out);

#endif
