/* Small fields that show whether the passes of this folder are right: the CPU finds their branches, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mergetree/pairs.h"
#include "mergetree/passes.h"
#include "mergetree/regular.h"
#include "mergetree/together.h"
#include "mergetree/triplet.h"
#include "place/place.h"
#include "tree/tree.h"

#define NX 4u
#define NY 300u /* so long a way down takes more than one run of field/compress */
#define NZ 6u
#define VERTICES (NX * NY * NZ)
#define RAMP (NX * NY) /* vertices of the plane that leads down along y; all others are higher */
#define AROUND 4u      /* neighbors of a vertex of the graph */

/* What is tried: on a grid of this neighborhood, or 0: on a graph. */
typedef struct trying {
    int hood;
    bool more; /* of basins, also what is regular */
    pairs_form form;
    bool turned; /* the field, too */
} trying;

/* A ramp, and values many of which are equal; and its triplets. */
typedef struct small_field {
    glshape_field field;
    glshape_graph graph;
    grid grid;
    order order;
    grid_field on_gpu;
    uint32_t values[VERTICES], saddle[VERTICES], other[VERTICES]; /* other: numbers of branches */
    size_t start[VERTICES + 1];
    uint32_t to[AROUND * VERTICES];
    branches tree;
} small_field;

static void small_free(small_field *s) {
    order_free(&s->order);
    grid_field_free(&s->on_gpu);
    branches_free(&s->tree);
}

/* A ring with chords. */
static void make_graph(small_field *s) {
    const uint32_t steps[AROUND] = {1, 17, VERTICES - 17, VERTICES - 1};
    for (uint32_t v = 0; v < VERTICES; v++) {
        s->start[v + 1] = AROUND * (v + 1);
        for (uint32_t k = 0; k < AROUND; k++) s->to[AROUND * v + k] = (v + steps[k]) % VERTICES;
    }
    s->graph = (glshape_graph){.nodes = VERTICES, .start = s->start, .to = s->to};
    s->field.graph = &s->graph;
    s->grid = (grid){.hood = 6};
}

static void make_values(small_field *s, int hood) {
    uint32_t state = 1;
    for (uint32_t v = 0; v < VERTICES; v++) {
        state = state * 1664525u + 1013904223u;
        s->values[v] = v < RAMP ? NY - v / NX : NY + (state >> 25);
    }
    s->field = (glshape_field){
        .type = GLSHAPE_U32, .values = s->values, .dims = 3, .shape = {NZ, NY, NX}, .periodic = {0, 0, 1}};
    s->grid = (grid){.extent = {NX, NY, NZ}, .periodic = 1, .hood = hood};
    if (!hood) make_graph(s);
}

/* The same values as integers with signs, and as floats, some of which are denormal; not in the same order.
 */
static void retype(small_field *s, glshape_type type) {
    s->field.type = type;
    for (uint32_t v = 0; v < VERTICES && type != GLSHAPE_U32; v++) {
        int32_t value = (int32_t)s->values[v] - 180;
        float single = (float)value * (v & 1 ? 0x1p-148f : 0x1p20f);
        if (type == GLSHAPE_F32 && value) memcpy(&s->values[v], &single, sizeof single);
        else s->values[v] = (uint32_t)value;
    }
}

static glshape_status small_of_type(gpu *g, int hood, glshape_type type, small_field *s) {
    make_values(s, hood);
    retype(s, type);
    TRY(order_new(run_error(run_of(g)), &s->field, VERTICES, false, &s->order));
    TRY(grid_field_new(g, &s->order, &s->grid, &s->on_gpu));
    return triplet_find_on_cpu(run_of(g), &s->order, &s->grid, s->saddle, s->other);
}

static glshape_status small_new(gpu *g, int hood, small_field *s) {
    return small_of_type(g, hood, GLSHAPE_U32, s);
}

/* ---- basins ------------------------------------------------------------------------------------ */

