#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "compare/passes.h"
#include "compare/vectors.h"

/* Diagrams of 0 to 6 pairs, of which the fifth is the first again, in batches of a few; their invocations
 * fill more than a group. */
enum { DIAGRAMS = 9, MOST = 7, SAMPLES = 37, LEVELS = 6, PAIRS = DIAGRAMS * MOST };

static void fill(vectors *v) {
    for (uint32_t i = 0, at = 0; i < DIAGRAMS; i++) {
        for (uint32_t k = 0; k < i % MOST; k++, at++) {
            v->pairs[2 * at] = (i * 5 + k % 4 * 3) % 11 + (k % 4 == 2 ? 0 : 0.3);
            v->pairs[2 * at + 1] = v->pairs[2 * at] + 1.7 + (i * 3 + k % 4 * 7) % 9;
            v->weight[at] = 1.0f / (float)(1 + (i + 2 * k) % 5);
        }
        v->first[i + 1] = at;
        v->mass[i] = 1.5;
    }
    for (uint32_t j = 0; j < SAMPLES; j++) v->grid[j] = 0.6 * j - 1;
}

static glshape_status compute(vectors *v, bool by_passes) {
    OWNED_BY(tents_free) tents t = {0};
    if (v->kind == GLSHAPE_VECTORS_IMAGE) return by_passes ? image_by_passes(v) : image_on_cpu(v);
    TRY(tents_new(v, &t));
    return by_passes ? tents_by_passes(v, &t) : tents_on_cpu(v, &t);
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    size_t first[DIAGRAMS + 1] = {0};
    double pairs[2 * PAIRS], mass[DIAGRAMS], grid[SAMPLES];
    float weight[PAIRS];
    OWNED float *cpu = NULL, *device = NULL;
    glshape_vectors_kind kind = *(const glshape_vectors_kind *)user;
    uint32_t levels = kind == GLSHAPE_VECTORS_SILHOUETTE ? 1 : LEVELS;
    vectors v = {.g = g,
                 .kind = kind,
                 .o.bandwidth = 1.3,
                 .n = DIAGRAMS,
                 .longest = MOST,
                 .first = first,
                 .pairs = pairs,
                 .weight = weight,
                 .mass = mass,
                 .unit = 1,
                 .samples = SAMPLES,
                 .levels = levels,
                 .columns = (size_t)SAMPLES * levels,
                 .range = {0, 11, 1, 10},
                 .grid = grid,
                 .batch_bytes = 4000};
    size_t values = DIAGRAMS * v.columns;
    fill(&v);
    TRY(allocate(run_error(run_of(g)), &cpu, values, sizeof *cpu, "vectors"));
    TRY(allocate(run_error(run_of(g)), &device, values, sizeof *device, "vectors"));
    v.values = cpu;
    TRY(compute(&v, false));
    v.values = device;
    TRY(compute(&v, true));
    *right = !memcmp(cpu, device, values * sizeof *cpu);
    return GLSHAPE_OK;
}

glshape_status vectors_are_for_passes(const vectors *v, run_why *why) {
    gpu_exact image = {.program = {gpu_only_program(compare_image)}},
              landscape = {.program = {gpu_only_program(compare_landscape)}},
              silhouette = {.program = {gpu_only_program(compare_silhouette)}},
              e = v->kind == GLSHAPE_VECTORS_IMAGE       ? image
                  : v->kind == GLSHAPE_VECTORS_LANDSCAPE ? landscape
                                                         : silhouette;
    e.check = check;
    e.user = &v->kind;
    e.without_doubles = true;
    return gpu_trusts_for(v->g, &e, why);
}
