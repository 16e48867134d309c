/* Nodes are sorted by key and vertex, and then, for each tree, by the branch that they are on. Node by node,
 * that gives parents: the next node on the branch, or the node where it ends. Which branches begin below a
 * node takes a tour around the tree of branches (Tarjan, Vishkin 1985). Each stop knows the next one; in
 * rounds, each looks twice as far ahead and adds up what it passes (Wyllie 1979), so branches are numbered in
 * some 25 rounds however they hang on one another. Which of the branches that end at one node comes first
 * depends on the device; no arc does.
 *
 * Once there are arcs (contour_leaves.c), they are sorted by both vertices, and each regular vertex finds its
 * own. */
#include "mergetree/contour_by_passes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/passes.h"
#include "prim/passes.h"

#define NONE CONTOUR_NONE

enum { NODES, FORKS, COUNTS };

/* What a side needs at a time. */
typedef struct side {
    int which;
    uint32_t branches, forks;
    gpu_texture at, slot, low, high;           /* contour_slots.glsl */
    gpu_texture ends, row, next, head, ending; /* contour_ends.glsl */
    gpu_texture is_fork, before, fork, tour[2];
} side;

typedef struct finder {
    gpu *g;
    contour_vertices *v;
    uint32_t n, count; /* vertices, nodes */
    contour_kept *kept;
    gpu_texture counts, items[2], branch[2]; /* branch: as v->span, where that has none */
    prim_radix_scratch radix;
    side side;
} finder;