static bool same_branches(const branches *a, const branches *b) {
    bool same = a->count == b->count;
    for (uint32_t k = 0; same && k < a->count; k++) {
        uint32_t m = a->falling[k], n = b->falling[k];
        same = a->minimum[m] == b->minimum[n] && a->death[m] == b->death[n] && a->parent[m] < a->count &&
               a->minimum[a->parent[m]] == b->minimum[b->parent[n]];
    }
    return same;
}

/* Whether each vertex leads to a minimum, and each minimum is a vertex. */
static glshape_status are_basins(gpu *g, basins *b, const uint32_t *minimum, bool *so) {
    uint32_t basin[VERTICES];
    TRY(gpu_download(g, &b->basin, 0, VERTICES, basin));
    *so = b->minima > 0;
    for (uint32_t v = 0; v < VERTICES; v++) *so = *so && (basin[v] ^ BASINS_ARRIVED) < b->minima;
    for (uint32_t m = 0; m < b->minima; m++) *so = *so && minimum[m] < VERTICES;
    return GLSHAPE_OK;
}

static bool are_edges(const basins *b, const radix_item *edges, size_t count) {
    bool so = true;
    for (size_t k = 0; k < count; k++) so = so && edges[k].a < b->minima && edges[k].b < b->minima;
    return so;
}

/* The branches by the basins of the device, as far as these are some. */
static glshape_status find_branches(gpu *g, small_field *s, basins *b, branches *out, bool *so) {
    OWNED uint32_t *minimum = NULL;
    OWNED radix_item *edges = NULL;
    error *err = run_error(run_of(g));
    TRY(basins_begin(g, &s->on_gpu, b));
    TRY(basins_minima(g, b, &minimum));
    TRY(are_basins(g, b, minimum, so));
    if (!*so) return GLSHAPE_OK;
    TRY(basins_edges(g, b));
    TRY(basins_fetch(g, b, &edges));
    *so = are_edges(b, edges, b->edge_count);
    return *so ? branches_new(err, &s->order, MOVE(minimum), b->minima, edges, b->edge_count, out)
               : GLSHAPE_OK;
}

static glshape_status check_regular(gpu *g, const small_field *s, basins *b, const branches *t, bool *right) {
    uint32_t on[VERTICES];
    TRY(basins_regular(g, b, t, on));
    for (uint32_t v = 0; v < VERTICES; v++)
        if (s->saddle[v] == v) *right = *right && on[v] == s->tree.minimum[s->other[v]];
    return GLSHAPE_OK;
}

glshape_status basins_try_ring(gpu *g, bool *right) {
    OWNED_BY(basins_free) basins b = {.n = 2};
    const uint32_t ring[2] = {1, 0};
    bool end;
    TRY(gpu_texture_new(g, &b.basin, "basins", GPU_R32UI, 2, 1));
    TRY(gpu_texture_new(g, &b.minimum, "minima", GPU_R32UI, 1, 1));
    TRY(gpu_texture_new(g, &b.state, "counters of basins", GPU_R32UI, 2, 1));
    TRY(gpu_upload(g, &b.basin, 0, 2, ring));
    TRY(basins_compress(g, &b, false, &end));
    *right = *right && !end;
    return GLSHAPE_OK;
}

static glshape_status check_basins_of(gpu *g, const trying *as, small_field *s, bool *right) {
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(branches_free) branches device = {0};
    TRY(small_new(g, as->hood, s));
    TRY(branches_of_triplets(run_error(run_of(g)), &s->order, s->saddle, s->other, &s->tree));
    TRY(find_branches(g, s, &b, &device, right));
    *right = *right && same_branches(&device, &s->tree);
    if (*right && as->more) TRY(check_regular(g, s, &b, &device, right));
    return basins_try_ring(g, right);
}

/* Calls a check with memory for its field. */
static glshape_status with_field(gpu *g, const trying *as, bool *right,
                                 glshape_status (*solve)(gpu *g, const trying *as, small_field *s,
                                                         bool *right)) {
    OWNED small_field *s = NULL;
    TRY(allocate(run_error(run_of(g)), &s, 1, sizeof *s, "a small field"));
    memset(s, 0, sizeof *s);
    glshape_status status = solve(g, as, s, right);
    small_free(s);
    return status;
}

