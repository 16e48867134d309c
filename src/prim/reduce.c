/* Sums, in two forms that fold along one tree and so round alike.
 *
 * The tree folds four elements at a time, whose indices differ in two bits: bits 8-9, 10-11, 6-7, 4-5, 2-3
 * and 0-1 in every block of 4096, then the same among the blocks. In compute passes a group folds six levels
 * at once; in fragment passes each level is a texel kernel. Levels that would only fold with zeros are left
 * out. */
#include "prim/passes.h"
#include "prim/scratch.h"

static const uint32_t level_bits[6] = {8, 8, 6, 4, 2, 0};

/* What is left to add up: from[0 … n). */
typedef struct reduction {
    gpu *g;
    gpu_texture *from;
    uint32_t n;
} reduction;

/* Folds what is left into to[at … at + count): by groups, or by fours that differ in bits bit and bit + 1. */
static glshape_status fold(reduction *r, bool by_groups, gpu_texture *to, uint32_t at, uint32_t count,
                           uint32_t bit) {
    bool pair = to->format == GPU_RG32F;
    if (by_groups)
        TRY(gpu_run(r->g, prim_reduce_group, .PAIR = pair, .source = r->from, .result = to, .n = r->n,
                    .at = at, .groups = count));
    else
        TRY(gpu_run(r->g, prim_reduce_four, .PAIR = pair, .source = r->from, .result = to, .n = r->n,
                    .at = at, .bit = bit, .skip = at, .elements = count));
    r->from = to;
    r->n = count;
    return GLSHAPE_OK;
}

static glshape_status by_groups(reduction *r, prim_scratch *s, gpu_texture *out, uint32_t at) {
    for (int target = 0; prim_blocks(r->n) > 1; target = !target) {
        gpu_texture *to = &s->textures[target];
        TRY(prim_scratch_ensure(r->g, to, "reduction", out->format, prim_blocks(r->n)));
        TRY(fold(r, true, to, 0, prim_blocks(r->n), 0));
    }
    return fold(r, true, out, at, 1, 0);
}

/* Returns how many elements are left after n are folded at bits bit and bit + 1. */
static uint32_t folded(uint32_t n, uint32_t bit) {
    uint32_t rest = n & ((4u << bit) - 1), most = 1u << bit;
    return ((n >> (bit + 2)) << bit) + (rest < most ? rest : most);
}

static glshape_status by_fours(reduction *r, prim_scratch *s, gpu_texture *out, uint32_t at) {
    for (unsigned level = 0, target = 0; r->n > 4; level = (level + 1) % 6) {
        uint32_t bit = level_bits[level], left = folded(r->n, bit);
        if (left == r->n) continue;
        gpu_texture *to = &s->textures[2 + target];
        target = !target;
        TRY(prim_scratch_ensure(r->g, to, "reduction", out->format, left));
        TRY(fold(r, false, to, 0, left, bit));
    }
    return fold(r, false, out, at, 1, 0);
}

glshape_status prim_reduce(gpu *g, prim_scratch *s, gpu_texture *in, uint32_t n, gpu_texture *out,
                           uint32_t at) {
    reduction r = {.g = g, .from = in, .n = n};
    gpu_format format = in->format == GPU_RG32F ? GPU_RG32F : GPU_R32UI;
    TRY(prim_check(run_of(g), "prim_reduce: in", in, format, n));
    TRY(prim_check(run_of(g), "prim_reduce: out", out, format, (uint64_t)at + 1));
    return gpu_get_stage(g) == GPU_STAGE_FRAGMENT ? by_fours(&r, s, out, at) : by_groups(&r, s, out, at);
}
