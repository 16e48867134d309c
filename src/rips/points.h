/* The points of a space, checked. */
#ifndef GLSHAPE_RIPS_POINTS_H
#define GLSHAPE_RIPS_POINTS_H

#include <float.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/norm.h"

typedef struct rips_points {
    size_t n, width;
    glshape_metric metric;
    norm norm;
    double sphere; /* its radius, if distances are haversine; rows are on the one of radius 1; else 0 */
    float *rows;   /* in single precision */
    double *exact; /* as they are; NULL: single precision has all values */
} rips_points;

/* Value c of row i. */
static inline double rips_points_value(const rips_points *p, size_t i, size_t c) {
    return p->exact ? p->exact[i * p->width + c] : (double)p->rows[i * p->width + c];
}

/* The rows of source->points, their means taken away for correlation. Refuses values that are not finite, and
 * rows without a direction where only that counts, with row and column. */
glshape_status rips_points_new(error *err, const glshape_source *source, rips_points *out);
void rips_points_free(rips_points *p);

/* Whether a sum of squares in single precision has a root that is right: squares neither vanish nor overflow.
 */
static inline bool rips_is_plain_sum(float sum) { return sum >= 0x1p-100f && sum <= FLT_MAX; }

/* Distance of rows i and j. Euclidean ones of floats are added up and rooted in single precision, as Ripser
 * does it, but in double where squares do not fit that. Differences of other numbers are made in double,
 * before anything is rounded: far from the origin points that are near each other would become one. */
float rips_points_distance(const rips_points *p, size_t i, size_t j);
/* Sets out[k] to the distance of row i and row other[k], as rips_points_distance() has it with the greater
 * row first. */
void rips_points_distances(const rips_points *p, size_t i, const uint32_t *other, size_t count, float *out);

/* ---- tiles ----------------------------------------------------------------------------------------- */

#define RIPS_LANES 64u /* points of a tile, column after column, so that compilers use their vectors */

/* n, filled up to whole tiles. */
static inline size_t rips_tiled(size_t n) { return (n + RIPS_LANES - 1) / RIPS_LANES * RIPS_LANES; }

/* Copies n rows of so many values, each of so many bytes, into tiles, which have room for rips_tiled(n). */
void rips_tile(const void *rows, size_t bytes, size_t n, size_t width, int threads, void *tiles);

/* The sums of squares between row x and those of a tile: as rips_points_distance() has them. */
static inline void rips_lane_sums(const float *x, const float *tile, size_t width, float sum[RIPS_LANES]) {
    for (size_t k = 0; k < RIPS_LANES; k++) sum[k] = 0;
    for (size_t c = 0; c < width; c++, tile += RIPS_LANES)
        for (size_t k = 0; k < RIPS_LANES; k++) sum[k] += (x[c] - tile[k]) * (x[c] - tile[k]);
}

#endif