static void side_free(side *s) {
    gpu_texture *const all[] = {&s->at,     &s->slot, &s->low,     &s->high,   &s->ends,
                                &s->row,    &s->next, &s->head,    &s->ending, &s->is_fork,
                                &s->before, &s->fork, &s->tour[0], &s->tour[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

static void finder_free(finder *f) {
    gpu_texture *const all[] = {&f->counts, &f->items[0], &f->items[1], &f->branch[0], &f->branch[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_radix_free(&f->radix);
    side_free(&f->side);
}

static void kept_textures_free(contour_kept *k) {
    gpu_texture *const all[] = {&k->vertex,    &k->reach[0],    &k->reach[1],    &k->parent[0],
                                &k->parent[1], &k->children[0], &k->children[1], &k->list,
                                &k->edge[0],   &k->edge[1],     &k->toward};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

void contour_kept_free(contour_kept *k) {
    kept_textures_free(k);
    for (int i = 0; i < 2; i++) threads_touched(&k->touching[i]);
}

glshape_status contour_is_wrong(gpu *g) {
    return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                "a contour tree does not come out right: the driver of %s computes something wrong; take "
                "another device (--device)",
                gpu_renderer(g));
}

static glshape_status new_words(gpu *g, gpu_texture *t, const char *label, uint32_t count) {
    return gpu_texture_new(g, t, label, GPU_R32UI, count, 1);
}

static glshape_status new_pairs(gpu *g, gpu_texture *t, const char *label, uint32_t count) {
    return gpu_texture_new(g, t, label, GPU_RG32UI, count, 1);
}

static glshape_status fill(gpu *g, gpu_texture *t, uint32_t value) {
    return gpu_run(g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static gpu_texture *branches_of(finder *f, int side) {
    return f->v->span[side].id ? &f->v->span[side] : &f->branch[side];
}

static glshape_status mark_nodes(finder *f, const contour_branches sides[2]) {
    TRY(new_words(f->g, &f->v->number, "numbers of nodes", f->n));
    TRY(fill(f->g, &f->v->number, 0));
    for (int k = 0; k < 2; k++) {
        uint32_t count = (uint32_t)sides[k].count;
        if (!f->v->span[k].id) {
            TRY(new_pairs(f->g, &f->branch[k], "branches of both trees", count));
            TRY(gpu_upload(f->g, &f->branch[k], 0, count, sides[k].branch));
        }
        TRY(gpu_run(f->g, mergetree_contour_mark, .branch = branches_of(f, k), .number = &f->v->number,
                    .count = count, .groups = field_groups(count)));
    }
    return GLSHAPE_OK;
}

/* Lists them by vertex. most: there are no more. */
static glshape_status list_nodes(finder *f, uint32_t most, gpu_texture *listed) {
    gpu *g = f->g;
    TRY(new_words(f->g, listed, "nodes by vertex", most));
    TRY(new_words(f->g, &f->counts, "counts of nodes", COUNTS));
    TRY(prim_compact(g, &f->radix.scan, &f->v->number, NULL, f->n, listed, &f->counts, NODES));
    TRY(gpu_download(g, &f->counts, NODES, 1, &f->count));
    return f->count && f->count <= most ? GLSHAPE_OK : contour_is_wrong(f->g);
}

static glshape_status sort_nodes(finder *f, gpu_texture *listed) {
    gpu *g = f->g;
    uint32_t groups = field_groups(f->count);
    for (int k = 0; k < 2; k++)
        TRY(gpu_texture_new(g, &f->items[k], "nodes in order", GPU_RGBA32UI, f->count, 1));
    TRY(gpu_run(g, mergetree_contour_items, .listed = listed, .key = &f->v->key, .items = &f->items[0],
                .count = f->count, .groups = groups));
    TRY(prim_radix(g, &f->radix, f->items, f->count, 32, 64));
    gpu_texture_free(listed);
    TRY(new_words(g, &f->kept->vertex, "nodes", f->count));
    return gpu_run(g, mergetree_contour_number, .items = &f->items[0], .vertex = &f->kept->vertex,
                   .number = &f->v->number, .count = f->count, .groups = groups);
}

static glshape_status find_nodes(finder *f, const contour_branches sides[2]) {
    OWNED_BY(gpu_texture_free) gpu_texture listed = {0};
    size_t most = 2 * (sides[0].count + sides[1].count);
    TRY(mark_nodes(f, sides));
    TRY(list_nodes(f, most < f->n ? (uint32_t)most : f->n, &listed));
    f->kept->count = f->count;
    return sort_nodes(f, &listed);
}

/* ---- a side ------------------------------------------------------------------------------------ */

static bool is_split(const side *s) { return s->which == CONTOUR_SPLIT; }

static glshape_status sort_by_branch(finder *f) {
    side *s = &f->side;
    gpu *g = f->g;
    uint32_t count = f->count, groups = field_groups(count);
    TRY(gpu_run(g, mergetree_contour_branch, .vertex = &f->kept->vertex, .key = &f->v->key,
                .number = &f->v->number, .place = &f->v->at[s->which], .items = &f->items[0], .count = count,
                .n = f->n, .split = is_split(s), .groups = groups));
    TRY(prim_radix(g, &f->radix, f->items, count, 0, prim_radix_bits(count)));
    TRY(new_pairs(f->g, &s->at, "nodes by branch", count));
    TRY(new_words(f->g, &s->slot, "slots of nodes", count));
    TRY(new_words(f->g, &s->low, "slots of branches", count));
    TRY(new_words(f->g, &s->high, "slots of branches", count));
    return gpu_run(g, mergetree_contour_slots, .items = &f->items[0], .at = &s->at, .slot = &s->slot,
                   .low = &s->low, .high = &s->high, .count = count, .groups = groups);
}

/* Finds the nodes beside regular vertices. */
static glshape_status place_vertices(finder *f) {
    side *s = &f->side;
    TRY(gpu_run(f->g, mergetree_beside, .key = &f->v->key, .number = &f->v->number, .at = &s->at,
                .low = &s->low, .high = &s->high, .place = &f->v->at[s->which], .n = f->n,
                .split = is_split(s), .groups = field_groups(f->n)));
    f->v->placed[s->which] = true;
    gpu_texture_free(&s->at);
    gpu_texture_free(&s->low);
    gpu_texture_free(&s->high);
    return GLSHAPE_OK;
}

static glshape_status end_branches(finder *f) {
    side *s = &f->side;
    uint32_t count = s->branches;
    TRY(new_pairs(f->g, &s->ends, "nodes where branches end", count));
    TRY(new_words(f->g, &s->row, "branches of nodes", f->count));
    TRY(new_words(f->g, &s->next, "branches that end beside", count));
    TRY(new_words(f->g, &s->head, "branches that end", f->count + 1));
    TRY(new_words(f->g, &s->ending, "how many branches end", f->count + 1));
    TRY(fill(f->g, &s->head, NONE));
    TRY(fill(f->g, &s->ending, 0));
    return gpu_run(f->g, mergetree_contour_ends, .branch = branches_of(f, s->which), .number = &f->v->number,
                   .ends = &s->ends, .row = &s->row, .next = &s->next, .head = &s->head, .ending = &s->ending,
                   .count = count, .nodes = f->count, .groups = field_groups(count));
}

static glshape_status find_parents(finder *f) {
    side *s = &f->side;
    gpu *g = f->g;
    uint32_t count = f->count;
    TRY(new_words(g, &f->kept->parent[s->which], "parents of nodes", count));
    TRY(new_words(g, &f->kept->children[s->which], "how many children", count));
    TRY(new_words(f->g, &s->is_fork, "whether branches end", count));
    TRY(gpu_run(g, mergetree_contour_up, .items = &f->items[0], .ends = &s->ends, .row = &s->row,
                .ending = &s->ending, .parent = &f->kept->parent[s->which],
                .children = &f->kept->children[s->which], .forks = &s->is_fork, .count = count,
                .split = is_split(s), .groups = field_groups(count)));
    gpu_texture_free(&s->ending);
    TRY(new_words(f->g, &s->before, "forks before", count));
    TRY(new_words(f->g, &s->fork, "forks", s->branches));
    TRY(prim_scan(g, &f->radix.scan, &s->is_fork, count, &s->before, &f->counts, FORKS));
    TRY(prim_compact(g, &f->radix.scan, &s->is_fork, NULL, count, &s->fork, &f->counts, FORKS));
    TRY(gpu_download(g, &f->counts, FORKS, 1, &s->forks));
    return s->forks <= s->branches ? GLSHAPE_OK : contour_is_wrong(f->g);
}

static glshape_status number_branches(finder *f) {
    side *s = &f->side;
    gpu *g = f->g;
    uint32_t stops = s->branches + s->forks;
    for (int k = 0; k < 2; k++) TRY(new_pairs(f->g, &s->tour[k], "a tour of branches", stops));
    TRY(gpu_run(g, mergetree_contour_tour, .items = &f->items[0], .ends = &s->ends, .row = &s->row,
                .slot = &s->slot, .next = &s->next, .head = &s->head, .before = &s->before, .fork = &s->fork,
                .tour = &s->tour[0], .count = f->count, .branches = s->branches, .forks = s->forks,
                .split = is_split(s), .groups = field_groups(stops)));
    for (uint32_t ahead = 1; ahead && ahead < stops; ahead *= 2) {
        TRY(gpu_run(g, mergetree_contour_jump, .tour = &s->tour[0], .further = &s->tour[1], .count = stops,
                    .groups = field_groups(stops)));
        gpu_texture_swap(&s->tour[0], &s->tour[1]);
    }
    return GLSHAPE_OK;
}

static glshape_status find_reach(finder *f) {
    side *s = &f->side;
    gpu_texture *reach = &f->kept->reach[s->which];
    TRY(new_pairs(f->g, reach, "branches below nodes", f->count));
    return gpu_run(f->g, mergetree_contour_reach, .items = &f->items[0], .row = &s->row, .before = &s->before,
                   .forks = &s->is_fork, .fork = &s->fork, .tour = &s->tour[0], .reach = reach,
                   .count = f->count, .branches = s->branches, .split = is_split(s),
                   .groups = field_groups(f->count));
}

static glshape_status find_side(finder *f, int which, uint32_t branches) {
    side_free(&f->side);
    f->side = (side){.which = which, .branches = branches};
    TRY(sort_by_branch(f));
    TRY(place_vertices(f));
    TRY(end_branches(f));
    gpu_texture_free(&f->branch[which]);
    TRY(find_parents(f));
    TRY(number_branches(f));
    return find_reach(f);
}

/* The memory of the result gets its pages while passes run. There are no more arcs than nodes. */
static glshape_status begin_arcs(finder *f, glshape_contour_result *r) {
    size_t most = f->count;
    TRY(allocate(run_error(run_of(f->g)), &r->arcs, most, sizeof *r->arcs, "the arcs"));
    f->kept->touching[1] =
        threads_touch_aside((threads_block[THREADS_BLOCKS]){{r->arcs, most * sizeof *r->arcs}});
    return GLSHAPE_OK;
}

static glshape_status begin_vertices(finder *f, glshape_contour_result *r) {
    TRY(allocate(run_error(run_of(f->g)), &r->arc, f->n, sizeof *r->arc, "the arcs of vertices"));
    f->kept->touching[0] =
        threads_touch_aside((threads_block[THREADS_BLOCKS]){{r->arc, f->n * sizeof *r->arc}});
    return GLSHAPE_OK;
}

glshape_status contour_nodes_by_passes(contour_vertices *v, uint32_t n, const contour_branches sides[2],
                                       contour_kept *kept, glshape_contour_result *r) {
    OWNED_BY(finder_free) finder f = {.g = v->g, .v = v, .n = n, .kept = kept};
    kept->n = n;
    TRY(begin_vertices(&f, r));
    TRY(find_nodes(&f, sides));
    TRY(begin_arcs(&f, r));
    for (int k = 0; k < 2; k++) TRY(find_side(&f, k, (uint32_t)sides[k].count));
    return GLSHAPE_OK;
}

/* ---- arcs -------------------------------------------------------------------------------------- */

typedef struct arcs {
    gpu *g;
    contour_vertices *v;
    const glshape_field *field;
    contour_kept *kept;
    glshape_contour_result *r;
    uint32_t count; /* of arcs */
    gpu_texture items[2], state, arc, guide, regular, records;
    prim_radix_scratch radix;
} arcs;

static void arcs_free(arcs *a) {
    gpu_texture *const all[] = {&a->items[0], &a->items[1], &a->state,  &a->arc,
                                &a->guide,    &a->regular,  &a->records};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_radix_free(&a->radix);
}

static glshape_status sort_arcs(arcs *a) {
    gpu *g = a->g;
    uint32_t count = a->kept->count, bits = prim_radix_bits(a->kept->n + 1); /* and of no vertex */
    for (int k = 0; k < 2; k++)
        TRY(gpu_texture_new(g, &a->items[k], "arcs in order", GPU_RGBA32UI, count, 1));
    TRY(new_words(g, &a->state, "whether arcs are wrong", 1));
    TRY(fill(g, &a->state, 0));
    TRY(gpu_run(g, mergetree_contour_arcs, .toward = &a->kept->toward, .vertex = &a->kept->vertex,
                .below = &a->kept->reach[CONTOUR_JOIN], .above = &a->kept->reach[CONTOUR_SPLIT],
                .items = &a->items[0], .state = &a->state, .count = count, .groups = field_groups(count)));
    TRY(prim_radix(g, &a->radix, a->items, count, 0, bits));
    TRY(prim_radix(g, &a->radix, a->items, count, 32, 32 + bits));
    gpu_texture_free(&a->items[1]);
    gpu_texture_free(&a->kept->vertex);
    return GLSHAPE_OK;
}

static glshape_status guide_to_arcs(arcs *a) {
    gpu *g = a->g;
    gpu_texture *below = &a->kept->reach[CONTOUR_JOIN], *above = &a->kept->reach[CONTOUR_SPLIT];
    uint32_t count = a->kept->count, rows = a->count;
    TRY(new_pairs(g, &a->arc, "rows of arcs", count));
    TRY(gpu_texture_new(g, &a->guide, "guides to arcs", GPU_RGBA32UI, count, 2));
    TRY(gpu_run(g, mergetree_contour_ways, .items = &a->items[0], .below = below, .above = above,
                .arc = &a->arc, .count = rows, .groups = field_groups(rows)));
    TRY(gpu_run(g, mergetree_contour_guide, .low_edge = &a->kept->edge[CONTOUR_JOIN],
                .high_edge = &a->kept->edge[CONTOUR_SPLIT], .arc = &a->arc, .below = below, .above = above,
                .guide = &a->guide, .count = count, .groups = field_groups(count)));
    gpu_texture_free(&a->arc);
    kept_textures_free(a->kept);
    return GLSHAPE_OK;
}

/* From here on, v is used up: nothing lacks memory any more. */
static glshape_status name_vertices(arcs *a) {
    gpu *g = a->g;
    uint32_t n = a->kept->n, rows = a->count;
    TRY(new_words(g, &a->regular, "regular vertices", rows));
    TRY(gpu_texture_new(g, &a->records, "the list of arcs", GPU_RGBA32UI, rows, 2));
    TRY(fill(g, &a->regular, 0));
    return gpu_run(g, mergetree_rows, .number = &a->v->number, .guide = &a->guide,
                   .above = &a->v->at[CONTOUR_SPLIT], .below = &a->v->at[CONTOUR_JOIN],
                   .regular = &a->regular, .state = &a->state, .n = n,
                   .groups = field_groups((n - 1) / MERGETREE_ROW_RUN + 1));
}

static void find_values(void *user, size_t first, size_t end) {
    const arcs *a = user;
    for (size_t k = first; k < end; k++) {
        glshape_arc *arc = &a->r->arcs[k];
        arc->lower_value = order_value(a->field, arc->lower);
        arc->upper_value = order_value(a->field, arc->upper);
    }
}

static glshape_status bring_arcs(arcs *a) {
    gpu *g = a->g;
    uint32_t rows = a->count;
    _Static_assert(sizeof(glshape_arc) == 8 * sizeof(uint32_t), "an arc fills two texels");
    TRY(gpu_run(g, mergetree_contour_list, .items = &a->items[0], .key = &a->v->key, .regular = &a->regular,
                .records = &a->records, .count = rows, .kind = a->v->kind, .flip = a->v->flip,
                .groups = field_groups(rows)));
    a->r->count = rows;
    for (int i = 0; i < 2; i++) threads_touched(&a->kept->touching[i]);
    TRY(gpu_download(g, &a->records, 0, rows, a->r->arcs));
    if (!a->v->kind) threads_ranges(rows, find_values, a);
    return gpu_download(g, &a->v->at[CONTOUR_JOIN], 0, a->kept->n, a->r->arc);
}

glshape_status contour_arcs_by_passes(contour_vertices *v, const glshape_field *field, contour_kept *kept,
                                      glshape_contour_result *r, bool *good) {
    OWNED_BY(arcs_free)
    arcs a = {.g = v->g, .v = v, .field = field, .kept = kept, .r = r, .count = kept->arcs};
    uint32_t wrong;
    TRY(sort_arcs(&a));
    TRY(guide_to_arcs(&a));
    TRY(name_vertices(&a));
    TRY(gpu_download(v->g, &a.state, 0, 1, &wrong));
    *good = !wrong;
    return wrong ? GLSHAPE_OK : bring_arcs(&a);
}
