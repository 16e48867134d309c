/* scipy's linkage matrix by passes, from a spanning tree: edges are sorted and put into chains
 * (contraction.c); sizes are sums along chains, round after round. */
#include <math.h>
#include <string.h>

#include "base/owned.h"
#include "base/threads.h"
#include "place/place.h"
#include "prim/passes.h"
#include "tree/contraction.h"
#include "tree/passes.h"

typedef struct dendrogram {
    contraction c;
    gpu_texture size;            /* of the clusters */
    threads_touching **touching; /* NULL, or of the memory of the rows */
    tree_merges *kept;           /* NULL, or what gets the merges */
} dendrogram;

static void dendrogram_free(dendrogram *d) {
    contraction_free(&d->c);
    gpu_texture_free(&d->size);
}

/* All textures but the items. */
static glshape_status dendrogram_new(dendrogram *d) {
    TRY(contraction_new(&d->c));
    return gpu_texture_new(d->c.g, &d->size, "sizes of clusters", GPU_R32UI, d->c.count, 1);
}

/* ---- order ------------------------------------------------------------------------------------- */

/* By all four words, however many are equal. */
static glshape_status sort_wholly(contraction *c) {
    TRY(contraction_turn(c->g, c->items, c->n));
    TRY(prim_radix(c->g, &c->radix, c->items, c->n, 0, prim_radix_bits(c->n)));
    TRY(prim_radix(c->g, &c->radix, c->items, c->n, 32, 32 + prim_radix_bits(c->n)));
    TRY(contraction_turn(c->g, c->items, c->n));
    return prim_radix(c->g, &c->radix, c->items, c->n, 0, 64);
}

/* Sorts by the first words of heights; where few of these are equal, each item finds its place among them. */
static glshape_status sort_items(contraction *c) {
    bool many;
    TRY(prim_radix(c->g, &c->radix, c->items, c->n, 32, 64));
    TRY(contraction_sort_ties(c->g, c->items, &c->counts, c->n, TIES_X, &many));
    return many ? sort_wholly(c) : GLSHAPE_OK;
}

/* ---- clusters ---------------------------------------------------------------------------------- */

/* The sizes of the clusters of one round's chains. */
static glshape_status measure_round(dendrogram *d, uint32_t first, uint32_t count) {
    contraction *c = &d->c;
    gpu *g = c->g;
    gpu_texture *weights = &c->alive[0], *sums = &c->alive[1], *base = &c->best;
    uint32_t groups = tree_groups(count);
    if (!count) return GLSHAPE_OK;
    TRY(gpu_run(g, tree_weights, .chains = &c->chains[0], .picked = &c->picked, .child = &c->child,
                .size = &d->size, .weights = weights, .n = c->n, .first = first, .count = count,
                .groups = groups));
    TRY(prim_scan(g, &c->radix.scan, weights, count, sums, NULL, 0));
    TRY(gpu_run(g, tree_bases, .chains = &c->chains[0], .sums = sums, .base = base, .first = first,
                .count = count, .groups = groups));
    return gpu_run(g, tree_sizes, .chains = &c->chains[0], .sums = sums, .weights = weights, .base = base,
                   .size = &d->size, .first = first, .count = count, .groups = groups);
}

void tree_merges_free(tree_merges *m) {
    gpu_texture_free(&m->items);
    gpu_texture_free(&m->child);
    gpu_texture_free(&m->size);
}

/* The programs of this file. */
#define EACH_PROGRAM(X, g)            \
    X(g, prim_radix_count, .n = 0);   \
    X(g, prim_radix_move, .n = 0);    \
    X(g, prim_scan, .n = 0);          \
    X(g, tree_ties, .BY = TIES_X);    \
    X(g, tree_singletons, .n = 0);    \
    X(g, tree_lightest, .count = 0);  \
    X(g, tree_place, .count = 0);     \
    X(g, tree_contract, .count = 0);  \
    X(g, tree_jump, .n = 0);          \
    X(g, tree_relabel_ranks, .n = 0); \
    X(g, tree_link, .count = 0);      \
    X(g, tree_weights, .count = 0);   \
    X(g, tree_bases, .count = 0);     \
    X(g, tree_sizes, .count = 0);     \
    X(g, tree_rows, .count = 0)

void tree_expect_dendrogram(gpu *g, bool root) {
    gpu_soon(g, tree_heights, .ROOT = root);
    EACH_PROGRAM(gpu_soon, g);
}

