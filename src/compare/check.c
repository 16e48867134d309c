#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "compare/compare.h"
#include "compare/passes.h"

/* Twenty diagrams of 0 to 7 pairs, but for two of 70, in three tiles, some of them alike, on twelve lines,
 * whose sums carry. The long ones are read in several windows (glsl/compare/slices.glsl). */
enum { DIAGRAMS = 20, DIRECTIONS = 12, MOST = 70 };

static void keep(void *user, uint32_t from, uint32_t tiles, const uint64_t *sum,
                 const slices_spread *spread) {
    uint64_t *all = user;
    (void)spread;
    memcpy(all + (size_t)from * COMPARE_TILE, sum, (size_t)tiles * COMPARE_TILE * sizeof *sum);
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    static const double values[] = {0, 3e8, 1, 9e8, 2, 2.5, 7e8, 1e9};
    size_t first[DIAGRAMS + 1] = {0};
    double pairs[2 * DIAGRAMS * MOST];
    size_t places = compare_places(DIAGRAMS);
    OWNED_BY(slices_free) slices s = {0};
    OWNED uint64_t *device = NULL, *cpu = NULL;
    (void)user;
    for (uint32_t i = 0, at = 0; i < DIAGRAMS; i++) {
        uint32_t count = i == 3 || i == 18 ? MOST : i % 8;
        for (uint32_t k = 0; k < count; k++, at++) {
            pairs[2 * at] = values[(i + k) % 7];
            pairs[2 * at + 1] = values[(i + 3 * k) % 8] + 0.25 * (k + 1);
        }
        first[i + 1] = at;
    }
    const diagrams d = {.n = DIAGRAMS, .first = first, .pairs = pairs};
    TRY(slices_new(run_error(run_of(g)), &d, DIRECTIONS, SLICES_BYTES, &s));
    TRY(allocate(run_error(run_of(g)), &device, places, sizeof *device, "sums"));
    TRY(allocate(run_error(run_of(g)), &cpu, places, sizeof *cpu, "sums"));
    TRY(slices_add_on_cpu(run_of(g), &s, false, keep, cpu));
    s.most_tiles = 2; /* of three */
    s.lines = 5;      /* of twelve */
    TRY(slices_add_by_passes(g, &s, keep, device));
    *right = true;
    for (uint32_t i = 0; i < DIAGRAMS; i++)
        for (uint32_t j = 0; j < i; j++)
            *right = *right && cpu[compare_place(i, j)] == device[compare_place(i, j)];
    return GLSHAPE_OK;
}

glshape_status slices_are_for_passes(gpu *g, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(compare_steps), gpu_only_program(compare_slices)},
                   .check = check,
                   .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}
