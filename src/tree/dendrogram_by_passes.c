/* scipy's linkage matrix by passes, from a spanning tree: the contraction of PANDORA (Sao, Prokopenko,
 * Lebrun-Grandié 2024, arXiv 2401.06089).
 *
 * Edges are sorted; an edge is named by its rank. In each round every component picks its first edge out, and
 * all edges that were picked are contracted. An edge that was contracted in an earlier round, and comes
 * before its component's first edge out, joins only what lies in that component: it belongs to the chain of
 * the component in this round, which ends below the edge that is picked. The edges of a component that were
 * not put into a chain earlier all hold its first edge in their cluster, so each cluster of a chain holds the
 * one before it. What is left in the end is the root's chain. A sort brings chains together. At the end where
 * a component picked it, an edge joins that component's chain, or in the first round the vertex; at the other
 * end, if no component picked it there, the edge before it in its own chain. Sizes are sums along chains,
 * round after round.
 *
 * So it takes a logarithmic number of rounds, however deep the dendrogram is. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "prim/passes.h"
#include "tree/passes.h"
#include "tree/tree.h"

#define MOST_ROUNDS 64
#define MOST_JUMPS 7 /* as in points_by_passes.c */

/* What the passes of a round count. tree_ties has the first for itself. */
enum { ALIVE, WAITING, ROOTS, UNDONE, CIRCLES, COUNTS };

typedef struct contraction {
    gpu *g;
    uint32_t n, count;                /* vertices; edges */
    gpu_texture items[2];             /* n elements: keys and ends; at last in order, the hole behind them */
    gpu_texture chains[2], child;     /* of each edge */
    gpu_texture picked, size;         /* the same */
    gpu_texture alive[2], waiting[2]; /* lists of edges; at last working space */
    gpu_texture label, parent, next, best; /* of each vertex */
    gpu_texture counts;
    prim_radix_scratch radix;
    uint32_t start[MOST_ROUNDS + 2]; /* of each round: its first place among the sorted chains */
    uint32_t rounds;
    threads_touching **touching; /* NULL, or of the memory of the rows */
    tree_merges *kept;           /* NULL, or what gets the merges */
} contraction;

