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

typedef enum { PRIM_SUM, PRIM_MIN, PRIM_MAX, PRIM_ARG_MIN } prim_op;

/* Reduces in[0 … n) and writes the result into out[at]; the rest of out keeps its contents.
 *
 * - in R32F: SUM, MIN, MAX; out R32F. ARG_MIN; out RG32UI = (bits of the least value, its least index)
 * - in R32UI: SUM (mod 2^32), MIN, MAX; out R32UI
 * - in RG32F: SUM, of each component; out RG32F
 *
 * If n is 0, the result is 0 for SUM; +inf, -inf (floats) or 2^32-1, 0 (uints) for MIN, MAX; (+inf, 2^32-1)
 * for ARG_MIN.
 *
 * MIN, MAX and ARG_MIN are exact. NaN must not occur; -0.0 counts as +0.0, and is returned as such. Sums of
 * floats are added along one tree, which depends on n alone and is the same in both stages. Their error is at
 * most 2^-24 · depth · Σ|x|, where depth is 12 for each factor of 4096 in n, rounded up. Only the sign of a
 * sum that is 0, and denormals, which drivers may flush, can differ between stages.
 *
 * Dispatches: 1 for n ≤ 4096, 2 for n ≤ 16M, else 3; in the fragment stage one for each factor of 4. */
glshape_status prim_reduce(gpu *g, prim_scratch *s, prim_op op, gpu_texture *in, uint32_t n, gpu_texture *out,
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

/* bins[b] (R32UI) = number of i < n with ((keys[i] >> shift) & mask) == b, for every b ≤ mask.
 * mask is 2^k - 1 ≤ 4095, shift ≤ 31. */
glshape_status prim_histogram(gpu *g, gpu_texture *keys, uint32_t n, uint32_t shift, uint32_t mask,
                              gpu_texture *bins);

/* Sorts the first n pairs (keys[i], values[i]) in place, ascending by key, then by value, so that only one
 * result is possible. keys: R32UI, or RG32UI as 64-bit keys (x high, y low); values: R32UI. n need be no
 * power of two, and no further memory is taken. With indices as values the sort is stable. For floats:
 * prim_ordered. */
glshape_status prim_sort(gpu *g, gpu_texture *keys, gpu_texture *values, uint32_t n);

/* Working textures of prim_radix, as prim_scratch. */
typedef struct prim_radix_scratch {
    prim_scratch scan;
    gpu_texture counts, starts;
} prim_radix_scratch;
void prim_radix_free(prim_radix_scratch *s);

/* Sorts the first n items (RGBA32UI), ascending by bits from … to - 1, whole bytes, of their 64-bit keys (x
 * high, y low). Items with equal keys keep their order; z and w move along. items[0] has the items before and
 * the result after; items[1] is working space of the same size (the two may change places). On software
 * renderers this is much quicker than prim_sort. */
glshape_status prim_radix(gpu *g, prim_radix_scratch *s, gpu_texture items[2], uint32_t n, uint32_t from,
                          uint32_t to);

/* Runs `rounds` ≥ 1 rounds of odd-even transposition over the first n pairs (key, value), for sequences that
 * are almost sorted already: in a round a pair moves by at most two places, and (n + 1)/2 rounds sort any
 * sequence. The order is that of prim_sort. keys: R32UI or R32F (no NaN; zeros are equal). keys[0] and
 * values[0] have the pairs before and the result after; [1] is working space of the same size (the two may
 * change places). moved (R32UI, same size) becomes 1 where the last round changed a pair, else 0: if it is 0
 * everywhere (PRIM_MAX), the sequence is sorted. */
glshape_status prim_transpose(gpu *g, gpu_texture keys[2], gpu_texture values[2], gpu_texture *moved,
                              uint32_t n, uint32_t rounds);

/* Sets keys[i] (R32UI) to an integer whose order is that of floats[i] (R32F, no NaN); -0.0 has the key of
 * +0.0. */
glshape_status prim_ordered(gpu *g, gpu_texture *floats, uint32_t n, gpu_texture *keys);
/* The inverse. */
glshape_status prim_unordered(gpu *g, gpu_texture *keys, uint32_t n, gpu_texture *floats);

#endif
