/* The spanning forest of a list of edges on the CPU, by Kruskal's algorithm. Where edges are many, the
 * lightest are taken first, some for each vertex. Most of the others then join vertices of one component, and
 * are never sorted (Osipov, Sanders, Singler, "The Filter-Kruskal minimum spanning tree algorithm", 2009). */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"
#include "base/threads.h"
#include "tree/tree.h"
#include "tree/union.h"

#define BLOCK ((size_t)1 << 14) /* edges that a thread looks at, at a time */
#define A_VERTEX 2              /* edges of the first level for each vertex, about; */
#define MORE 4                  /* ... of the next level so many times as many */
#define SAMPLE 1024u            /* edges that say which keys bound the levels */

typedef struct kruskal {
    const tree_graph *graph;
    tree_forest *f;
    uint32_t *sets;        /* union-find; before a level is listed each vertex names its root */
    uint32_t low, high;    /* the keys of a level */
    size_t blocks, *first; /* of the edges of a block among those of the level */
    radix_item *edges;
    size_t room;
    uint32_t sample[SAMPLE];
} kruskal;

static void kruskal_free(kruskal *k) {
    free(k->sets);
    free(k->first);
    free(k->edges);
}

/* ---- the edges of a level ---------------------------------------------------------------------- */

/* Returns how many edges of a block are of the level and join two components; to: where they go, or NULL. */
static size_t take_block(const kruskal *l, size_t block, radix_item *to) {
    const tree_graph *graph = l->graph;
    size_t count = 0, end = graph->count - block * BLOCK < BLOCK ? graph->count : (block + 1) * BLOCK;
    bool alone = !l->f->count; /* each vertex is a component */
    for (size_t k = block * BLOCK; k < end; k++) {
        uint32_t key = tree_edge_key(graph, k), a = graph->i[k], b = graph->j[k];
        if (key < l->low || key > l->high || (alone ? a == b : l->sets[a] == l->sets[b])) continue;
        if (to) to[count] = (radix_item){key, a < b ? a : b, a < b ? b : a};
        count++;
    }
    return count;
}

static void count_block(void *user, size_t block) {
    kruskal *l = user;
    l->first[block + 1] = take_block(l, block, NULL);
}

static void list_block(void *user, size_t block) {
    const kruskal *l = user;
    take_block(l, block, l->edges + l->first[block]);
}

static glshape_status list_level(error *err, kruskal *l, size_t *count) {
    for (uint32_t v = 0; v < l->graph->n; v++) l->sets[v] = union_find(l->sets, v);
    threads_run(0, l->blocks, count_block, l);
    for (size_t b = 0; b < l->blocks; b++) l->first[b + 1] += l->first[b];
    *count = l->first[l->blocks];
    if (!*count) return GLSHAPE_OK;
    if (*count > l->room) {
        free(MOVE(l->edges));
        TRY(allocate(err, &l->edges, *count, 2 * sizeof *l->edges, "the edges"));
        l->room = *count;
    }
    threads_run(0, l->blocks, list_block, l);
    return GLSHAPE_OK;
}

/* ---- joining ----------------------------------------------------------------------------------- */

/* Appends the edges that join two components to the forest. */
static void join(kruskal *l, size_t count) {
    tree_forest *f = l->f;
    for (size_t k = 0; k < count; k++) {
        uint32_t a = union_find(l->sets, l->edges[k].a), b = union_find(l->sets, l->edges[k].b);
        if (a == b) continue;
        l->sets[a > b ? a : b] = a > b ? b : a;
        f->i[f->count] = l->edges[k].a;
        f->j[f->count] = l->edges[k].b;
        uint32_t key = (uint32_t)l->edges[k].at;
        if (f->rank) f->rank[f->count++] = key;
        else f->weight[f->count++] = tree_weight(key, l->graph->maximum);
    }
}

static glshape_status do_level(error *err, kruskal *l) {
    size_t count;
    TRY(list_level(err, l, &count));
    if (!count) return GLSHAPE_OK;
    radix_sort_all(l->edges, l->edges + l->room, count);
    join(l, count);
    return GLSHAPE_OK;
}

/* ---- levels ------------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The keys of some edges from all over the list, ascending. */
static void take_sample(kruskal *l) {
    for (uint64_t s = 0; s < SAMPLE; s++) {
        uint64_t scattered = s * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        l->sample[s] = tree_edge_key(l->graph, (size_t)(scattered * l->graph->count >> 32));
    }
    qsort(l->sample, SAMPLE, sizeof *l->sample, by_key);
}

/* The key up to which there are so many edges, about. */
static uint32_t key_of(const kruskal *l, double edges) {
    double place = edges * SAMPLE / (double)l->graph->count;
    return place < SAMPLE - 1 ? l->sample[(uint32_t)place] : UINT32_MAX;
}

static glshape_status do_levels(error *err, kruskal *l) {
    double edges = A_VERTEX * (double)l->graph->n + SAMPLE;
    bool more = true;
    if ((double)l->graph->count > 2 * edges) take_sample(l);
    else edges = (double)l->graph->count;
    for (; more && l->f->count + 1 < l->graph->n; edges *= MORE) {
        l->high = key_of(l, edges);
        more = l->high < UINT32_MAX;
        if (l->high < l->low) continue; /* many edges have the key that ended the level before */
        TRY(do_level(err, l));
        l->low = l->high + 1;
    }
    return GLSHAPE_OK;
}

glshape_status tree_kruskal(error *err, const tree_graph *graph, tree_forest *out) {
    OWNED_BY(tree_forest_free) tree_forest f = {0};
    OWNED_BY(kruskal_free)
    kruskal l = {.graph = graph, .f = &f, .blocks = (graph->count + BLOCK - 1) / BLOCK};
    size_t most = graph->count < graph->n ? graph->count : graph->n;
    TRY(allocate(err, &l.sets, graph->n, sizeof *l.sets, "the components"));
    TRY(allocate(err, &l.first, l.blocks + 1, sizeof *l.first, "the edges"));
    TRY(allocate(err, &f.i, most, sizeof *f.i, "the forest"));
    TRY(allocate(err, &f.j, most, sizeof *f.j, "the forest"));
    if (graph->weight) TRY(allocate(err, &f.weight, most, sizeof *f.weight, "the forest"));
    else TRY(allocate(err, &f.rank, most, sizeof *f.rank, "the forest"));
    for (uint32_t v = 0; v < graph->n; v++) l.sets[v] = v;
    TRY(do_levels(err, &l));
    f.components = graph->n - f.count;
    *out = MOVE(f);
    return GLSHAPE_OK;
}
