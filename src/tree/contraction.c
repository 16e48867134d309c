/* The contraction of PANDORA (Sao, Prokopenko, Lebrun-Grandié 2024, arXiv 2401.06089).
 *
 * An edge is named by its rank. In each round every component picks its first edge out, and all edges that
 * were picked are contracted. An edge that was contracted in an earlier round, and comes before its
 * component's first edge out, joins only what lies in that component: it belongs to the chain of the
 * component in this round, which ends below the edge that is picked. The edges of a component that were not
 * put into a chain earlier all hold its first edge in their cluster, so each cluster of a chain holds the one
 * before it. What is left in the end are the roots' chains. A sort brings chains together. At the end where a
 * component picked it, an edge joins that component's chain, or in the first round the vertex; at the other
 * end, if no component picked it there, the edge before it in its own chain. Both ends of the first edge of a
 * chain picked it.
 *
 * So it takes a logarithmic number of rounds, however deep the tree of clusters is. The same rounds without
 * chains find the spanning forest of a graph: edges within a component are dropped (Borůvka). */
#include "tree/contraction.h"

#include "base/owned.h"
#include "prim/passes.h"
#include "tree/passes.h"

#define MOST_ROUNDS CONTRACTION_ROUNDS
#define MOST_JUMPS 7 /* as in points_by_passes.c */

void contraction_free(contraction *c) {
    gpu_texture *const all[] = {&c->items[0],   &c->items[1],   &c->chains[0], &c->chains[1], &c->child,
                                &c->picked,     &c->alive[0],   &c->alive[1],  &c->label,     &c->parent,
                                &c->waiting[0], &c->waiting[1], &c->next,      &c->best,      &c->counts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_radix_free(&c->radix);
}

/* What rounds need of components. */
static glshape_status new_components(contraction *c) {
    const gpu_wanted all[] = {{&c->picked, "ends that picked an edge", GPU_R32UI, c->count, 1},
                              {&c->label, "components of vertices", GPU_R32UI, c->n, 1},
                              {&c->parent, "parents of components", GPU_R32UI, c->n, 1},
                              {&c->next, "parents of components", GPU_R32UI, c->n, 1},
                              {&c->best, "first edges of components", GPU_R32UI, c->n, 1},
                              {&c->counts, "counts of a round", GPU_R32UI, COUNTS, 1}};
    return gpu_wanted_new(c->g, all, sizeof all / sizeof *all);
}

glshape_status contraction_new(contraction *c) {
    const gpu_wanted all[] = {{&c->alive[0], "edges that are left", GPU_R32UI, c->count, 1},
                              {&c->alive[1], "edges that are left", GPU_R32UI, c->count, 1},
                              {&c->waiting[0], "edges without a chain", GPU_R32UI, c->count, 1},
                              {&c->waiting[1], "edges without a chain", GPU_R32UI, c->count, 1},
                              {&c->child, "clusters that are joined", GPU_R32UI, c->count, 2},
                              {&c->chains[0], "chains of edges", GPU_RGBA32UI, c->count, 1},
                              {&c->chains[1], "chains of edges", GPU_RGBA32UI, c->count, 1}};
    TRY(new_components(c));
    return gpu_wanted_new(c->g, all, sizeof all / sizeof *all);
}

glshape_status contraction_is_wrong(gpu *g) {
    return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                "a tree does not come out right: the driver of %s computes something wrong; take another "
                "device (--device)",
                gpu_renderer(g));
}

