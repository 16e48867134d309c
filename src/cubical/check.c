/* A small grid that shows whether the passes of this folder are right: the CPU finds its edges, too. */
#include <stdlib.h>
#include <string.h>

#include "base/owned.h"
#include "cubical/edges.h"
#include "cubical/passes.h"
#include "mergetree/passes.h"

#define NX 5u
#define NY 150u /* so long a way down takes more than one run of mergetree/compress */
#define NZ 6u
#define VERTICES (NX * NY * NZ)
#define RAMP (NX * NY) /* vertices of the plane that leads down along y; all others are higher */

/* Each minimum is a component; where it dies. Other vertices are none. */
static void list_deaths(const cubical_edges *e, uint32_t death[VERTICES]) {
    memset(death, 0xfe, VERTICES * sizeof *death);
    for (uint32_t m = 0; m < e->minima; m++)
        if (e->birth[m] < VERTICES) death[e->birth[m]] = e->death[m];
}

/* Drops the vertices whose edges have all ended a component. */
static void drop_empty(cubical_edges *e) {
    size_t kept = 0;
    for (size_t k = 0; k < e->count; k++)
        if (e->left[k].a) e->left[kept++] = e->left[k];
    e->count = kept;
}

static bool same(const cubical_edges *a, const cubical_edges *b) {
    uint32_t x[VERTICES], y[VERTICES];
    bool same = a->count == b->count && a->minima == b->minima && a->examined == b->examined;
    for (size_t k = 0; same && k < a->count; k++)
        same = a->left[k].at == b->left[k].at && a->left[k].a == b->left[k].a;
    if (!same) return false;
    list_deaths(a, x);
    list_deaths(b, y);
    return !memcmp(x, y, sizeof x);
}

/* A ramp, and few values, many of which are equal. */
static glshape_status check(gpu *g, const void *user, bool *right) {
    OWNED_BY(cubical_edges_free) cubical_edges device = {0};
    OWNED_BY(cubical_edges_free) cubical_edges cpu = {0};
    OWNED_BY(order_free) order o = {0};
    uint32_t key[VERTICES], state = 1;
    (void)user;
    for (uint32_t v = 0; v < VERTICES; v++) {
        state = state * 1664525u + 1013904223u;
        key[v] = v < RAMP ? NY - v / NX : NY + (state >> 26);
    }
    const glshape_field f = {.type = GLSHAPE_U32, .values = key};
    const grid d = {{NX, NY, NZ}, 1, 6};
    const cubes c = cubes_of(key, (const uint32_t[]){NX, NY, NZ}, 1, 2);
    TRY(order_new(gpu_error(g), &f, VERTICES, false, &o));
    TRY(cubical_edges_on_cpu(gpu_error(g), &o, &c, &cpu));
    TRY(cubical_edges_find(g, &o, &d, &device));
    drop_empty(&device);
    *right = same(&device, &cpu);
    return GLSHAPE_OK;
}

glshape_status cubical_is_for_passes(gpu *g, gpu_why *why) {
    gpu_exact e = {
        .program = {gpu_only_program(cubical_edges), gpu_only_program(cubical_joins),
                    gpu_program(mergetree_steepest, .HOOD = 6), gpu_only_program(mergetree_compress)},
        .check = check,
        .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}