void tree_load_dendrogram(gpu *g, bool root) {
    gpu_load(g, tree_heights, .ROOT = root);
    EACH_PROGRAM(gpu_load, g);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static glshape_status bring_rows(dendrogram *d, double *out, uint32_t *edges) {
    OWNED_BY(gpu_texture_free) gpu_texture rows = {0};
    OWNED_BY(gpu_texture_free) gpu_texture ends = {0};
    contraction *c = &d->c;
    gpu *g = c->g;
    uint32_t wrong;
    gpu_texture_free(&c->items[1]);
    TRY(gpu_texture_new(g, &rows, "rows of the linkage matrix", GPU_RGBA32UI, c->count, 2));
    TRY(gpu_texture_new(g, &ends, "ends of edges", GPU_RG32UI, c->count, 1));
    TRY(gpu_upload(g, &c->counts, 0, 1, &(uint32_t){0}));
    TRY(gpu_run(g, tree_rows, .items = &c->items[0], .child = &c->child, .size = &d->size, .rows = &rows,
                .ends = &ends, .counts = &c->counts, .n = c->n, .count = c->count,
                .groups = tree_groups(c->count)));
    if (d->touching) threads_touched(d->touching);
    TRY(gpu_download(g, &c->counts, 0, 1, &wrong));
    if (wrong) return contraction_is_wrong(g);
    TRY(gpu_download(g, &rows, 0, c->count, out));
    if (d->kept) *d->kept = (tree_merges){MOVE(c->items[0]), MOVE(c->child), MOVE(d->size)};
    return edges ? gpu_download(g, &ends, 0, c->count, edges) : GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* The rows, of items that are there. */
static glshape_status find_rows(dendrogram *d, double *out, uint32_t *edges) {
    contraction *c = &d->c;
    TRY(sort_items(c));
    TRY(contraction_chains(c));
    for (uint32_t round = 0; round < c->rounds; round++)
        TRY(measure_round(d, c->start[round], c->start[round + 1] - c->start[round]));
    return bring_rows(d, out, edges);
}

glshape_status tree_make_heights(gpu *g, gpu_texture *edges, const tree_scale *scale, gpu_texture *keyed) {
    uint32_t factor[2];
    memcpy(factor, &scale->factor, sizeof factor);
    return gpu_run(g, tree_heights, .ROOT = scale->root, .edges = edges, .keyed = keyed,
                   .factor_low = factor[0], .factor_high = factor[1], .count = edges->elements,
                   .groups = tree_groups(edges->elements));
}

/* Items have a place more than there are edges: the hole is behind them. */
static glshape_status new_items(contraction *c) {
    for (int k = 0; k < 2; k++)
        TRY(gpu_texture_new(c->g, &c->items[k], "edges of the tree", GPU_RGBA32UI, c->n, 1));
    return GLSHAPE_OK;
}

glshape_status tree_dendrogram_kept(gpu *g, tree_kept *t, const tree_scale *scale, double *out,
                                    uint32_t *edges, tree_merges *kept) {
    uint32_t n = t->edges.elements;
    OWNED_BY(dendrogram_free) dendrogram d = {.c = {.g = g, .n = n, .count = n - 1}, .kept = kept};
    TRY(new_items(&d.c));
    TRY(dendrogram_new(&d));
    TRY(tree_make_heights(g, &t->edges, scale, &d.c.items[0]));
    d.touching = &t->touching;
    return find_rows(&d, out, edges);
}

typedef struct input {
    uint32_t n;
    const uint32_t *i, *j;
    const double *height;
} input;

static glshape_status fill_items(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    const input *in = user;
    uint32_t(*to)[4] = memory;
    for (uint32_t k = first; k < first + count; k++, to++) {
        uint32_t last[4] = {TREE_NONE, TREE_NONE, TREE_NONE, TREE_NONE}, a, b;
        if (k + 1 < in->n) {
            a = in->i[k], b = in->j[k];
            if (a >= in->n || b >= in->n || isnan(in->height[k]))
                return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                            "edge %u (%u, %u, %g) of the tree on %u vertices is none", k, a, b, in->height[k],
                            in->n);
            uint64_t key = tree_height_key(in->height[k]);
            last[0] = (uint32_t)(key >> 32), last[1] = (uint32_t)key;
            last[2] = a < b ? a : b, last[3] = a < b ? b : a;
        }
        memcpy(to, last, sizeof last);
    }
    return GLSHAPE_OK;
}

glshape_status tree_dendrogram_by_passes(gpu *g, uint32_t n, const uint32_t *i, const uint32_t *j,
                                         const double *height, double *out, uint32_t *edges,
                                         tree_merges *kept) {
    OWNED_BY(dendrogram_free) dendrogram d = {.c = {.g = g, .n = n, .count = n - 1}, .kept = kept};
    input in = {n, i, j, height};
    if (n < 2) return GLSHAPE_OK;
    TRY(new_items(&d.c));
    TRY(dendrogram_new(&d));
    TRY(gpu_fill(g, &d.c.items[0], n, fill_items, &in));
    return find_rows(&d, out, edges);
}

/* ---- where ------------------------------------------------------------------------------------- */

#define BYTES 146u       /* of textures for a vertex */
#define MOST 0x7fffffffu /* vertices, as clusters have numbers */

glshape_status tree_dendrogram_place(gpu *g, uint32_t n, bool root, run_why *why) {
    *why = n < 2 || n > MOST ? RUN_NOT_LIMITS : RUN_FOR_PASSES;
    if (run_why_device(*why)) TRY(place_choose_any(g, (uint64_t)BYTES * n, why));
    if (run_why_device(*why) && !gpu_may_be_exact(g)) *why = RUN_NOT_EXACT;
    TRY(tree_trusts_heights(g, root, why));
    return tree_trusts_dendrogram(g, why);
}
