/* Long lists are sorted by passes. */
#include "prim/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "place/place.h"
#include "prim/passes.h"

#define MOST (UINT32_MAX / 2)

/* An item is a texel: the lower half of its key, the upper half, and the rest. */
_Static_assert(sizeof(radix_item) == 4 * sizeof(uint32_t), "an item is a texel");

typedef struct sorter {
    prim_radix_scratch scratch;
    gpu_texture items[2];
} sorter;

static void sorter_free(sorter *s) {
    prim_radix_free(&s->scratch);
    for (int i = 0; i < 2; i++) gpu_texture_free(&s->items[i]);
}

static glshape_status sort(gpu *g, radix_item *items, uint32_t count, uint32_t bits) {
    OWNED_BY(sorter_free) sorter s = {0};
    for (int i = 0; i < 2; i++)
        TRY(gpu_texture_new(g, &s.items[i], "items to be sorted", GPU_RGBA32UI, count, 1));
    TRY(gpu_upload(g, &s.items[0], 0, count, items));
    TRY(prim_radix(g, &s.scratch, s.items, count, 32, 64)); /* prim_radix has the upper half first */
    if (bits > 32) TRY(prim_radix(g, &s.scratch, s.items, count, 0, 32));
    return gpu_download(g, &s.items[0], 0, count, items);
}

/* ---- whether it is right ------------------------------------------------------------------------- */

#define TRIED 100000u /* several parts and blocks of the passes */

static glshape_status check(gpu *g, const void *user, bool *right) {
    OWNED radix_item *device = NULL, *cpu = NULL;
    uint32_t state = 1;
    (void)user;
    TRY(allocate(run_error(run_of(g)), &device, TRIED, sizeof *device, "a few items"));
    TRY(allocate(run_error(run_of(g)), &cpu, 2 * TRIED, sizeof *cpu, "a few items"));
    for (uint32_t k = 0; k < TRIED; k++) {
        state = state * 1664525u + 1013904223u;
        device[k] = cpu[k] = (radix_item){(uint64_t)(state >> 20) << 52 | (state & 0xf000) << 4, k, ~k};
    }
    radix_sort(cpu, cpu + TRIED, TRIED);
    TRY(sort(g, device, TRIED, 64));
    *right = !memcmp(device, cpu, TRIED * sizeof *cpu);
    return GLSHAPE_OK;
}

bool prim_is_long(gpu *g, size_t count) { return !place_is_little(g, PLACE_ITEMS, (double)count); }

glshape_status prim_sorts_there(gpu *g, size_t count, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(prim_radix_count), gpu_only_program(prim_radix_move),
                               gpu_only_program(prim_scan), gpu_program(prim_reduce_group, .PAIR = 0)},
                   .check = check,
                   .without_doubles = true};
    if (run_why_device(*why) && count > MOST) *why = RUN_NOT_LIMITS;
    return run_why_device(*why) ? gpu_trusts_for(g, &e, why) : GLSHAPE_OK;
}

glshape_status prim_sorts(gpu *g, size_t count, run_why *why) {
    if (run_why_device(*why) && !prim_is_long(g, count)) *why = RUN_NOT_SMALL;
    return prim_sorts_there(g, count, why);
}

glshape_status prim_sort(gpu *g, bool device, radix_item *items, size_t count, uint32_t bits) {
    OWNED radix_item *spare = NULL;
    run_why why = RUN_NOT_BY_PASSES;
    if (device && prim_is_long(g, count)) TRY(place_choose_any(g, 0, &why));
    TRY(prim_sorts(g, count, &why));
    if (run_why_device(why) && count) {
        glshape_status status = sort(g, items, (uint32_t)count, bits);
        if (status != GLSHAPE_NO_GPU_MEMORY) return status;
    }
    TRY(allocate(run_error(run_of(g)), &spare, count, sizeof *spare, "a list that is sorted"));
    radix_sort(items, spare, count);
    return GLSHAPE_OK;
}