static glshape_status check_basins(gpu *g, const void *user, bool *right) {
    return with_field(g, user, right, check_basins_of);
}

/* Adds what is asked for besides. */
static void add_regular(gpu_exact *e, int at, bool regular) {
    static const gpu_job none;
    if (!regular) return;
    e->program[at].pass = &mergetree_regular_pass;
    e->program[at].job = &none;
}

/* What pairs_find() runs, where threads do a first run (place_may_wait). */
static void expect_pairs(gpu *g, const void *user) {
    const trying *as = user;
    tree_expects_elders(g);
    gpu_soon_only(g, mergetree_births);
    if (as->more) {
        gpu_soon_only(g, mergetree_hang);
        gpu_soon_only(g, mergetree_ancestors);
        gpu_soon_only(g, mergetree_places);
        gpu_soon_only(g, mergetree_rename);
        gpu_soon_only(g, mergetree_records);
        gpu_soon_only(g, mergetree_spans);
        gpu_soon_only(g, field_turn);
    } else {
        gpu_soon_only(g, mergetree_items);
        gpu_soon_only(g, mergetree_records);
    }
}

glshape_status basins_are_for_passes(gpu *g, int hood, bool regular, run_why *why) {
    const trying as = {.hood = hood, .more = regular, .form = PAIRS_NUMBERS | PAIRS_ARRAYS};
    gpu_exact grid = {.program = {gpu_program(field_steepest, .HOOD = hood),
                                  gpu_program(field_saddles, .HOOD = hood), gpu_only_program(field_compress)},
                      .check = check_basins,
                      .expect = expect_pairs,
                      .user = &as,
                      .without_doubles = true};
    gpu_exact graph = {.program = {gpu_only_program(field_least), gpu_only_program(field_lowest),
                                   gpu_only_program(field_number), gpu_only_program(field_link_saddles),
                                   gpu_only_program(field_compress)},
                       .check = check_basins,
                       .expect = expect_pairs,
                       .user = &as,
                       .without_doubles = true};
    add_regular(&grid, 3, regular);
    add_regular(&graph, 5, regular);
    return gpu_trusts_for(g, hood ? &grid : &graph, why);
}

/* ---- pairs ------------------------------------------------------------------------------------- */

/* The same of the list of branches that pairs_find() makes. */
static bool same_list(const small_field *s, const branches *list) {
    const branches *b = &s->tree;
    bool same = list->count == b->count && list->essential == b->essential;
    for (uint32_t k = 0; same && k < b->count; k++) {
        const glshape_branch *one = &list->list[k];
        uint32_t m = b->falling[k];
        bool ends = b->death[m] != BRANCH_ESSENTIAL;
        same = one->birth == b->minimum[m] && one->parent == b->minimum[b->parent[m]] &&
               one->death == (ends ? (uint32_t)b->death[m] : GLSHAPE_NO_VERTEX) &&
               one->birth_value == order_value(&s->field, one->birth) &&
               one->death_value == (ends ? order_value(&s->field, one->death) : (double)INFINITY);
    }
    return same;
}

/* The same of pairs. */
static bool same_pairs(const small_field *s, const branches *list) {
    const branches *b = &s->tree;
    bool same = list->count == b->count && list->essential == b->essential;
    for (uint32_t k = 0; same && k < b->count; k++) {
        const radix_item *one = &list->pairs[k];
        uint32_t m = b->falling[k];
        uint64_t end = (uint64_t)one->a << 32 | one->b;
        same = one->at == order_of(&s->order, b->minimum[m]) && end == b->death[m];
    }
    return same;
}

