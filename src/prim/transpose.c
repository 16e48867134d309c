/* Odd-even transposition of almost sorted pairs; and the keys by which floats are sorted. */
#include "prim/passes.h"
#include "prim/scratch.h"

glshape_status prim_transpose(gpu *g, gpu_texture keys[2], gpu_texture values[2], gpu_texture *moved,
                              uint32_t n, uint32_t rounds) {
    bool floats = keys->format == GPU_R32F;
    uint32_t elements = keys[0].elements;
    if (!rounds || n > elements || keys[1].elements != elements || values[0].elements != elements ||
        values[1].elements != elements || moved->elements != elements)
        return fail(gpu_error(g), GLSHAPE_BAD_ARGUMENT, "prim_transpose: %u rounds over %u of %u pairs",
                    rounds, n, elements);
    for (int i = 0; i < 2; i++) {
        TRY(prim_check(g, "prim_transpose: keys", &keys[i], floats ? GPU_R32F : GPU_R32UI, elements));
        TRY(prim_check(g, "prim_transpose: values", &values[i], GPU_R32UI, elements));
    }
    TRY(prim_check(g, "prim_transpose: moved", moved, GPU_R32UI, elements));
    while (rounds--) {
        TRY(gpu_run(g, prim_transpose, .FLOAT = floats, .keys = &keys[0], .values = &values[0],
                    .new_keys = &keys[1], .new_values = &values[1], .moved = moved, .n = n,
                    .elements = elements));
        gpu_texture_swap(&keys[0], &keys[1]);
        gpu_texture_swap(&values[0], &values[1]);
    }
    return GLSHAPE_OK;
}

glshape_status prim_ordered(gpu *g, gpu_texture *floats, uint32_t n, gpu_texture *keys) {
    TRY(prim_check(g, "prim_ordered: floats", floats, GPU_R32F, n));
    TRY(prim_check(g, "prim_ordered: keys", keys, GPU_R32UI, n));
    return gpu_run(g, prim_ordered, .source = floats, .result = keys, .elements = n);
}

glshape_status prim_unordered(gpu *g, gpu_texture *keys, uint32_t n, gpu_texture *floats) {
    TRY(prim_check(g, "prim_unordered: keys", keys, GPU_R32UI, n));
    TRY(prim_check(g, "prim_unordered: floats", floats, GPU_R32F, n));
    return gpu_run(g, prim_unordered, .source = keys, .result = floats, .elements = n);
}
