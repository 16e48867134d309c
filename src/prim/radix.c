/* Radix sort of 64-bit keys, eight bits at a time: count each part's digits, scan, move. */
#include "prim/passes.h"
#include "prim/scratch.h"

#define DIGIT_BITS 8u
#define TILE 2048u /* items of a group: TILE of radix.glsl */

static uint32_t parts_of(uint32_t n) { return (n - 1) / TILE + 1; }

static glshape_status sort_digit(gpu *g, prim_radix_scratch *s, gpu_texture items[2], uint32_t n,
                                 uint32_t shift) {
    uint32_t parts = parts_of(n), counters = parts << DIGIT_BITS;
    TRY(gpu_run(g, prim_radix_count, .items = &items[0], .counts = &s->counts, .n = n, .parts = parts,
                .shift = shift, .groups = parts));
    TRY(prim_scan(g, &s->scan, &s->counts, counters, &s->starts, NULL, 0));
    TRY(gpu_run(g, prim_radix_move, .items = &items[0], .counts = &s->starts, .moved = &items[1], .n = n,
                .parts = parts, .shift = shift, .groups = parts));
    gpu_texture_swap(&items[0], &items[1]);
    return GLSHAPE_OK;
}

glshape_status prim_radix(gpu *g, prim_radix_scratch *s, gpu_texture items[2], uint32_t n, uint32_t from,
                          uint32_t to) {
    if (!n) return GLSHAPE_OK;
    uint32_t counters = parts_of(n) << DIGIT_BITS;
    for (int i = 0; i < 2; i++) TRY(prim_check(run_of(g), "prim_radix: items", &items[i], GPU_RGBA32UI, n));
    TRY(prim_scratch_ensure(g, &s->counts, "counts of digits", GPU_R32UI, counters));
    TRY(prim_scratch_ensure(g, &s->starts, "starts of digits", GPU_R32UI, counters));
    for (uint32_t shift = from; shift < to; shift += DIGIT_BITS) TRY(sort_digit(g, s, items, n, shift));
    return GLSHAPE_OK;
}

void prim_radix_free(prim_radix_scratch *s) {
    prim_scratch_free(&s->scan);
    gpu_texture_free(&s->counts);
    gpu_texture_free(&s->starts);
}
