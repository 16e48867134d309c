/* The elder rule by passes, over a graph whose edges come in an order.
 *
 * Edges are sorted; Borůvka's rounds leave the spanning forest, whose edges are put into chains
 * (contraction.c). Where an edge of a chain joins two clusters, one is what the chain has so far, and the
 * other was found in an earlier round; or both were, at the first edge. So the elder of each cluster is a
 * minimum along its chain, round after round, and the younger one of those that an edge joins ends there. Of
 * edges that lie at one vertex the last one says which the oldest there is. */
#include "base/owned.h"
#include "prim/passes.h"
#include "tree/contraction.h"
#include "tree/passes.h"

#define MOST_RUNS 7 /* 64^6 > 2^32 steps, and a run that sees that all are done */
#define LEVELS 3    /* of blocks: TREE_ALONG^3 > 2^32 */
#define FEW_BITS 16 /* of keys: so many are equal that their vertices decide as often */

typedef struct elders {
    contraction c;
    const tree_saddles *of;
    gpu_texture along, elder; /* {key, vertex, number, -} of an eldest: so far along chains; of each edge */
    gpu_texture fallen, end;  /* of each edge: who ends there; of each component: the edge where it ends */
    gpu_texture blocks[LEVELS], before[LEVELS]; /* of the scan */
    tree_elders out;
} elders;

static void elders_free(elders *e) {
    gpu_texture *const all[] = {&e->along, &e->elder, &e->fallen, &e->end};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    for (int k = 0; k < LEVELS; k++) {
        gpu_texture_free(&e->blocks[k]);
        gpu_texture_free(&e->before[k]);
    }
    contraction_free(&e->c);
    tree_elders_free(&e->out);
}

void tree_elders_free(tree_elders *e) {
    gpu_texture_free(&e->ends);
    gpu_texture_free(&e->parent);
    gpu_texture_free(&e->forest);
}

/* ---- order ------------------------------------------------------------------------------------- */

static glshape_status sort_edges(elders *e) {
    const tree_saddles *s = e->of;
    gpu *g = e->c.g;
    uint32_t vertex_bits = 32 + prim_radix_bits(s->vertices), key_bits = (s->key_bits + 7) / 8 * 8;
    bool many = true;
    if (key_bits > FEW_BITS) {
        TRY(prim_radix(g, &e->c.radix, e->c.items, s->count, 0, key_bits));
        TRY(contraction_sort_ties(g, e->c.items, &e->c.counts, s->count, TIES_Y, &many));
    }
    if (!many) return GLSHAPE_OK;
    TRY(prim_radix(g, &e->c.radix, e->c.items, s->count, 32, vertex_bits));
    return prim_radix(g, &e->c.radix, e->c.items, s->count, 0, key_bits);
}

static glshape_status find_forest(elders *e) {
    contraction *c = &e->c;
    gpu *g = c->g;
    TRY(gpu_texture_new(g, &c->counts, "counts of a round", GPU_R32UI, COUNTS, 1));
    if (e->of->count) {
        gpu_texture_swap(&c->items[0], e->of->edges);
        TRY(gpu_texture_new(g, &c->items[1], "edges in order", GPU_RGBA32UI, c->items[0].elements, 1));
        TRY(sort_edges(e));
    }
    gpu_texture_free(&c->counts);
    return contraction_forest(g, c->items, e->of->count, c->n, &c->count);
}

/* ---- along chains ------------------------------------------------------------------------------ */

static glshape_status new_textures(elders *e) {
    gpu *g = e->c.g;
    uint32_t count = e->c.count;
    TRY(gpu_texture_new(g, &e->along, "elders along chains", GPU_RGBA32UI, count, 1));
    TRY(gpu_texture_new(g, &e->elder, "elders of clusters", GPU_RGBA32UI, count, 1));
    TRY(gpu_texture_new(g, &e->fallen, "who ends at an edge", GPU_R32UI, count, 1));
    TRY(gpu_texture_new(g, &e->out.parent, "parents of branches", GPU_R32UI, count, 1));
    for (uint32_t k = 0, left = count; k < LEVELS && left; k++) {
        left = left > TREE_ALONG ? (left - 1) / TREE_ALONG + 1 : 0;
        TRY(gpu_texture_new(g, &e->blocks[k], "elders of blocks", GPU_RGBA32UI, left, 1));
        TRY(gpu_texture_new(g, &e->before[k], "elders before blocks", GPU_RGBA32UI, left, 1));
    }
    return GLSHAPE_OK;
}

/* out[k] becomes the least of in[j … k], where j is the last one up to k that begins a chain. */
static glshape_status scan(elders *e, int level, gpu_texture *in, uint32_t count, gpu_texture *out) {
    gpu *g = e->c.g;
    uint32_t blocks = (count - 1) / TREE_ALONG + 1;
    gpu_texture *carry = in; /* not looked at */
    if (blocks > 1) {
        carry = &e->before[level];
        TRY(gpu_run(g, tree_along_blocks, .brought = in, .blocks = &e->blocks[level], .count = count,
                    .groups = blocks));
        TRY(scan(e, level + 1, &e->blocks[level], blocks, carry));
    }
    return gpu_run(g, tree_along, .brought = in, .before = carry, .along = out, .count = count,
                   .groups = blocks);
}

