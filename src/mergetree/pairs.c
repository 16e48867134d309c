#include "mergetree/pairs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "mergetree/passes.h"
#include "place/place.h"
#include "tree/tree.h"

#define BLOCK 65536u
#define MOST_DOUBLINGS 33 /* of paths to ancestors: they have at most 2^32 steps */

/* ---- the rule ---------------------------------------------------------------------------------- */

typedef struct pairs {
    gpu *g;
    basins *b;
    const order *order;
    gpu_texture birth; /* {key, vertex} of each minimum */
    tree_elders elders;
} pairs;

static void pairs_free(pairs *p) {
    gpu_texture_free(&p->birth);
    tree_elders_free(&p->elders);
}

static glshape_status apply_rule(pairs *p) {
    basins *b = p->b;
    const tree_saddles saddles = {.edges = &b->edges,
                                  .birth = &p->birth,
                                  .count = b->edge_count,
                                  .n = b->minima,
                                  .vertices = b->n,
                                  .key_bits = b->field->key_bits};
    TRY(gpu_texture_new(p->g, &p->birth, "births of branches", GPU_RG32UI, b->minima, 1));
    TRY(gpu_run(p->g, mergetree_births, .minimum = &b->minimum, .key = &b->field->key, .birth = &p->birth,
                .n = b->minima, .groups = field_groups(b->minima)));
    TRY(tree_elders_find(p->g, &saddles, &p->elders));
    gpu_texture_free(&b->edges);
    return GLSHAPE_OK;
}

/* ---- a list ------------------------------------------------------------------------------------ */

typedef struct valuing {
    const order *order;
    glshape_branch *list;
} valuing;

static void find_values(void *user, size_t first, size_t end) {
    const valuing *f = user;
    for (size_t k = first; k < end; k++) {
        glshape_branch *b = &f->list[k];
        b->birth_value = order_value(f->order->field, b->birth);
        if (b->death != GLSHAPE_NO_VERTEX) b->death_value = order_value(f->order->field, b->death);
    }
}

static glshape_status list_branches(pairs *p, branches *out) {
    OWNED_BY(gpu_texture_free) gpu_texture records = {0};
    tree_elders *e = &p->elders;
    uint32_t kind = order_kind(p->order);
    _Static_assert(sizeof(glshape_branch) == 8 * sizeof(uint32_t), "a branch fills two texels");
    TRY(gpu_texture_new(p->g, &records, "the list of branches", GPU_RGBA32UI, e->n, 2));
    TRY(gpu_run(p->g, mergetree_records, .ends = &e->ends, .parent = &e->parent, .birth = &p->birth,
                .records = &records, .n = e->n, .essential = e->essential, .kind = kind,
                .flip = p->order->flip, .groups = field_groups(e->n)));
    TRY(gpu_download(p->g, &records, 0, e->n, out->list));
    if (!kind) threads_ranges(e->n, find_values, &(valuing){p->order, out->list});
    return GLSHAPE_OK;
}

static glshape_status make_items(pairs *p) {
    gpu_texture *items = &p->b->items;
    tree_elders *e = &p->elders;
    TRY(gpu_texture_new(p->g, items, "the pairs", GPU_RGBA32UI, e->n, 1));
    return gpu_run(p->g, mergetree_items, .ends = &e->ends, .items = items, .n = e->n,
                   .groups = field_groups(e->n));
}

/* ---- numbers ----------------------------------------------------------------------------------- */

typedef struct ancestors {
    gpu_texture place, up, next, depth;
} ancestors;

static void ancestors_free(ancestors *a) {
    gpu_texture *const all[] = {&a->place, &a->up, &a->next, &a->depth};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
}

/* The forest, by places, without jumps. */
static glshape_status hang(pairs *p, ancestors *a) {
    tree_elders *e = &p->elders;
    return gpu_run(p->g, mergetree_hang, .ends = &e->ends, .parent = &e->parent, .place = &a->place,
                   .branch = &p->b->branch, .up = &a->up, .n = e->n, .essential = e->essential,
                   .groups = field_groups(e->n));
}

/* Doubles the paths of `up`. step not 0: branches whose depth has this as its lowest bit jump so far. */
static glshape_status double_paths(pairs *p, ancestors *a, uint32_t step, uint32_t *left) {
    TRY(gpu_upload(p->g, &p->b->state, 1, 1, &(uint32_t){0}));
    TRY(gpu_run(p->g, mergetree_ancestors, .up = &a->up, .depth = step ? &a->depth : &a->up, .next = &a->next,
                .branch = &p->b->branch, .state = &p->b->state, .n = p->elders.n, .jump = step,
                .groups = field_groups(p->elders.n)));
    gpu_texture_swap(&a->up, &a->next);
    return gpu_download(p->g, &p->b->state, 1, 1, left);
}

/* A branch at depth d jumps to its ancestor at d less the lowest bit of d, so that few jumps and steps to
 * parents lead to any ancestor. */
static glshape_status find_jumps(pairs *p, ancestors *a) {
    uint32_t left = 1, doublings = 0;
    TRY(hang(p, a));
    for (; left && doublings < MOST_DOUBLINGS; doublings++) TRY(double_paths(p, a, 0, &left));
    if (left)
        return fail(run_error(run_of(p->g)), GLSHAPE_GPU_ERROR, "branches end on one another in a circle");
    gpu_texture_swap(&a->up, &a->depth);
    TRY(hang(p, a));
    for (uint32_t k = 0; k < doublings && k < 32; k++) TRY(double_paths(p, a, 1u << k, &left));
    return GLSHAPE_OK;
}

