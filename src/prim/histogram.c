/* Histogram by atomic additions; in shared memory first, if the bins fit there. */
#include "prim/passes.h"
#include "prim/scratch.h"

#define MOST_BINS 4096u
#define PRIVATE_BINS 1024u
/* So many groups fill any device. More keys make no more groups: each takes more keys, and adds its bins
 * once. */
#define MOST_GROUPS 1024u

glshape_status prim_histogram(gpu *g, gpu_texture *keys, uint32_t n, uint32_t shift, uint32_t mask,
                              gpu_texture *bins) {
    if (mask >= MOST_BINS || (mask & (mask + 1)) || shift > 31)
        return fail(gpu_error(g), GLSHAPE_BAD_ARGUMENT,
                    "prim_histogram: mask %u is not 2^k - 1 below %u, or shift %u is above 31", mask,
                    MOST_BINS, shift);
    TRY(prim_check(g, "prim_histogram: keys", keys, GPU_R32UI, n));
    TRY(prim_check(g, "prim_histogram: bins", bins, GPU_R32UI, mask + 1));
    TRY(gpu_run(g, prim_fill, .filled = bins, .value = 0, .elements = mask + 1));
    if (!n) return GLSHAPE_OK;
    uint32_t blocks = prim_blocks(n), each = (blocks - 1) / MOST_GROUPS + 1;
    return gpu_run(g, prim_histogram, .PRIVATE = mask < PRIVATE_BINS, .keys = keys, .bins = bins, .n = n,
                   .span = each * PRIM_BLOCK, .shift = shift, .mask = mask,
                   .groups = (blocks - 1) / each + 1);
}
