/* Bitonic sort: sorts blocks of 2048 in shared memory, then merges runs of 2^k into runs of 2^(k+1).
 *
 * A merge compares at the strides 2^k … 1. The last eleven strides take one dispatch. Of those above, up to
 * seven share a dispatch: a group then gathers runs of at least 16 consecutive pairs from up to 128 places.
 */
#include "prim/passes.h"
#include "prim/scratch.h"

#define BLOCK_BITS 11u
#define MOST_STRIDES 7u

typedef struct sorting {
    gpu *g;
    bool wide;
    gpu_texture *keys, *values;
    uint32_t n;
} sorting;

/* Returns how many runs of 2^bits hold n pairs. bits is at most 32. */
static uint32_t parts(uint32_t n, uint32_t bits) { return n ? (uint32_t)((uint64_t)(n - 1) >> bits) + 1 : 0; }

/* Runs prim/sort once: sorts blocks or, with merge, compares at some strides (glsl/prim/sort.glsl). */
static glshape_status sort_pass(const sorting *s, bool merge, uint32_t bit, uint32_t width, bool reversed,
                                uint32_t groups) {
    return gpu_run(s->g, prim_sort, .WIDE = s->wide, .MERGE = merge, .keys = s->keys, .values = s->values,
                   .n = s->n, .bit = bit, .run = width, .reversed = reversed, .groups = groups);
}

/* Merges the sorted runs of 2^k pairs, two by two. A last run without a partner is in order already and is
 * left out: pairs from `end` on. */
static glshape_status merge(const sorting *s, uint32_t k) {
    uint64_t whole = (uint64_t)parts(s->n - (1u << k), k + 1) << (k + 1);
    uint32_t end = whole < s->n ? (uint32_t)whole : s->n;
    for (uint32_t left = k + 1 - BLOCK_BITS, top = k; left;) {
        uint32_t dispatches = (left - 1) / MOST_STRIDES + 1, strides = (left - 1) / dispatches + 1;
        uint32_t bit = top + 1 - strides, width = BLOCK_BITS - strides;
        TRY(sort_pass(s, true, bit, width, top == k, parts(end, top + 1) << (bit - width)));
        left -= strides;
        top = bit - 1;
    }
    return sort_pass(s, true, BLOCK_BITS, BLOCK_BITS, false, parts(end, BLOCK_BITS));
}

glshape_status prim_sort(gpu *g, gpu_texture *keys, gpu_texture *values, uint32_t n) {
    bool wide = keys->format == GPU_RG32UI;
    const sorting s = {g, wide, keys, values, n};
    TRY(prim_check(g, "prim_sort: keys", keys, wide ? GPU_RG32UI : GPU_R32UI, n));
    TRY(prim_check(g, "prim_sort: values", values, GPU_R32UI, n));
    TRY(sort_pass(&s, false, 0, 0, false, parts(n, BLOCK_BITS)));
    for (uint32_t k = BLOCK_BITS; k < 32 && n > 1u << k; k++) TRY(merge(&s, k));
    return GLSHAPE_OK;
}