static glshape_status do_round(elders *e, uint32_t first, uint32_t count) {
    contraction *c = &e->c;
    gpu_texture *brought = &c->chains[1];
    uint32_t groups = tree_groups(count);
    if (!count) return GLSHAPE_OK;
    TRY(gpu_run(c->g, tree_sides, .chains = &c->chains[0], .picked = &c->picked, .child = &c->child,
                .birth = e->of->birth, .elder = &e->elder, .brought = brought, .n = c->n, .first = first,
                .count = count, .groups = groups));
    TRY(scan(e, 0, brought, count, &e->along));
    return gpu_run(c->g, tree_falls, .chains = &c->chains[0], .brought = brought, .along = &e->along,
                   .elder = &e->elder, .fallen = &e->fallen, .end = &e->end, .parent = &e->out.parent,
                   .first = first, .count = count, .groups = groups);
}

/* The oldest at each vertex where edges lie is the elder of the last of these. */
static glshape_status find_oldest(elders *e) {
    contraction *c = &e->c;
    uint32_t left = 1;
    for (int runs = 0; left; runs++) {
        if (runs == MOST_RUNS) return contraction_is_wrong(c->g);
        TRY(gpu_upload(c->g, &c->counts, 0, 1, &(uint32_t){0}));
        TRY(gpu_run(c->g, tree_oldest, .items = &c->items[0], .end = &e->end, .parent = &e->out.parent,
                    .counts = &c->counts, .count = c->count, .groups = tree_groups(c->count)));
        TRY(gpu_download(c->g, &c->counts, 0, 1, &left));
    }
    return GLSHAPE_OK;
}

static glshape_status apply_rule(elders *e) {
    contraction *c = &e->c;
    TRY(contraction_new(c));
    TRY(contraction_chains(c));
    TRY(new_textures(e));
    for (uint32_t round = 0; round < c->rounds; round++)
        TRY(do_round(e, c->start[round], c->start[round + 1] - c->start[round]));
    return find_oldest(e);
}

/* ---- one order of all ---------------------------------------------------------------------------- */

/* By all four words. */
static glshape_status sort_wholly(elders *e, gpu_texture ends[2]) {
    gpu *g = e->c.g;
    uint32_t n = e->c.n;
    TRY(contraction_turn(g, ends, n));
    TRY(prim_radix(g, &e->c.radix, ends, n, 0, 64));
    TRY(contraction_turn(g, ends, n));
    return prim_radix(g, &e->c.radix, ends, n, 0, 64);
}

/* Those that do not end, then the others from the last edge to the first: only those that end at one vertex
 * are still to be sorted, by birth. */
static glshape_status list_ends(elders *e, gpu_texture ends[2]) {
    contraction *c = &e->c;
    OWNED_BY(gpu_texture_free) gpu_texture left = {0};
    OWNED_BY(gpu_texture_free) gpu_texture counts = {0};
    gpu *g = c->g;
    gpu_texture *flags = &e->along;
    uint32_t essential;
    bool many;
    gpu_texture_free(flags);
    e->out.essential = c->n - c->count;
    TRY(gpu_texture_new(g, flags, "who does not end", GPU_R32UI, c->n, 1));
    TRY(gpu_texture_new(g, &left, "who does not end", GPU_R32UI, e->out.essential, 1));
    TRY(gpu_texture_new(g, &counts, "counts of components", GPU_R32UI, 1, 1));
    TRY(gpu_run(g, tree_endless, .end = &e->end, .flags = flags, .elements = c->n));
    TRY(prim_compact(g, &c->radix.scan, flags, NULL, c->n, &left, &counts, 0));
    TRY(gpu_download(g, &counts, 0, 1, &essential));
    if (essential != e->out.essential) return contraction_is_wrong(g);
    for (int k = 0; k < 2; k++) TRY(gpu_texture_new(g, &ends[k], "ends of branches", GPU_RGBA32UI, c->n, 1));
    TRY(gpu_run(g, tree_ends, .items = c->count ? &c->items[0] : &ends[1],
                .fallen = c->count ? &e->fallen : &left, .left = &left, .birth = e->of->birth,
                .ends = &ends[0], .n = c->n, .count = c->count, .groups = tree_groups(c->n)));
    TRY(contraction_sort_ties(g, ends, &counts, c->n, TIES_XY, &many));
    return many ? sort_wholly(e, ends) : GLSHAPE_OK;
}

static void textures_free(gpu_texture (*t)[2]) {
    for (int k = 0; k < 2; k++) gpu_texture_free(&(*t)[k]);
}

glshape_status tree_elders_find(gpu *g, const tree_saddles *s, tree_elders *out) {
    OWNED_BY(elders_free) elders e = {.c = {.g = g, .n = s->n}, .of = s, .out = {.n = s->n}};
    OWNED_BY(textures_free) gpu_texture ends[2] = {{0}};
    *out = (tree_elders){0};
    TRY(find_forest(&e));
    TRY(gpu_texture_new(g, &e.end, "edges where components end", GPU_R32UI, s->n, 1));
    TRY(gpu_run(g, prim_fill, .filled = &e.end, .value = TREE_NONE, .elements = s->n));
    if (e.c.count) TRY(apply_rule(&e));
    else TRY(gpu_texture_new(g, &e.out.parent, "parents of branches", GPU_R32UI, 0, 1));
    TRY(list_ends(&e, ends));
    e.out.ends = MOVE(ends[0]);
    e.out.forest = MOVE(e.c.items[0]);
    *out = MOVE(e.out);
    return GLSHAPE_OK;
}
