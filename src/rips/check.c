/* Small complexes that show whether the passes that enumerate are right: the CPU finds their simplices, too.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "rips/enumerate.h"
#include "rips/graph.h"
#include "rips/passes.h"

#define POINTS 22u
#define FOUND_VERTICES 5 /* simplices of up to so many are found */

/* What is tried: the simplices of so many vertices, by the programs for n points. */
typedef struct enumerating {
    uint32_t n;
    int vertices;
} enumerating;

/* A matrix of few values, so that many simplices have equal diameters; some pairs are beyond the threshold.
 */
static glshape_status make_space(error *err, int vertices, rips_space *s) {
    uint32_t state = 1;
    *s = (rips_space){.n = POINTS, .threshold = 12, .greatest = 15};
    TRY(allocate(err, &s->distance, POINTS * POINTS, sizeof *s->distance, "distances"));
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t j = 0; j < i; j++) {
            state = state * 1664525u + 1013904223u;
            s->distance[i * POINTS + j] = s->distance[j * POINTS + i] = 1 + (float)(state >> 28);
        }
    TRY(rips_space_prepare(err, s, vertices + 1, 2));
    return rips_graph_of_matrix(err, s, true);
}

static bool same(const rips_columns *a, const rips_columns *b) {
    bool same = a->count == b->count;
    for (size_t k = 0; same && k < a->count; k++)
        same = a->items[k].index == b->items[k].index && !(a->items[k].value != b->items[k].value);
    return same;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    const enumerating *as = user;
    OWNED_BY(rips_space_free) rips_space s = {0};
    OWNED_BY(rips_enumeration_free) rips_enumeration e = {.g = g};
    OWNED_BY(rips_columns_free) rips_columns device = {0};
    OWNED_BY(rips_columns_free) rips_columns cpu = {0};
    TRY(make_space(run_error(run_of(g)), as->vertices, &s));
    TRY(rips_enumeration_new(g, &s, &e));
    e.as_of = as->n;
    TRY(rips_enumeration_upload(&e, false));
    TRY(rips_enumerate(&e, as->vertices, &device));
    TRY(rips_enumerate_sparse(run_error(run_of(g)), &s, as->vertices, 1, &cpu));
    *right = same(&device, &cpu) && (cpu.count || as->vertices > FOUND_VERTICES);
    return GLSHAPE_OK;
}

static glshape_status trust_edges(gpu *g, run_why *why) {
    const enumerating as = {POINTS, 2};
    gpu_exact e = {
        .program = {gpu_only_program(rips_edges)}, .check = check, .user = &as, .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

static glshape_status trust_columns(gpu *g, const enumerating *as, run_why *why) {
    const int words = rips_words(as->n), room = rips_room(words);
    gpu_exact e = {
        .program = {gpu_program(rips_columns, .WORDS = words, .ROOM = room, .EXTRA = as->vertices - 2),
                    gpu_program(rips_candidates, .WORDS = words, .ROOM = room)},
        .check = check,
        .user = as,
        .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

glshape_status rips_is_for_passes(gpu *g, uint32_t n, int dim, run_why *why) {
    TRY(trust_edges(g, why));
    for (int d = 2; d <= dim; d++) TRY(trust_columns(g, &(enumerating){n, d + 1}, why));
    return GLSHAPE_OK;
}
