/* Reproducible random numbers: the same seed gives the same sequence everywhere. */
#ifndef GLSHAPE_BASE_RANDOM_H
#define GLSHAPE_BASE_RANDOM_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014); any seed will do. */
typedef struct random_state {
    uint64_t state;
} random_state;

static inline uint64_t random_bits(random_state *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform in [0, 1). */
static inline double random_unit(random_state *r) { return (double)(random_bits(r) >> 11) * 0x1p-53; }

/* Uniform in 0 … n-1, n < 2^32. */
static inline uint32_t random_below(random_state *r, uint32_t n) {
    return (uint32_t)(((random_bits(r) >> 32) * n) >> 32);
}

/* A random permutation of 0 … n-1 (Fisher and Yates, inside out). */
static inline void random_permutation(random_state *r, uint32_t n, uint32_t *out) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = random_below(r, i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

#endif
