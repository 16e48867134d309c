/* Exclusive scan and compaction. Each block is summed; these sums are scanned, in the same way; then each
 * block is scanned from its sum on. Data is read twice and written once, and no group waits for another. */
#include "prim/passes.h"
#include "prim/scratch.h"

/* Places in the scratch: from LEVEL(0) the sums and carries of the data, from LEVEL(1) those of these sums
 * (above 16M elements); a total that the caller does not want. */
#define LEVEL(level) (2 * (level))
#define UNWANTED 4

/* Checks *total, or makes it a texture of the scratch if the caller wants none. */
static glshape_status total_or_unwanted(gpu *g, prim_scratch *s, const char *who, gpu_texture **total,
                                        uint32_t *at) {
    if (*total) return prim_check(run_of(g), who, *total, GPU_R32UI, (uint64_t)*at + 1);
    *total = &s->textures[UNWANTED];
    *at = 0;
    return prim_scratch_ensure(g, *total, "unwanted total", GPU_R32UI, 1);
}

/* Scans in[0 … n), block b starting from carry[b]. */
static glshape_status scan_blocks(gpu *g, gpu_texture *in, uint32_t n, gpu_texture *carry, gpu_texture *out,
                                  gpu_texture *total, uint32_t at) {
    return gpu_run(g, prim_scan, .source = in, .carry = carry ? carry : in, .sums = out, .total = total,
                   .n = n, .carried = carry != NULL, .at = at, .groups = prim_blocks(n));
}

/* Sets *carry to a texture with, for each block of in[0 … n), the sum of all before it; NULL if there is one
 * block. */
static glshape_status carry_in(gpu *g, prim_scratch *s, int level, gpu_texture *in, uint32_t n,
                               gpu_texture **carry) {
    uint32_t blocks = prim_blocks(n), at = 0;
    gpu_texture *sums = &s->textures[LEVEL(level)], *scanned = sums + 1, *inner = NULL, *total = NULL;
    *carry = NULL;
    if (blocks == 1) return GLSHAPE_OK;
    TRY(prim_scratch_ensure(g, sums, "sums of blocks", GPU_R32UI, blocks));
    TRY(prim_scratch_ensure(g, scanned, "scanned sums of blocks", GPU_R32UI, blocks));
    TRY(gpu_run(g, prim_reduce_group, .source = in, .result = sums, .n = n, .groups = blocks));
    TRY(carry_in(g, s, level + 1, sums, blocks, &inner));
    TRY(total_or_unwanted(g, s, "", &total, &at));
    *carry = scanned;
    return scan_blocks(g, sums, blocks, inner, scanned, total, at);
}

glshape_status prim_scan(gpu *g, prim_scratch *s, gpu_texture *in, uint32_t n, gpu_texture *out,
                         gpu_texture *total, uint32_t at) {
    gpu_texture *carry;
    TRY(prim_check(run_of(g), "prim_scan: in", in, GPU_R32UI, n));
    TRY(prim_check(run_of(g), "prim_scan: out", out, GPU_R32UI, n));
    TRY(total_or_unwanted(g, s, "prim_scan: total", &total, &at));
    TRY(carry_in(g, s, 0, in, n, &carry));
    return scan_blocks(g, in, n, carry, out, total, at);
}

glshape_status prim_compact(gpu *g, prim_scratch *s, gpu_texture *flags, gpu_texture *from, uint32_t n,
                            gpu_texture *out, gpu_texture *count, uint32_t at) {
    gpu_texture *carry;
    TRY(prim_check(run_of(g), "prim_compact: flags", flags, GPU_R32UI, n));
    TRY(prim_check(run_of(g), "prim_compact: from", from ? from : flags, GPU_R32UI, n));
    TRY(prim_check(run_of(g), "prim_compact: out", out, GPU_R32UI, 0));
    TRY(total_or_unwanted(g, s, "prim_compact: count", &count, &at));
    TRY(carry_in(g, s, 0, flags, n, &carry));
    return gpu_run(g, prim_compact, .COPY = from != NULL, .source = flags, .carry = carry ? carry : flags,
                   .from = from ? from : flags, .kept = out, .total = count, .n = n, .carried = carry != NULL,
                   .at = at, .room = out->elements, .groups = prim_blocks(n));
}
