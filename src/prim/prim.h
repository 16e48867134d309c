/* prim: data-parallel primitives over packed textures of one texel an element.
 *
 * A call queues its work and returns: results stay in textures, nothing is read back. Elements 0 … n-1 of the
 * inputs take part; n may be 0 everywhere. A texture that a call writes may not be one that it reads, except
 * where "in place" is said. Every function fails with GLSHAPE_BAD_ARGUMENT if a texture has not the format or
 * the number of elements it needs, and otherwise as gpu_execute and gpu_texture_new do. Results do not depend
 * on the stage (gpu_set_stage). */
#ifndef GLSHAPE_PRIM_PRIM_H
#define GLSHAPE_PRIM_PRIM_H

#include "gpu/gpu.h"

/* Working textures of a call. It begins as zeros, and should be used again for calls of the same kind: a
 * texture is made only if a call needs more than every call before it. */
typedef struct prim_scratch {
    gpu_texture textures[5];
} prim_scratch;
void prim_scratch_free(prim_scratch *s);

/* Adds up in[0 … n) and writes the sum into out[at]; the rest of out keeps its contents. in and out: R32UI,
 * mod 2^32, or RG32F, each component by itself. The sum of nothing is 0.
 *
 * Sums of floats are added along one tree, which depends on n alone and is the same in both stages. Their
 * error is at most 2^-24 · depth · Σ|x|, where depth is 12 for each factor of 4096 in n, rounded up. Only the
 * sign of a sum that is 0, and denormals, which drivers may flush, can differ between stages. NaN must not
 * occur.
 *
 * Dispatches: 1 for n ≤ 4096, 2 for n ≤ 16M, else 3; in the fragment stage one for each factor of 4. */
glshape_status prim_reduce(gpu *g, prim_scratch *s, gpu_texture *in, uint32_t n, gpu_texture *out,
                           uint32_t at);

/* Exclusive scan of R32UI: out[i] = in[0] + … + in[i-1] mod 2^32 for i < n. If total (R32UI) is not NULL,
 * total[at] becomes the sum of all n. */
glshape_status prim_scan(gpu *g, prim_scratch *s, gpu_texture *in, uint32_t n, gpu_texture *out,
                         gpu_texture *total, uint32_t at);

/* Writes into out[0 …], in order, the items whose flag is 1. flags: R32UI, 0 or 1. Item i is from[i] (R32UI),
 * or the index i if from is NULL. If count (R32UI) is not NULL, count[at] becomes the number of items; it
 * includes those that out has no room for, which are dropped. */
glshape_status prim_compact(gpu *g, prim_scratch *s, gpu_texture *flags, gpu_texture *from, uint32_t n,
                            gpu_texture *out, gpu_texture *count, uint32_t at);

/* Working textures of prim_radix, as prim_scratch. */
typedef struct prim_radix_scratch {
    prim_scratch scan;
    gpu_texture counts, starts;
} prim_radix_scratch;
void prim_radix_free(prim_radix_scratch *s);

/* Sorts the first n items (RGBA32UI), ascending by bits from … to - 1, whole bytes, of their 64-bit keys (x
 * high, y low). Items with equal keys keep their order; z and w move along. items[0] has the items before and
 * the result after; items[1] is working space of the same size (the two may change places). */
glshape_status prim_radix(gpu *g, prim_radix_scratch *s, gpu_texture items[2], uint32_t n, uint32_t from,
                          uint32_t to);
/* Bits of numbers below n, in whole bytes. */
static inline uint32_t prim_radix_bits(uint32_t n) {
    uint32_t bits = 8;
    while (bits < 32 && (n - 1) >> bits) bits += 8;
    return bits;
}

#endif
