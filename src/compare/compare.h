/* Distances between persistence diagrams: what the files of this folder share. */
#ifndef GLSHAPE_COMPARE_COMPARE_H
#define GLSHAPE_COMPARE_COMPARE_H

#include <stdatomic.h>

#include "gpu/gpu.h"

/* Diagrams without pairs that never end, and without those on the diagonal. */
typedef struct diagrams {
    uint32_t n;
    size_t *first;         /* n + 1 */
    double *pairs;         /* birth, death */
    size_t *first_endless; /* n + 1 */
    double *endless;       /* birth, death; in order of death (-∞ or ∞), then of birth */
} diagrams;

/* ---- slices ------------------------------------------------------------------------------------- */

/* Steps of all diagrams on some lines (glsl/compare/slices.glsl). */
typedef struct slices {
    uint32_t n, longest;   /* diagrams; steps of the longest */
    uint32_t *first;       /* n + 1: where the steps of a diagram begin on the first line */
    uint32_t stride;       /* steps on a line */
    int directions, lines; /* in all; that `steps` has room for */
    double middle, reach;  /* values lie within middle ± reach */
    uint32_t *steps;
    uint32_t most_tiles; /* of sums that passes add up at a time */
} slices;

#define SLICES_TILE 256u /* 16 diagrams and 16 diagrams */
#define SLICES_MOST_TILES (1u << 18)

#define SLICES_UNIT 536870912.0 /* 2^29 steps on a line from the middle to the end */
#define SLICES_ROOT_2 1.4142135623730951

/* Prepares slices of d; slices_free() it, also after a failure. */
glshape_status slices_new(error *err, const diagrams *d, int directions, slices *out);
void slices_free(slices *s);
/* Makes the steps on lines from begin on, as many as there is room for, by threads. */
void slices_make(const diagrams *d, slices *s, int begin);
/* The place of the sum of diagrams i > j among those of all. */
static inline size_t slices_place(uint32_t i, uint32_t j) {
    size_t row = i / 16, column = j / 16;
    return (row * (row + 1) / 2 + column) * 256 + i % 16 * 16 + j % 16;
}
size_t slices_places(uint32_t n);
/* The row of tiles that a tile is in. */
uint32_t slices_row(uint32_t tile);

/* Takes the sums of some tiles: those of diagrams i > j begin at sum[slices_place(i, j)] less those of the
 * tiles before `from`. */
typedef void slices_taker(void *user, uint32_t from, uint32_t tiles, const uint64_t *sum);
/* Adds up the differences on all lines, in units of a step, some tiles at a time. Both give the same. The
 * device takes what slices_bytes() says, and lists of at most COMPARE_LONGEST steps. */
#define COMPARE_LONGEST 25000u
glshape_status slices_add_on_cpu(run *r, const diagrams *d, slices *s, slices_taker *take, void *user);
glshape_status slices_add_by_passes(gpu *g, const diagrams *d, slices *s, slices_taker *take, void *user);
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

/* Wasserstein distances (wasserstein.c). */
typedef struct norms {
    double order, internal; /* the power, the norm */
    double tolerance;       /* 0: exact */
} norms;
/* The same of the Wasserstein distance, with `endless`: the costs of pairs that never end, to the power.
 * *gap: by how much it may exceed the least, divided by that. */
glshape_status wasserstein(error *err, const diagrams *d, uint32_t i, uint32_t j, const norms *n,
                           const atomic_bool *stop, double *out, double *gap);
/* What pairs that end and pairs that do not cost together. */
double wasserstein_join(const norms *n, double ending, double endless);

#endif
