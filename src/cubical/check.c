/* A small grid that shows whether the passes of this folder are right: the CPU finds its edges, too. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "cubical/edges.h"
#include "cubical/flow.h"
#include "cubical/morse.h"
#include "cubical/passes.h"
#include "mergetree/basins.h"
#include "mergetree/pairs.h"
#include "mergetree/passes.h"
#include "tree/union.h"

#define NX 5u
#define NY 300u
#define NZ 6u
#define VERTICES (NX * NY * NZ)
#define RAMP (NX * NY) /* vertices of the plane that leads down along y; all others are higher */

/* A ramp, and few values, many of which are equal. */
typedef struct small_grid {
    uint32_t key[VERTICES];
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
    }
    s->field = (glshape_field){.type = GLSHAPE_U32, .values = s->key};
    s->order = (order){.field = &s->field, .n = VERTICES};
    s->grid = (grid){{NX, NY, NZ}, 1, 6};
    s->cubes = cubes_of(s->key, s->grid.extent, 1, 2);
}

/* ---- edges and the elder rule -------------------------------------------------------------------- */

/* Each minimum is a component; where it dies. Other vertices are none. */
static void list_deaths(const cubical_edges *e, uint32_t death[VERTICES]) {
    memset(death, 0xfe, VERTICES * sizeof *death);
    for (uint32_t m = 0; m < e->minima; m++) {
        uint32_t birth = e->pairs ? (uint32_t)e->pairs[m].at : e->birth[m];
        if (birth < VERTICES) death[birth] = e->pairs ? e->pairs[m].b : e->death[m];
    }
}

static bool same_deaths(const cubical_edges *a, const cubical_edges *b) {
    uint32_t x[VERTICES], y[VERTICES];
    if (a->minima != b->minima) return false;
    list_deaths(a, x);
    list_deaths(b, y);
    return !memcmp(x, y, sizeof x);
}

/* The sets of edges that are left of each vertex. False: they make no sense. */
static bool list_left(const cubical_edges *e, uint8_t left[VERTICES]) {
    memset(left, 0, VERTICES);
    for (size_t k = 0; k < e->count; k++) {
        if (e->left[k].at >= VERTICES || (k && e->left[k - 1].at >= e->left[k].at)) return false;
        left[e->left[k].at] = (uint8_t)e->left[k].a;
    }
    return true;
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
    TRY(cubical_edges_on_cpu(run_error(run_of(g)), &s.order, &s.cubes, &cpu));
    TRY(cubical_edges_find(g, &s.order, &s.grid, elders, &device));
    TRY(order_sort(run_error(run_of(g)), &s.order, &sorted));
    *right = (!elders || device.pairs) && device.examined == cpu.examined && same_deaths(&device, &cpu) &&
             list_left(&device, left) && is_forest(&s, sorted, left);
    return GLSHAPE_OK;
}

static glshape_status check(gpu *g, const void *user, bool *right) {
    (void)user;
    TRY(check_edges(g, NULL, right));
    return basins_try_ring(g, right);
}

