/* A small grid that shows whether the passes of this folder are right: the CPU finds its edges, too. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cubical/columns.h"
#include "cubical/edges.h"
#include "cubical/passes.h"
#include "field/basins.h"
#include "mergetree/pairs.h"
#include "mergetree/passes.h"
#include "mergetree/regular.h"
#include "tree/union.h"

#define NX 5u
#define NY 300u
#define NZ 6u
#define VERTICES (NX * NY * NZ)
#define RAMP (NX * NY) /* vertices of the plane that leads down along y; all others are higher */

/* A ramp, and few values, many of which are equal. */
typedef struct small_grid {
    uint32_t key[VERTICES];
    _Atomic uint8_t ended[VERTICES]; /* as if cubes ended so many squares */
    glshape_field field;
    order order;
    grid grid;
    cubes cubes;
} small_grid;

static void small_new(small_grid *s) {
    uint32_t state = 1;
    for (uint32_t v = 0; v < VERTICES; v++) {
        state = state * 1664525u + 1013904223u;
        s->key[v] = v < RAMP ? NY - v / NX : NY + (state >> 26);
        s->ended[v] = (uint8_t)(v % 4);
    }
    s->field = (glshape_field){.type = GLSHAPE_U32, .values = s->key};
    s->order = (order){.field = &s->field, .n = VERTICES};
    s->grid = (grid){{NX, NY, NZ}, 1, 6};
    s->cubes = cubes_of(s->key, s->grid.extent, 1, 2);
}

/* ---- edges and the elder rule -------------------------------------------------------------------- */

/* Each minimum is a component; where it dies. Other vertices are none. */
static void list_deaths(const cubical_edges *e, const radix_item *pairs, uint32_t death[VERTICES]) {
    memset(death, 0xfe, VERTICES * sizeof *death);
    for (uint32_t m = 0; m < e->minima; m++) {
        uint32_t birth = pairs ? (uint32_t)pairs[m].at : e->birth[m];
        if (birth < VERTICES) death[birth] = pairs ? pairs[m].b : e->death[m];
    }
}

static glshape_status compare_deaths(gpu *g, cubical_edges *device, const cubical_edges *cpu, bool *same) {
    uint32_t x[VERTICES], y[VERTICES];
    radix_item pairs[VERTICES];
    *same = device->minima == cpu->minima;
    if (!*same) return GLSHAPE_OK;
    if (device->by_passes) TRY(gpu_download(g, &device->pairs, 0, device->minima, pairs));
    list_deaths(device, device->by_passes ? pairs : NULL, x);
    list_deaths(cpu, NULL, y);
    *same = !memcmp(x, y, sizeof x);
    return GLSHAPE_OK;
}

/* The sets of edges that are left of each vertex. *right: they make sense. */
static glshape_status list_left(gpu *g, const small_grid *s, cubical_edges *e, uint8_t left[VERTICES],
                                bool *right) {
    OWNED radix_item *edges = NULL;
    size_t count;
    memset(left, 0, VERTICES);
    *right = true;
    for (size_t k = 0; k < e->count && *right; k++)
        *right = e->left[k].at < VERTICES && (!k || e->left[k - 1].at < e->left[k].at);
    if (!*right) return GLSHAPE_OK;
    TRY(cubical_edges_list(g, &s->cubes, e, &edges, &count));
    for (size_t k = 0; k < count && *right; k++) {
        const radix_item *edge = &edges[k], *before = &edges[k ? k - 1 : 0];
        uint32_t v = (uint32_t)edge->at, w = (uint32_t)before->at;
        *right = !k || v > w || (v == w && edge->b > before->b);
        left[v] |= (uint8_t)(1 << edge->b);
    }
    return GLSHAPE_OK;
}

/* Whether the edges that are left close cycles, and the other critical ones join components: then these are a
 * spanning forest, whichever of the edges of a vertex it takes. */