static void contraction_free(contraction *c) {
    gpu_texture *const all[] = {&c->items[0],   &c->items[1],   &c->chains[0], &c->chains[1],
                                &c->child,      &c->picked,     &c->size,      &c->alive[0],
                                &c->alive[1],   &c->waiting[0], &c->label,     &c->parent,
                                &c->waiting[1], &c->next,       &c->best,      &c->counts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpu_texture_free(all[i]);
    prim_radix_free(&c->radix);
}

/* All but the items. */
static glshape_status contraction_new(contraction *c) {
    gpu *g = c->g;
    const struct {
        gpu_texture *t;
        const char *label;
    } parts[] = {{&c->alive[0], "edges that are left"},     {&c->alive[1], "edges that are left"},
                 {&c->waiting[0], "edges without a chain"}, {&c->waiting[1], "edges without a chain"},
                 {&c->picked, "ends that picked an edge"},  {&c->size, "sizes of clusters"},
                 {&c->label, "components of vertices"},     {&c->parent, "parents of components"},
                 {&c->next, "parents of components"},       {&c->best, "first edges of components"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(gpu_texture_new(g, parts[i].t, parts[i].label, GPU_R32UI, c->n, 1));
    TRY(gpu_texture_new(g, &c->child, "clusters that are joined", GPU_R32UI, c->count, 2));
    for (int i = 0; i < 2; i++)
        TRY(gpu_texture_new(g, &c->chains[i], "chains of edges", GPU_RGBA32UI, c->count, 1));
    return gpu_texture_new(g, &c->counts, "counts of a round", GPU_R32UI, COUNTS, 1);
}

static glshape_status is_wrong(gpu *g) {
    return fail(
        gpu_error(g), GLSHAPE_GPU_ERROR,
        "a dendrogram does not come out right: the driver of %s computes something wrong; take another "
        "device (--device)",
        gpu_renderer(g));
}

static glshape_status fill(contraction *c, gpu_texture *t, uint32_t value) {
    return gpu_run(c->g, prim_fill, .filled = t, .value = value, .elements = t->elements);
}

/* ---- order ------------------------------------------------------------------------------------- */

static glshape_status turn(contraction *c) {
    TRY(gpu_run(c->g, tree_turn, .items = &c->items[0], .turned = &c->items[1], .count = c->n,
                .groups = tree_groups(c->n)));
    gpu_texture_swap(&c->items[0], &c->items[1]);
    return GLSHAPE_OK;
}

/* By all four words, however many are equal. */
static glshape_status sort_wholly(contraction *c) {
    TRY(turn(c));
    TRY(prim_radix(c->g, &c->radix, c->items, c->n, 0, prim_radix_bits(c->n)));
    TRY(prim_radix(c->g, &c->radix, c->items, c->n, 32, 32 + prim_radix_bits(c->n)));
    TRY(turn(c));
    return prim_radix(c->g, &c->radix, c->items, c->n, 0, 64);
}

/* Sorts by the first words of heights; where few of these are equal, each item finds its place among them. */
static glshape_status sort_items(contraction *c) {
    uint32_t many;
    TRY(prim_radix(c->g, &c->radix, c->items, c->n, 32, 64));
    TRY(fill(c, &c->counts, 0));
    TRY(gpu_run(c->g, tree_ties, .items = &c->items[0], .sorted = &c->items[1], .counts = &c->counts,
                .count = c->n, .groups = tree_groups(c->n)));
    TRY(gpu_download(c->g, &c->counts, 0, 1, &many));
    if (many) return sort_wholly(c);
    gpu_texture_swap(&c->items[0], &c->items[1]);
    return GLSHAPE_OK;
}

/* ---- rounds ------------------------------------------------------------------------------------ */

static glshape_status make_singletons(contraction *c) {
    TRY(gpu_run(c->g, prim_fill, .filled = &c->label, .step = 1, .elements = c->n));
    return fill(c, &c->best, TREE_NONE);
}

static glshape_status place(contraction *c, uint32_t waiting) {
    return gpu_run(c->g, tree_place, .items = &c->items[0], .waiting = &c->waiting[0], .label = &c->label,
                   .best = &c->best, .next_waiting = &c->waiting[1], .chains = &c->chains[0],
                   .counts = &c->counts, .round = c->rounds, .count = waiting,
                   .groups = tree_groups(waiting));
}

static glshape_status contract(contraction *c, uint32_t alive, uint32_t waiting) {
    gpu *g = c->g;
    bool first = c->rounds == 0;
    TRY(fill(c, &c->counts, 0));
    TRY(gpu_run(g, tree_lightest, .items = &c->items[0], .alive = &c->alive[0], .label = &c->label,
                .best = &c->best, .all = first, .count = alive, .groups = tree_groups(alive)));
    TRY(place(c, waiting));
    TRY(gpu_run(g, tree_contract, .items = &c->items[0], .alive = &c->alive[0], .label = &c->label,
                .best = &c->best, .next_alive = &c->alive[1], .next_waiting = &c->waiting[1],
                .parent = &c->parent, .picked = &c->picked, .child = &c->child, .counts = &c->counts,
                .first = first, .count = alive, .groups = tree_groups(alive)));
    gpu_texture_swap(&c->alive[0], &c->alive[1]);
    gpu_texture_swap(&c->waiting[0], &c->waiting[1]);
    return GLSHAPE_OK;
}

/* Gives vertices their new components; reads the counts of the round. */
static glshape_status relabel(contraction *c, uint32_t counts[COUNTS]) {
    gpu *g = c->g;
    counts[UNDONE] = 1;
    for (int jumps = 0; counts[UNDONE]; jumps++) {
        if (jumps == MOST_JUMPS) return is_wrong(g);
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

static glshape_status refuse_circle(gpu *g) {
    return fail(gpu_error(g), GLSHAPE_BAD_ARGUMENT, "the edges close a circle: they are no tree");
}

/* What the waiting edges were that found a chain, of counts that make sense. */
static glshape_status count_placed(contraction *c, uint32_t alive, uint32_t waiting,
                                   const uint32_t counts[COUNTS]) {
    uint32_t contracted = alive - counts[ALIVE], still = counts[WAITING] - contracted;
    if (counts[ALIVE] >= alive + !alive || counts[WAITING] < contracted || still > waiting)
        return is_wrong(c->g);
    c->start[c->rounds + 1] = c->start[c->rounds] + waiting - still;
    c->rounds++;
    return GLSHAPE_OK;
}

/* Puts all edges into chains. */
static glshape_status contract_all(contraction *c) {
    uint32_t alive = c->count, waiting = 0, counts[COUNTS] = {0};
    TRY(make_singletons(c));
    while (alive) {
        if (c->rounds == MOST_ROUNDS) return is_wrong(c->g);
        TRY(contract(c, alive, waiting));
        TRY(relabel(c, counts));
        if (counts[CIRCLES]) return refuse_circle(c->g);
        TRY(count_placed(c, alive, waiting, counts));
        alive = counts[ALIVE];
        waiting = counts[WAITING];
        TRY(gpu_tick(c->g, 0));
    }
    TRY(fill(c, &c->counts, 0));
    TRY(place(c, waiting));
    TRY(gpu_download(c->g, &c->counts, 0, COUNTS, counts));
    TRY(count_placed(c, 0, waiting, counts));
    return c->start[c->rounds] == c->count ? GLSHAPE_OK : is_wrong(c->g);
}

/* ---- clusters ---------------------------------------------------------------------------------- */

static glshape_status link_chains(contraction *c) {
    TRY(prim_radix(c->g, &c->radix, c->chains, c->count, 0, prim_radix_bits(c->n)));
    TRY(prim_radix(c->g, &c->radix, c->chains, c->count, 32, 40));
    return gpu_run(c->g, tree_link, .chains = &c->chains[0], .picked = &c->picked, .child = &c->child,
                   .n = c->n, .count = c->count, .groups = tree_groups(c->count));
}

/* The sizes of the clusters of one round's chains. */
static glshape_status measure_round(contraction *c, uint32_t first, uint32_t count) {
    gpu *g = c->g;
    gpu_texture *weights = &c->alive[0], *sums = &c->alive[1], *base = &c->best;
    uint32_t groups = tree_groups(count);
    if (!count) return GLSHAPE_OK;
    TRY(gpu_run(g, tree_weights, .chains = &c->chains[0], .picked = &c->picked, .child = &c->child,
                .size = &c->size, .weights = weights, .n = c->n, .first = first, .count = count,
                .groups = groups));
    TRY(prim_scan(g, &c->radix.scan, weights, count, sums, NULL, 0));
    TRY(gpu_run(g, tree_bases, .chains = &c->chains[0], .sums = sums, .base = base, .first = first,
                .count = count, .groups = groups));
    return gpu_run(g, tree_sizes, .chains = &c->chains[0], .sums = sums, .weights = weights, .base = base,
                   .size = &c->size, .first = first, .count = count, .groups = groups);
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
    X(g, tree_ties, .count = 0);      \
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

static glshape_status bring_rows(contraction *c, double *out, uint32_t *edges) {
    OWNED_BY(gpu_texture_free) gpu_texture rows = {0};
    OWNED_BY(gpu_texture_free) gpu_texture ends = {0};
    gpu *g = c->g;
    uint32_t wrong;
    gpu_texture_free(&c->items[1]);
    TRY(gpu_texture_new(g, &rows, "rows of the linkage matrix", GPU_RGBA32UI, c->count, 2));
    TRY(gpu_texture_new(g, &ends, "ends of edges", GPU_RG32UI, c->count, 1));
    TRY(fill(c, &c->counts, 0));
    TRY(gpu_run(g, tree_rows, .items = &c->items[0], .child = &c->child, .size = &c->size, .rows = &rows,
                .ends = &ends, .counts = &c->counts, .n = c->n, .count = c->count,
                .groups = tree_groups(c->count)));
    if (c->touching) threads_touched(c->touching);
    TRY(gpu_download(g, &c->counts, 0, 1, &wrong));
    if (wrong) return is_wrong(g);
    TRY(gpu_download(g, &rows, 0, c->count, out));
    if (c->kept) *c->kept = (tree_merges){MOVE(c->items[0]), MOVE(c->child), MOVE(c->size)};
    return edges ? gpu_download(g, &ends, 0, c->count, edges) : GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* The rows, of items that are there. */
static glshape_status find_rows(contraction *c, double *out, uint32_t *edges) {
    TRY(sort_items(c));
    TRY(contract_all(c));
    TRY(link_chains(c));
    for (uint32_t round = 0; round < c->rounds; round++)
        TRY(measure_round(c, c->start[round], c->start[round + 1] - c->start[round]));
    return bring_rows(c, out, edges);
}

glshape_status tree_make_heights(gpu *g, gpu_texture *edges, const tree_scale *scale, gpu_texture *keyed) {
    uint32_t factor[2];
    memcpy(factor, &scale->factor, sizeof factor);
    return gpu_run(g, tree_heights, .ROOT = scale->root, .edges = edges, .keyed = keyed,
                   .factor_low = factor[0], .factor_high = factor[1], .count = edges->elements,
                   .groups = tree_groups(edges->elements));
}

glshape_status tree_dendrogram_kept(gpu *g, tree_kept *t, const tree_scale *scale, double *out,
                                    uint32_t *edges, tree_merges *kept) {
    uint32_t n = t->edges.elements;
    OWNED_BY(contraction_free) contraction c = {.g = g, .n = n, .count = n - 1, .kept = kept};
    for (int k = 0; k < 2; k++) TRY(gpu_texture_new(g, &c.items[k], "edges of the tree", GPU_RGBA32UI, n, 1));
    TRY(contraction_new(&c));
    TRY(tree_make_heights(g, &t->edges, scale, &c.items[0]));
    c.touching = &t->touching;
    return find_rows(&c, out, edges);
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
                return fail(gpu_error(g), GLSHAPE_BAD_ARGUMENT,
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
    OWNED_BY(contraction_free) contraction c = {.g = g, .n = n, .count = n - 1, .kept = kept};
    input in = {n, i, j, height};
    if (n < 2) return GLSHAPE_OK;
    for (int k = 0; k < 2; k++) TRY(gpu_texture_new(g, &c.items[k], "edges of the tree", GPU_RGBA32UI, n, 1));
    TRY(contraction_new(&c));
    TRY(gpu_fill(g, &c.items[0], n, fill_items, &in));
    return find_rows(&c, out, edges);
}

/* ---- where ------------------------------------------------------------------------------------- */

#define BYTES 146u       /* of textures for a vertex */
#define MOST 0x7fffffffu /* vertices, as clusters have numbers */

glshape_status tree_dendrogram_place(gpu *g, uint32_t n, bool root, gpu_why *why) {
    *why = n < 2 || n > MOST ? GPU_NOT_LIMITS : GPU_FOR_PASSES;
    if (gpu_why_device(*why)) TRY(gpu_choose(g, (uint64_t)BYTES * n, why));
    if (gpu_why_device(*why) && !gpu_is_exact(g)) *why = GPU_NOT_EXACT;
    TRY(tree_trusts_heights(g, root, why));
    return tree_trusts_dendrogram(g, why);
}
