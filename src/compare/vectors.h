/* Vectors of persistence diagrams: what the files of this folder share. */
#ifndef GLSHAPE_COMPARE_VECTORS_H
#define GLSHAPE_COMPARE_VECTORS_H

#include "gpu/gpu.h"

/* Diagrams of pairs that count, and where their vectors are seen. */
typedef struct vectors {
    gpu *g;
    glshape_vectors_kind kind;
    glshape_vectors_options o;
    uint32_t n, longest; /* diagrams; pairs of the longest */
    size_t *first;       /* n + 1 */
    double *pairs;    /* birth, death; of tents the lower of them first. Infinite deaths: Betti curves only */
    float *weight;    /* images, silhouettes: of each pair, in `unit` */
    double *mass;     /* silhouettes: of each diagram, the sum of its weights in the same unit */
    double unit;      /* a power of two */
    uint32_t samples; /* of a curve; births of an image */
    uint32_t levels;  /* lifetimes of an image; landscapes; 1 */
    size_t columns;   /* of a vector */
    double range[4], *grid;
    size_t left_out, batch_bytes; /* batch_bytes: of textures at a time, if a diagram's are not more */
    float *values;                /* n × columns */
} vectors;

/* Factors and weights below it count as 0, so that no product of two of them is subnormal: devices may take
 * such numbers for 0. */
#define VECTORS_LEAST 0x1p-50

/* A sum of singles and what rounding has left of it (Knuth's TwoSum, glsl/lib/two_sum.glsl). */
static inline void vectors_add(float *high, float *low, float term) {
    float sum = *high + term, v = sum - *high;
    *low += (*high - (sum - v)) + (term - v);
    *high = sum;
}

/* How many samples lie below the value; or_at: or at it. */
uint32_t vectors_below(const vectors *v, double value, bool or_at);

/* The same as glshape_vectors, within another method. */
glshape_status vectors_make(gpu *g, const glshape_diagrams *in, const glshape_vectors_options *options,
                            glshape_vectors_result *result);

/* ---- images (image.c) ---------------------------------------------------------------------------- */

/* A pair's Gaussian is a product of two factors, of its birth and of its lifetime. These are made once a
 * pair, in double: first those of the births of the grid, times the weight, then those of the lifetimes, each
 * in fours. */
static inline uint32_t vectors_fours(uint32_t count) { return (count + 3) / 4; }
static inline uint32_t image_texels(const vectors *v) {
    return vectors_fours(v->samples) + vectors_fours(v->levels);
}
/* Makes those of a pair. */
void image_factors(const vectors *v, size_t pair, float *out);
/* A pixel, of the sum of its products. */
float image_value(const vectors *v, float sum);
glshape_status image_on_cpu(vectors *v);
glshape_status image_by_passes(vectors *v);

/* ---- tents: landscapes and silhouettes (tents.c) -------------------------------------------------- */

/* Values and samples as two singles each, whose differences are right to 2^-22 of themselves: from the middle
 * of all, in a unit that is a power of two. */
typedef struct tents {
    double middle, unit;
    float (*grid)[2];
    float (*pairs)[4]; /* low and high end */
} tents;

glshape_status tents_new(vectors *v, tents *out); /* tents_free() it, also after a failure */
void tents_free(tents *t);
/* A number of the result, of a tent or a sum of them. */
float tents_value(const vectors *v, const tents *t, uint32_t diagram, float sum);
glshape_status tents_on_cpu(vectors *v, const tents *t);
glshape_status tents_by_passes(vectors *v, const tents *t);

/* ---- curves: sums over the pairs that cover a sample (curves.c) ------------------------------------ */

glshape_status curves(vectors *v);

/* ---- where ---------------------------------------------------------------------------------------- */

/* Terms that are added or looked at. */
double vectors_work(const vectors *v);
/* The passes take diagrams whose loops stay below GPU_TURNS. */
bool vectors_can(const vectors *v);
/* Bytes of textures that passes need at most: of a batch of diagrams. */
uint64_t vectors_bytes(const vectors *v);
/* Diagrams from `from` on whose textures are of no more bytes, at least one. */
uint32_t vectors_batch(const vectors *v, uint32_t from);
/* Whether the driver is trusted with them (vectors_check.c). */
glshape_status vectors_are_for_passes(const vectors *v, run_why *why);

#endif