static glshape_status fill(gpu *g, gpu_texture *t, uint32_t value) {
    return gpu_run(g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* ---- order ------------------------------------------------------------------------------------- */

glshape_status contraction_turn(gpu *g, gpu_texture items[2], uint32_t n) {
    TRY(gpu_run(g, tree_turn, .items = &items[0], .turned = &items[1], .count = n, .groups = tree_groups(n)));
    gpu_texture_swap(&items[0], &items[1]);
    return GLSHAPE_OK;
}

glshape_status contraction_sort_ties(gpu *g, gpu_texture items[2], gpu_texture *counts, uint32_t n,
                                     contraction_ties by, bool *many) {
    uint32_t found;
    TRY(gpu_upload(g, counts, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(g, tree_ties, .BY = (int)by, .items = &items[0], .sorted = &items[1], .counts = counts,
                .count = n, .groups = tree_groups(n)));
    TRY(gpu_download(g, counts, 0, 1, &found));
    *many = found;
    if (!found) gpu_texture_swap(&items[0], &items[1]);
    return GLSHAPE_OK;
}

/* ---- rounds ------------------------------------------------------------------------------------ */

static glshape_status make_singletons(contraction *c) {
    return gpu_run(c->g, tree_singletons, .label = &c->label, .parent = &c->parent, .best = &c->best,
                   .n = c->n, .groups = tree_groups(c->n));
}

static glshape_status place(contraction *c, uint32_t waiting) {
    return gpu_run(c->g, tree_place, .items = &c->items[0], .waiting = &c->waiting[0], .label = &c->label,
                   .best = &c->best, .next_waiting = &c->waiting[1], .chains = &c->chains[0],
                   .counts = &c->counts, .round = c->rounds, .count = waiting,
                   .groups = tree_groups(waiting));
}

static glshape_status contract(contraction *c, uint32_t alive, uint32_t waiting) {
    gpu *g = c->g;
    TRY(fill(g, &c->counts, 0));
    TRY(gpu_run(g, tree_lightest, .items = &c->items[0], .alive = &c->alive[0], .label = &c->label,
                .best = &c->best, .all = c->rounds == 0, .count = alive, .groups = tree_groups(alive)));
    TRY(place(c, waiting));
    TRY(gpu_run(g, tree_contract, .items = &c->items[0], .alive = &c->alive[0], .label = &c->label,
                .best = &c->best, .next_alive = &c->alive[1], .next_waiting = &c->waiting[1],
                .parent = &c->parent, .picked = &c->picked, .child = &c->child, .counts = &c->counts,
                .first = c->rounds == 0, .count = alive, .groups = tree_groups(alive)));
    gpu_texture_swap(&c->alive[0], &c->alive[1]);
    gpu_texture_swap(&c->waiting[0], &c->waiting[1]);
    return GLSHAPE_OK;
}

/* Gives vertices their new components; reads the counts of the round. */
static glshape_status relabel(contraction *c, uint32_t counts[COUNTS]) {
    gpu *g = c->g;
    counts[UNDONE] = 1;
    for (int jumps = 0; counts[UNDONE]; jumps++) {
        if (jumps == MOST_JUMPS) return contraction_is_wrong(g);
        if (jumps) TRY(gpu_upload(g, &c->counts, UNDONE, 1, &(uint32_t){0}));
        TRY(gpu_run(g, tree_jump, .label = &c->label, .parent = &c->parent, .next = &c->next,
                    .counts = &c->counts, .n = c->n, .groups = tree_groups(c->n)));
        gpu_texture_swap(&c->parent, &c->next);
        TRY(gpu_download(g, &c->counts, 0, COUNTS, counts));
        if (counts[CIRCLES]) return GLSHAPE_OK;
    }
    return gpu_run(g, tree_relabel_ranks, .parent = &c->parent, .label = &c->label, .best = &c->best,
                   .counts = &c->counts, .n = c->n, .groups = tree_groups(c->n));
}

static glshape_status refuse_circle(run *r) {
    return fail(run_error(r), GLSHAPE_BAD_ARGUMENT, "the edges close a circle: they are no tree");
}

/* What the waiting edges were that found a chain, of counts that make sense. */
static glshape_status count_placed(contraction *c, uint32_t alive, uint32_t waiting,
                                   const uint32_t counts[COUNTS]) {
    uint32_t contracted = alive - counts[ALIVE], still = counts[WAITING] - contracted;
    if (counts[ALIVE] >= alive + !alive || counts[WAITING] < contracted || still > waiting)
        return contraction_is_wrong(c->g);
    c->start[c->rounds + 1] = c->start[c->rounds] + waiting - still;
    c->rounds++;
    return GLSHAPE_OK;
}

/* Puts all edges into chains. */
static glshape_status contract_all(contraction *c) {
    uint32_t alive = c->count, waiting = 0, counts[COUNTS] = {0};
    TRY(make_singletons(c));
    while (alive) {
        if (c->rounds == MOST_ROUNDS) return contraction_is_wrong(c->g);
        TRY(contract(c, alive, waiting));
        TRY(relabel(c, counts));
        if (counts[CIRCLES]) return refuse_circle(run_of(c->g));
        TRY(count_placed(c, alive, waiting, counts));
        alive = counts[ALIVE];
        waiting = counts[WAITING];
        TRY(run_tick(run_of(c->g), 0));
    }
    TRY(fill(c->g, &c->counts, 0));
    TRY(place(c, waiting));
    TRY(gpu_download(c->g, &c->counts, 0, COUNTS, counts));
    TRY(count_placed(c, 0, waiting, counts));
    return c->start[c->rounds] == c->count ? GLSHAPE_OK : contraction_is_wrong(c->g);
}

glshape_status contraction_chains(contraction *c) {
    TRY(contract_all(c));
    TRY(prim_radix(c->g, &c->radix, c->chains, c->count, 0, prim_radix_bits(c->n)));
    TRY(prim_radix(c->g, &c->radix, c->chains, c->count, 32, 40));
    return gpu_run(c->g, tree_link, .chains = &c->chains[0], .picked = &c->picked, .child = &c->child,
                   .n = c->n, .count = c->count, .groups = tree_groups(c->count));
}

/* ---- the forest of a graph ----------------------------------------------------------------------- */

/* One round without chains. Edges within a component are dropped. */
static glshape_status join_components(contraction *c, uint32_t *alive) {
    gpu *g = c->g;
    uint32_t counts[COUNTS];
    TRY(fill(g, &c->counts, 0));
    TRY(gpu_run(g, tree_offer, .items = &c->items[0], .label = &c->label, .alive = &c->alive[0],
                .best = &c->best, .first = c->rounds == 0, .count = *alive, .groups = tree_groups(*alive)));
    TRY(gpu_run(g, tree_pick, .alive = &c->alive[0], .best = &c->best, .next_alive = &c->alive[1],
                .parent = &c->parent, .picked = &c->picked, .counts = &c->counts, .count = *alive,
                .groups = tree_groups(*alive)));
    gpu_texture_swap(&c->alive[0], &c->alive[1]);
    TRY(relabel(c, counts));
    if (counts[ALIVE] >= *alive || ++c->rounds > MOST_ROUNDS) return contraction_is_wrong(g);
    *alive = counts[ALIVE];
    return run_tick(run_of(g), 0);
}

/* Gathers the edges that were picked, in order. */
static glshape_status keep_picked(contraction *c, uint32_t *kept) {
    gpu *g = c->g;
    OWNED_BY(gpu_texture_free) gpu_texture forest = {0};
    OWNED_BY(gpu_texture_free) gpu_texture ranks = {0};
    TRY(gpu_texture_new(g, &ranks, "edges of the forest", GPU_R32UI, c->n, 1));
    TRY(prim_compact(g, &c->radix.scan, &c->picked, NULL, c->count, &ranks, &c->counts, 0));
    TRY(gpu_download(g, &c->counts, 0, 1, kept));
    if (*kept >= c->n) return contraction_is_wrong(g);
    TRY(gpu_texture_new(g, &forest, "edges of the forest", GPU_RGBA32UI, *kept, 1));
    TRY(gpu_run(g, tree_gather, .edges = &c->items[0], .kept = &ranks, .gathered = &forest,
                .elements = *kept));
    gpu_texture_swap(&c->items[0], &forest);
    return GLSHAPE_OK;
}

static glshape_status find_forest(contraction *c, uint32_t *kept) {
    for (int k = 0; k < 2; k++)
        TRY(gpu_texture_new(c->g, &c->alive[k], "edges that are left", GPU_RGBA32UI, c->count, 1));
    TRY(new_components(c));
    TRY(make_singletons(c));
    TRY(fill(c->g, &c->picked, 0));
    for (uint32_t alive = c->count; alive;) TRY(join_components(c, &alive));
    for (int k = 0; k < 2; k++) gpu_texture_free(&c->alive[k]); /* before more is made */
    return keep_picked(c, kept);
}

glshape_status contraction_forest(gpu *g, gpu_texture items[2], uint32_t edges, uint32_t n, uint32_t *kept) {
    OWNED_BY(contraction_free) contraction c = {.g = g, .n = n, .count = edges};
    *kept = 0;
    gpu_texture_free(&items[1]);
    if (!edges) return GLSHAPE_OK;
    gpu_texture_swap(&c.items[0], &items[0]);
    glshape_status status = find_forest(&c, kept);
    gpu_texture_swap(&c.items[0], &items[0]);
    return status;
}