/* The same of the vertices where branches begin and end; turned: of a field that is. */
static glshape_status check_spans(gpu *g, const small_field *s, basins *b, bool turned, bool *right) {
    const branches *t = &s->tree;
    uint32_t span[VERTICES][2];
    TRY(gpu_download(g, &b->span, 0, t->count, span));
    for (uint32_t k = 0; *right && k < t->count; k++) {
        uint32_t m = t->falling[k], birth = t->minimum[m], death = (uint32_t)t->death[m];
        bool ends = t->death[m] != BRANCH_ESSENTIAL;
        *right = span[k][0] == (turned ? VERTICES - 1 - birth : birth) &&
                 span[k][1] == (!ends    ? GLSHAPE_NO_VERTEX
                                : turned ? VERTICES - 1 - death
                                         : death);
    }
    return GLSHAPE_OK;
}

/* A field that is turned twice has the branches that it had; but their vertices count from the other end. */
static glshape_status check_turned(gpu *g, small_field *s, bool *right) {
    OWNED_BY(grid_field_free) grid_field once = {0};
    OWNED_BY(grid_field_free) grid_field twice = {0};
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(branches_free) branches device = {0};
    uint32_t keys[VERTICES], got[VERTICES];
    order_keys(&s->order, 0, VERTICES, keys);
    TRY(grid_field_turn(g, &s->on_gpu.key, 32, &s->grid, &once));
    TRY(gpu_download(g, &once.key, 0, VERTICES, got));
    for (uint32_t v = 0; v < VERTICES; v++) *right = *right && got[v] == ~keys[VERTICES - 1 - v];
    if (!*right) return GLSHAPE_OK;
    TRY(grid_field_turn(g, &once.key, 32, &s->grid, &twice));
    TRY(basins_begin(g, &twice, &b));
    TRY(basins_edges(g, &b));
    TRY(pairs_find(g, &b, PAIRS_NUMBERS | PAIRS_SPANS, &device));
    *right = device.count == s->tree.count && device.essential == s->tree.essential;
    return *right ? check_spans(g, s, &b, true, right) : GLSHAPE_OK;
}

static glshape_status find_pairs(gpu *g, const trying *as, small_field *s, bool *right) {
    OWNED_BY(basins_free) basins b = {0};
    OWNED_BY(branches_free) branches device = {0};
    TRY(branches_of_triplets(run_error(run_of(g)), &s->order, s->saddle, s->other, &s->tree));
    TRY(basins_begin(g, &s->on_gpu, &b));
    TRY(basins_edges(g, &b));
    TRY(pairs_find(g, &b, as->form, &device));
    if (as->form & PAIRS_ITEMS) TRY(pairs_bring(g, &b, &device));
    *right = as->form & PAIRS_LIST    ? same_list(s, &device)
             : as->form & PAIRS_ITEMS ? same_pairs(s, &device)
             : as->form & PAIRS_SPANS ? device.count == s->tree.count
                                      : same_branches(&device, &s->tree);
    if (*right && as->form & PAIRS_ARRAYS) TRY(check_regular(g, s, &b, &device, right));
    if (*right && as->form & PAIRS_SPANS) TRY(check_spans(g, s, &b, false, right));
    return *right && as->turned ? check_turned(g, s, right) : GLSHAPE_OK;
}

/* A list has values, too. */
static glshape_status check_pairs_of(gpu *g, const trying *as, small_field *s, bool *right) {
    static const glshape_type types[] = {GLSHAPE_U32, GLSHAPE_I32, GLSHAPE_F32};
    *right = true;
    for (int k = 0; k < (as->form & PAIRS_LIST ? 3 : 1) && *right; k++) {
        small_free(s);
        TRY(small_of_type(g, as->hood, types[k], s));
        TRY(find_pairs(g, as, s, right));
    }
    return GLSHAPE_OK;
}

static glshape_status check_pairs(gpu *g, const void *user, bool *right) {
    return with_field(g, user, right, check_pairs_of);
}