glshape_status cubical_is_for_passes(gpu *g, run_why *why) {
    gpu_exact e = {
        .program = {gpu_only_program(cubical_edges), gpu_program(cubical_joins, .KEYS = 0),
                    gpu_program(mergetree_steepest, .HOOD = 6), gpu_only_program(mergetree_compress)},
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
    gpu_exact e = {.program = {gpu_program(cubical_joins, .KEYS = 1), gpu_only_program(cubical_joined)},
                   .check = check_elders,
                   .without_doubles = true};
    TRY(pairs_are_for_passes(g, 6, PAIRS_PAIRED, why));
    return gpu_trusts_for(g, &e, why);
}

/* ---- the flow ----------------------------------------------------------------------------------- */

#define SQUARES 1024 /* of one edge, at most */

/* Adds a square to others, modulo 2. */
static void add_square(sparse_term *squares, size_t *count, sparse_term t) {
    for (size_t k = 0; k < *count; k++)
        if (squares[k].order == t.order && squares[k].part == t.part) {
            squares[k] = squares[--*count];
            return;
        }
    if (*count < SQUARES) squares[(*count)++] = t;
}

/* Lets squares that are on their way pass one vertex after another. False: the squares make no sense. */
static bool end_flow(const cubes *c, sparse_term *squares, size_t *count) {
    for (uint32_t passed = 0; *count < SQUARES; passed++) {
        sparse_term in[FLOW_CRITICAL], out[FLOW_MOST];
        size_t first = SIZE_MAX, taken = 0, kept = 0;
        for (size_t k = 0; k < *count; k++)
            if (squares[k].part < FLOW_CRITICAL &&
                (first == SIZE_MAX || squares[k].order < squares[first].order))
                first = k;
        if (first == SIZE_MAX) return true;
        uint64_t here = squares[first].order;
        for (size_t k = 0; k < *count; k++)
            if (squares[k].order == here && squares[k].part < FLOW_CRITICAL && taken < FLOW_CRITICAL)
                in[taken++] = squares[k];
            else squares[kept++] = squares[k];
        *count = kept;
        if ((uint32_t)here >= VERTICES || passed > VERTICES) return false;
        size_t made = flow_pass(c, in, taken, out);
        for (size_t k = 0; k < made; k++) add_square(squares, count, out[k]);
    }
    return false;
}

/* Whether the squares of an edge that passes have found are those of the CPU. */
static glshape_status check_edge(error *err, const morse *m, size_t edge, flow *cpu, bool *right) {
    sparse_term squares[SQUARES];
    size_t count, found = 0;
    const sparse_term *terms = morse_terms(m, edge, &count);
    cpu->term_count = 0;
    if (!flow_edge(m->cubes, cpu, (uint32_t)m->edges[edge].at, (int)m->edges[edge].b, UINT64_MAX))
        return fail(err, GLSHAPE_NO_MEMORY, "not enough memory for the squares of an edge");
    *right = *right && count < SQUARES;
    for (size_t k = 0; *right && k < count; k++) {
        *right = !k || sparse_before(&terms[k - 1], &terms[k]);
        add_square(squares, &found, terms[k]);
    }
    *right = *right && end_flow(m->cubes, squares, &found);
    for (size_t k = 0; *right && k < cpu->term_count; k++) add_square(squares, &found, cpu->terms[k]);
    *right = *right && !found;
    return GLSHAPE_OK;
}

static glshape_status check_flow_to(gpu *g, const small_grid *s, const radix_item *edges, size_t count,
                                    uint32_t turns, bool *right) {
    OWNED_BY(morse_free) morse m = {.cubes = &s->cubes, .edges = edges, .count = count};
    OWNED_BY(flow_free) flow cpu = {0};
    TRY(morse_fill_by_passes(g, &s->order, &s->grid, NULL, turns, &m, 1));
    for (size_t k = 0; *right && k < count; k++) TRY(check_edge(run_error(run_of(g)), &m, k, &cpu, right));
    *right = *right && !m.steps; /* a pass that does nothing leaves all to the CPU */
    return GLSHAPE_OK;
}

/* Critical edges of a small grid, short flows and long ones. */
static glshape_status check_flow(gpu *g, const void *user, bool *right) {
    OWNED_BY(cubical_edges_free) cubical_edges e = {0};
    OWNED radix_item *edges = NULL;
    size_t count = 0;
    small_grid s;
    (void)user;
    small_new(&s);
    TRY(cubical_edges_on_cpu(run_error(run_of(g)), &s.order, &s.cubes, &e));
    TRY(allocate(run_error(run_of(g)), &edges, 6 * e.count, sizeof *edges, "a few edges"));
    for (size_t k = 0; k < e.count; k++)
        for (uint32_t rest = e.left[k].a; rest; rest &= rest - 1)
            edges[count++] =
                (radix_item){cubes_order(&s.cubes, (uint32_t)e.left[k].at), 0, (uint32_t)__builtin_ctz(rest)};
    *right = true;
    TRY(check_flow_to(g, &s, edges, count, 1, right));
    return check_flow_to(g, &s, edges, count, morse_turns(g), right);
}

glshape_status cubical_flow_is_for_passes(gpu *g, run_why *why) {
    gpu_exact e = {.program = {gpu_only_program(cubical_flow)}, .check = check_flow, .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}