static bool is_forest(const small_grid *s, const uint32_t *sorted, const uint8_t left[VERTICES]) {
    uint32_t sets[VERTICES], to[6], paired;
    for (uint32_t v = 0; v < VERTICES; v++) sets[v] = v;
    for (uint32_t k = 0; k < VERTICES; k++) {
        uint32_t v = sorted[k], all = cubes_edges(&s->cubes, v, to, &paired);
        uint32_t critical = all & ~paired & (all - 1), first = all & -all;
        if (left[v] & ~critical) return false;
        for (int part = 0; part < 2; part++) {
            uint32_t set = part ? left[v] : first | (critical & ~left[v]);
            for (int i = 0; i < 6; i++) {
                if (!(set >> i & 1)) continue;
                uint32_t a = union_find(sets, v), b = union_find(sets, to[i]);
                if ((a == b) != part) return false;
                sets[a] = b;
            }
        }
    }
    return true;
}

static glshape_status check_edges(gpu *g, cubical_asking *elders, bool *right) {
    OWNED_BY(cubical_edges_free) cubical_edges device = {0};
    OWNED_BY(cubical_edges_free) cubical_edges cpu = {0};
    OWNED uint32_t *sorted = NULL;
    uint8_t left[VERTICES];
    small_grid s;
    small_new(&s);
    const cubical_keys keys = {.order = &s.order, .grid = &s.grid};
    TRY(cubical_edges_on_cpu(g, &s.order, &s.cubes, &cpu));
    TRY(cubical_edges_find(g, &keys, elders, &device));
    TRY(order_sort(run_error(run_of(g)), &s.order, &sorted));
    TRY(compare_deaths(g, &device, &cpu, right));
    *right = *right && (!elders || device.by_passes) && device.examined == cpu.examined;
    if (*right) TRY(list_left(g, &s, &device, left, right));
    *right = *right && is_forest(&s, sorted, left);
    return GLSHAPE_OK;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    (void)user;
    TRY(check_edges(g, NULL, right));
    return basins_try_ring(g, right);
}

glshape_status cubical_is_for_passes(gpu *g, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(cubical_edges), gpu_program(cubical_joins, .KEYS = 0),
                               gpu_program(field_steepest, .HOOD = 6), gpu_only_program(field_compress)},
                   .check = check,
                   .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

/* What is to be checked is taken as right. */
static glshape_status trust(gpu *g, run_why *why) {
    (void)g, (void)why;
    return GLSHAPE_OK;
}

static glshape_status check_elders(gpu *g, const void *user, bool *right) {
    (void)user;
    return check_edges(g, trust, right);
}

glshape_status cubical_elders_are_for_passes(gpu *g, run_why *why) {
    gpu_exact e = {
        .program = {gpu_program(cubical_joins, .KEYS = 1), gpu_only_program(cubical_joined),
                    gpu_program(cubical_spread, .LISTS = 0), gpu_program(cubical_spread, .LISTS = 1)},
        .check = check_elders,
        .without_doubles = true};
    TRY(pairs_are_for_passes(g, 6, PAIRS_ITEMS, why));
    return gpu_trusts_for(g, &e, why);
}

/* ---- the reduction -------------------------------------------------------------------------------- */

/* Lists the critical edges of the grid; *edges is the caller's to free. */
static glshape_status list_edges(gpu *g, const small_grid *s, radix_item **edges, size_t *count) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    TRY(cubical_edges_on_cpu(g, &s->order, &s->cubes, &e));
    return cubical_edges_list(g, &s->cubes, &e, edges, count);
}

/* Whether pairs have the keys of their edges, and of the squares that end them: `deaths`. */
static glshape_status check_pairs(gpu *g, const small_grid *s, const radix_item *edges, size_t count,
                                  cubical_reduced *of, const uint32_t *found, const uint32_t *deaths,
                                  bool *right) {
    OWNED radix_item *pairs = NULL;
    TRY(cubical_reduced_end(g, of, found));
    TRY(allocate(run_error(run_of(g)), &pairs, count, sizeof *pairs, "a few edges"));
    TRY(gpu_download(g, &of->pairs, 0, (uint32_t)count, pairs));
    for (size_t k = 0; k < count && *right; k++) {
        uint32_t end = pairs[k].b;
        *right = pairs[k].at == edges[k].at && (end < VERTICES || end == SPARSE_ESSENTIAL) &&
                 pairs[k].a == (end < VERTICES ? s->key[end] : UINT32_MAX);
    }
    for (size_t k = 0; k < count && *right; k++) *right = pairs[k].b == deaths[k];
    return GLSHAPE_OK;
}