static glshape_status trust_form(gpu *g, int hood, pairs_form form, run_why *why) {
    const trying as = {.hood = hood, .form = form};
    gpu_exact paired = {.program = {gpu_only_program(mergetree_items), gpu_only_program(mergetree_births)},
                        .check = check_pairs,
                        .user = &as,
                        .without_doubles = true};
    gpu_exact listed = {.program = {gpu_only_program(mergetree_records), gpu_only_program(mergetree_births)},
                        .check = check_pairs,
                        .user = &as,
                        .without_doubles = true};
    gpu_exact kept = {.program = {gpu_only_program(mergetree_spans), gpu_only_program(mergetree_births)},
                      .check = check_pairs,
                      .user = &as,
                      .without_doubles = true};
    gpu_exact numbered = {
        .program = {gpu_only_program(mergetree_hang), gpu_only_program(mergetree_ancestors),
                    gpu_only_program(mergetree_places), gpu_only_program(mergetree_rename),
                    gpu_only_program(mergetree_births), gpu_only_program(mergetree_regular)},
        .check = check_pairs,
        .user = &as,
        .without_doubles = true};
    return gpu_trusts_for(g,
                          form & PAIRS_LIST    ? &listed
                          : form & PAIRS_ITEMS ? &paired
                          : form & PAIRS_SPANS ? &kept
                                               : &numbered,
                          why);
}

static glshape_status trust_turned(gpu *g, int hood, run_why *why) {
    const trying as = {.hood = hood, .form = PAIRS_NUMBERS | PAIRS_SPANS, .turned = true};
    gpu_exact turned = {.program = {gpu_only_program(field_turn), gpu_only_program(mergetree_spans)},
                        .check = check_pairs,
                        .user = &as,
                        .without_doubles = true};
    return gpu_trusts_for(g, &turned, why);
}

glshape_status pairs_are_for_passes(gpu *g, int hood, pairs_form form, run_why *why) {
    TRY(tree_trusts_elders(g, why));
    if (form & PAIRS_NUMBERS) TRY(trust_form(g, hood, PAIRS_NUMBERS | PAIRS_ARRAYS, why));
    if (form & PAIRS_SPANS) TRY(trust_form(g, hood, PAIRS_NUMBERS | PAIRS_SPANS, why));
    if (form & PAIRS_SPANS && hood) TRY(trust_turned(g, hood, why));
    if (form & PAIRS_ITEMS) TRY(trust_form(g, hood, PAIRS_ITEMS, why));
    return form & PAIRS_LIST ? trust_form(g, hood, PAIRS_LIST, why) : GLSHAPE_OK;
}

/* ---- pairs of slabs ----------------------------------------------------------------------------- */

/* Whether the branch of minimum m ends at a vertex, and its ancestors come to one that is not decided. */
static bool leads_up(const radix_item *ends, uint32_t minima, uint32_t m) {
    uint32_t steps = 0;
    while (m < minima && steps < minima && ends[m].at != BRANCH_ESSENTIAL && (uint32_t)ends[m].at < VERTICES)
        m = ends[m].a, steps++;
    return m < minima && ends[m].at == BRANCH_ESSENTIAL;
}

static bool is_label(const basins *b, uint32_t label) {
    return label & BASINS_OUTSIDE ? (label ^ BASINS_OUTSIDE) < 2 * RAMP : label < b->minima;
}

/* Sets *user to whether what a slab decides and leaves are branches and edges. */
static glshape_status look_at_slab(slabs *s, uint32_t slab, basins *b, void *user) {
    OWNED radix_item *edges = NULL, *ends = NULL;
    bool *so = user;
    uint32_t decided = 0;
    TRY(basins_edges(s->g, b));
    uint32_t found = b->edge_count;
    TRY(pairs_decide(s->g, b, 0, &ends));
    TRY(basins_fetch(s->g, b, &edges));

    *so = *so && b->edge_count < found; /* rounds that do nothing leave all to the CPU */
    for (uint32_t m = 0; m < b->minima; m++) {
        *so = *so && leads_up(ends, b->minima, m);
        decided += ends[m].at != BRANCH_ESSENTIAL;
    }
    *so = *so && (slab || decided > 0); /* behind the last plane of the first slab */
    for (uint32_t k = 0; k < b->edge_count; k++)
        *so = *so && (uint32_t)edges[k].at < VERTICES && is_label(b, edges[k].a) && is_label(b, edges[k].b);
    return GLSHAPE_OK;
}