/* Numbers the branches by their places: what knows a minimum by its number learns that. */
static glshape_status number_by_places(pairs *p, ancestors *a) {
    OWNED_BY(gpu_texture_free) gpu_texture minimum = {0};
    gpu *g = p->g;
    basins *b = p->b;
    uint32_t n = p->elders.n;
    const struct {
        gpu_texture *t;
        const char *label;
        gpu_format format;
    } parts[] = {
        {&a->place, "places of branches", GPU_R32UI},    {&a->up, "ancestors of branches", GPU_RG32UI},
        {&a->next, "ancestors of branches", GPU_RG32UI}, {&a->depth, "depths of branches", GPU_RG32UI},
        {&b->branch, "branches", GPU_RGBA32UI},          {&minimum, "minima", GPU_R32UI}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(g, parts[i].t, parts[i].label, parts[i].format, n, 1));
    TRY(gpu_run(g, mergetree_places, .ends = &p->elders.ends, .basin = &b->basin, .place = &a->place,
                .minimum = &minimum, .n = n, .groups = field_groups(n)));
    gpu_texture_swap(&b->minimum, &minimum);
    return gpu_run(g, mergetree_rename, .place = &a->place, .basin = &b->basin, .n = b->n,
                   .groups = field_groups(b->n));
}

/* Numbers the branches on the device, and hangs them on one another. */
static glshape_status number(pairs *p) {
    OWNED_BY(ancestors_free) ancestors a = {0};
    TRY(number_by_places(p, &a));
    return find_jumps(p, &a);
}

static glshape_status bring_arrays(pairs *p, branches *out) {
    OWNED radix_item *items = NULL;
    OWNED uint32_t *minima = NULL;
    TRY(basins_minima(p->g, p->b, &minima));
    TRY(allocate(run_error(run_of(p->g)), &items, out->count, sizeof *items, "the branches"));
    TRY(gpu_download(p->g, &p->b->branch, 0, out->count, items));
    return branches_in_order(run_error(run_of(p->g)), MOVE(minima), out->count, p->elders.essential, items,
                             out);
}

static glshape_status find_spans(pairs *p) {
    basins *b = p->b;
    tree_elders *e = &p->elders;
    TRY(gpu_texture_new(p->g, &b->span, "where branches begin and end", GPU_RG32UI, e->n, 1));
    return gpu_run(p->g, mergetree_spans, .ends = &e->ends, .span = &b->span, .n = e->n,
                   .essential = e->essential, .vertices = b->n, .split = b->field->turned,
                   .groups = field_groups(e->n));
}

/* ---- all of it --------------------------------------------------------------------------------- */

/* Applies the rule while the system gives the memory of what comes down its pages. */
static glshape_status find_on_gpu(pairs *p, const branches *out, bool numbered) {
    const threads_block memory[THREADS_BLOCKS] = {
        {out->list, out->list ? out->count * sizeof *out->list : 0}};
    threads_touching *touching = out->list ? threads_touch_aside(memory) : NULL;
    glshape_status status = apply_rule(p);
    if (!status && numbered) status = number(p);
    threads_touched(&touching);
    return status;
}

static glshape_status new_memory(pairs *p, pairs_form form, branches *out) {
    error *err = run_error(run_of(p->g));
    if (!(form & PAIRS_LIST)) return GLSHAPE_OK;
    return allocate(err, &out->list, out->count, sizeof *out->list, "the branches");
}

static glshape_status find(pairs *p, pairs_form form, branches *out) {
    TRY(new_memory(p, form, out));
    TRY(find_on_gpu(p, out, form & PAIRS_NUMBERS));
    if (form & PAIRS_ARRAYS) TRY(bring_arrays(p, out));
    if (form & PAIRS_SPANS) TRY(find_spans(p));
    if (form & PAIRS_LIST) TRY(list_branches(p, out));
    return form & PAIRS_ITEMS ? make_items(p) : GLSHAPE_OK;
}

glshape_status pairs_find(gpu *g, basins *b, pairs_form form, branches *tree) {
    OWNED_BY(pairs_free) pairs p = {.g = g, .b = b, .order = b->field->order};
    OWNED_BY(branches_free) branches found = {.count = b->minima};
    *tree = (branches){0};
    TRY(find(&p, form, &found));
    found.essential = p.elders.essential;
    if (form & PAIRS_ITEMS) {
        gpu_texture_swap(&b->edges, &p.elders.forest);
        b->edge_count = found.count - found.essential;
    }
    *tree = MOVE(found);
    return GLSHAPE_OK;
}

glshape_status pairs_bring(gpu *g, basins *b, branches *tree) {
    OWNED_BY(gpu_texture_free) gpu_texture items = MOVE(b->items);
    error *err = run_error(run_of(g));
    TRY(allocate(err, &tree->pairs, tree->count, sizeof *tree->pairs, "the branches"));
    threads_touch(tree->pairs, tree->count * sizeof *tree->pairs);
    return gpu_download(g, &items, 0, tree->count, tree->pairs);
}