/* Whether edges end where they do on the CPU, if passes go so far and leave at most so many to threads. */
static glshape_status check_effort(gpu *g, const small_grid *s, const radix_item *edges, size_t count,
                                   cubical_effort effort, size_t most, const uint32_t *deaths, bool *right) {
    OWNED_BY(cubical_reduced_free) cubical_reduced of = {0};
    OWNED_BY(gpu_texture_free) gpu_texture columns = {0};
    OWNED uint32_t *found = NULL;
    columns_work work;
    const cubical_keys keys = {.order = &s->order, .grid = &s->grid};
    const cubical_job job = {&keys, s->cubes.ended, NULL, &columns, (uint32_t)count, 1, effort};
    if (!*right) return GLSHAPE_OK;
    TRY(allocate(run_error(run_of(g)), &found, count, sizeof *found, "a few edges"));
    TRY(listing_send_columns(g, edges, count, &columns));
    TRY(cubical_reduce_by_passes(g, &job, &of));
    TRY(columns_reduce(run_of(g), RUN_NOT_BY_PASSES, &s->cubes, NULL, count, &of, 1, found, &work));
    *right = !of.lost && work.left <= most;
    for (size_t k = 0; k < count; k++)
        *right = *right && (found[k] == deaths[k] || found[k] == REDUCED_UNTOUCHED);
    return *right ? check_pairs(g, s, edges, count, &of, found, deaths, right) : GLSHAPE_OK;
}

#define BRIEF 8 /* entries: so many columns are long */

/* Critical edges of a small grid: short flows and long ones, no rounds, few, and all. */
static glshape_status check_reduction(gpu *g, const void *user, bool *right) {
    OWNED radix_item *edges = NULL;
    OWNED uint32_t *deaths = NULL;
    cubical_effort full = cubical_full_effort(g), some;
    columns_work work;
    size_t count;
    small_grid s;
    (void)user;
    small_new(&s);
    TRY(list_edges(g, &s, &edges, &count));
    TRY(allocate(run_error(run_of(g)), &deaths, count, sizeof *deaths, "a few edges"));
    TRY(columns_reduce(run_of(g), RUN_NOT_BY_PASSES, &s.cubes, edges, count, NULL, 1, deaths, &work));
    *right = true;
    full.brief = BRIEF;
    some = full;
    some.rounds = 0;
    TRY(check_effort(g, &s, edges, count, some, count, deaths, right));
    some.rounds = 2;
    TRY(check_effort(g, &s, edges, count, some, count / 2, deaths, right));
    some.first_turns = some.turns = some.rounds = 1;
    TRY(check_effort(g, &s, edges, count, some, count, deaths, right));
    full.first_turns = 1;
    TRY(check_effort(g, &s, edges, count, full, count / 10, deaths, right));
    s.cubes.ended = s.ended;
    TRY(columns_reduce(run_of(g), RUN_NOT_BY_PASSES, &s.cubes, edges, count, NULL, 1, deaths, &work));
    return check_effort(g, &s, edges, count, full, count / 10, deaths, right);
}

glshape_status cubical_reduction_is_for_passes(gpu *g, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(cubical_stars), gpu_only_program(cubical_flow),
                               gpu_only_program(cubical_flow_on), gpu_only_program(cubical_claim),
                               gpu_only_program(cubical_add), gpu_only_program(cubical_add_long),
                               gpu_only_program(cubical_pack), gpu_only_program(cubical_pairs),
                               gpu_only_program(cubical_patch)},
                   .check = check_reduction,
                   .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

void cubical_expect(gpu *g, bool flows) {
    gpu_soon(g, field_steepest, .HOOD = 6);
    gpu_soon_only(g, cubical_edges);
    gpu_soon(g, cubical_joins, .KEYS = 1);
    gpu_soon_only(g, cubical_joined);
    gpu_soon(g, cubical_spread, .LISTS = 0);
    gpu_soon(g, cubical_spread, .LISTS = 1);
    if (!flows) return;
    gpu_soon_only(g, cubical_stars);
    gpu_soon_only(g, cubical_flow);
    gpu_soon_only(g, cubical_flow_on);
    gpu_soon_only(g, cubical_claim);
    gpu_soon_only(g, cubical_add);
    gpu_soon_only(g, cubical_add_long);
    gpu_soon_only(g, cubical_pack);
    gpu_soon_only(g, cubical_pairs);
    gpu_soon_only(g, cubical_patch);
    gpu_soon_only(g, cubical_settle);
}