static glshape_status check_slabs_of(gpu *g, const trying *as, small_field *s, bool *right) {
    OWNED_BY(slabs_free) slabs looked = {0};
    OWNED_BY(slabs_free) slabs cut = {0};
    OWNED_BY(branches_free) branches device = {0};
    OWNED_BY(together_known_free) together_known known = {0};
    size_t left;
    TRY(small_new(g, as->hood, s));
    TRY(branches_of_triplets(run_error(run_of(g)), &s->order, s->saddle, s->other, &s->tree));
    TRY(slabs_new(g, &ranks_alone, &s->order, &s->grid, NZ - 1, &looked));
    *right = true;
    TRY(slabs_each(&looked, look_at_slab, right, 0));
    if (!*right) return GLSHAPE_OK;
    TRY(slabs_edges(g, &ranks_alone, &s->order, &s->grid, NZ - 1, &cut, &left));
    TRY(together_find(&cut, left, false, &known, &device));
    *right = same_branches(&device, &s->tree);
    return GLSHAPE_OK;
}

static glshape_status check_slabs(gpu *g, const void *user, bool *right) {
    return with_field(g, user, right, check_slabs_of);
}

glshape_status pairs_are_for_slabs(gpu *g, int hood, run_why *why) {
    const trying as = {.hood = hood, .form = PAIRS_NUMBERS | PAIRS_ARRAYS};
    gpu_exact e = {
        .program = {gpu_program(mergetree_outside, .BACK = 0), gpu_program(mergetree_outside, .BACK = 1),
                    gpu_only_program(mergetree_seen), gpu_only_program(mergetree_hook),
                    gpu_only_program(mergetree_relabel), gpu_only_program(mergetree_components),
                    gpu_only_program(mergetree_lowest_edge_key), gpu_only_program(mergetree_lowest_edge_at),
                    gpu_only_program(mergetree_arrive), gpu_only_program(mergetree_move),
                    gpu_only_program(mergetree_parents)},
        .check = check_slabs,
        .user = &as,
        .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

/* ---- triplets ---------------------------------------------------------------------------------- */

static glshape_status check_triplets_of(gpu *g, const trying *as, small_field *s, bool *right) {
    uint32_t saddle[VERTICES], other[VERTICES];
    TRY(small_new(g, as->hood, s));
    TRY(triplet_find(g, &s->on_gpu, saddle, other));
    *right = !memcmp(saddle, s->saddle, sizeof saddle) && !memcmp(other, s->other, sizeof other);
    return GLSHAPE_OK;
}

static glshape_status check_triplets(gpu *g, const void *user, bool *right) {
    return with_field(g, user, right, check_triplets_of);
}

glshape_status triplets_are_for_passes(gpu *g, int hood, run_why *why) {
    const trying as = {.hood = hood, .form = PAIRS_NUMBERS | PAIRS_ARRAYS};
    const bool in_order = place_in_order(g);
    gpu_exact grid = {
        .program = {gpu_program(mergetree_descend, .HOOD = hood),
                    gpu_program(mergetree_merge_vertices, .HOOD = hood, .IN_ORDER = in_order),
                    gpu_program(mergetree_merge_tasks, .IN_ORDER = in_order),
                    gpu_only_program(mergetree_free_records), gpu_only_program(mergetree_repair)},
        .check = check_triplets,
        .user = &as,
        .without_doubles = true};
    gpu_exact graph = {
        .program = {gpu_only_program(mergetree_descend_links),
                    gpu_program(mergetree_merge_tasks, .IN_ORDER = in_order), gpu_only_program(field_least),
                    gpu_only_program(field_lowest), gpu_only_program(mergetree_free_records),
                    gpu_only_program(mergetree_repair)},
        .check = check_triplets,
        .user = &as,
        .without_doubles = true};
    return gpu_trusts_for(g, hood ? &grid : &graph, why);
}
