/* Fields of two dimensions on the CPU: both trees at once. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cubical/joins.h"
#include "cubical/run.h"
#include "mergetree/flat.h"

#define BLOCK ((size_t)1 << 16) /* edges that a thread takes at a time */

/* The elder rule over the minima, or over the maxima: there the saddles come in reversed order, and the
 * outside is older than all. */
typedef struct elders {
    const order *order;
    flat_graph graph;
    bool high;
    uint64_t *birth; /* what comes first is the elder */
    joins_edge *edges;
    uint32_t *ended;
    uint32_t *ends;    /* of each edge: the component that it ends, + 1; 0: none */
    size_t *start;     /* of each block of edges: the place of its first pair */
    radix_item *pairs; /* as cubical_run has them. Of minima: by vertex; of maxima: by birth */
    size_t count;
} elders;

static void elders_free(elders *e) {
    flat_graph_free(&e->graph);
    free(e->birth);
    free(e->edges);
    free(e->ended);
    free(e->ends);
    free(e->start);
    free(e->pairs);
}

static const radix_item *edge_at(const elders *e, size_t place) {
    return &e->graph.edges[e->high ? e->graph.edge_count - 1 - place : place];
}

/* The parts of the outside come last, and are older than all. */
static void list_births(void *user, size_t first, size_t end) {
    const elders *e = user;
    for (size_t m = first; m < end; m++) {
        uint32_t v = e->graph.extremum[m];
        uint64_t at = v == GLSHAPE_NO_VERTEX ? UINT64_MAX - (m + 1 < e->graph.count) : order_of(e->order, v);
        e->birth[m] = e->high ? ~at : at;
    }
}

static void list_joins(void *user, size_t first, size_t end) {
    const elders *e = user;
    for (size_t k = first; k < end; k++) {
        const radix_item *edge = edge_at(e, k);
        e->edges[k] = (joins_edge){{edge->a, edge->b}, (uint32_t)k};
    }
}

/* A minimum, and the saddle where its component ends. */
static void pair_minima(void *user, size_t first, size_t end) {
    const elders *e = user;
    for (size_t m = first; m < end; m++) {
        uint64_t death = e->ended[m] == JOINS_NEVER ? UINT64_MAX : edge_at(e, e->ended[m])->at;
        e->pairs[m] = (radix_item){e->birth[m], (uint32_t)(death >> 32), (uint32_t)death};
    }
}

static void mark_ends(void *user, size_t first, size_t end) {
    const elders *e = user;
    for (size_t m = first; m < end; m++)
        if (e->ended[m] != JOINS_NEVER)
            e->ends[e->graph.edge_count - 1 - e->ended[m]] = (uint32_t)m + 1; /* edges ascend */
}

static size_t edges_end(const elders *e, size_t block) {
    size_t count = e->graph.edge_count;
    return count - block * BLOCK < BLOCK ? count : (block + 1) * BLOCK;
}

static void count_ends(void *user, size_t block) {
    const elders *e = user;
    size_t count = 0;
    for (size_t k = block * BLOCK; k < edges_end(e, block); k++) count += e->ends[k] > 0;
    e->start[block + 1] = count;
}

/* A saddle, where a loop begins, and the maximum that ends it. */
static void pair_maxima(void *user, size_t block) {
    const elders *e = user;
    radix_item *to = e->pairs + e->start[block];
    for (size_t k = block * BLOCK; k < edges_end(e, block); k++) {
        if (!e->ends[k]) continue;
        uint32_t v = e->graph.extremum[e->ends[k] - 1];
        uint64_t death = v == GLSHAPE_NO_VERTEX ? UINT64_MAX : ~e->birth[e->ends[k] - 1];
        *to++ = (radix_item){e->graph.edges[k].at, (uint32_t)(death >> 32), (uint32_t)death};
    }
}

static glshape_status pair_high(error *err, elders *e) {
    size_t blocks = (e->graph.edge_count + BLOCK - 1) / BLOCK;
    TRY(allocate(err, &e->ends, e->graph.edge_count, sizeof *e->ends, "the components"));
    TRY(allocate(err, &e->start, blocks + 1, sizeof *e->start, "the components"));
    threads_ranges(e->graph.count, mark_ends, e);
    threads_run(0, blocks, count_ends, e);
    for (size_t k = 0; k < blocks; k++) e->start[k + 1] += e->start[k];
    threads_run(0, blocks, pair_maxima, e);
    e->count = e->start[blocks];
    return GLSHAPE_OK;
}

static glshape_status apply_elder_rule(error *err, elders *e) {
    uint32_t count = e->graph.count;
    size_t edges = e->graph.edge_count;
    TRY(allocate(err, &e->birth, count, sizeof *e->birth, "the components"));
    TRY(allocate(err, &e->ended, count, sizeof *e->ended, "the components"));
    TRY(allocate(err, &e->edges, edges, sizeof *e->edges, "the edges between components"));
    TRY(allocate(err, &e->pairs, count, sizeof *e->pairs, "the components"));
    threads_ranges(count, list_births, e);
    threads_ranges(edges, list_joins, e);
    TRY(joins_end(err, e->birth, count, e->edges, edges, joins_in_rounds(edges), e->ended));
    if (e->high) return pair_high(err, e);
    threads_ranges(count, pair_minima, e);
    e->count = count;
    return GLSHAPE_OK;
}

/* Adds the pairs of dimension 1 and, where there is no outside, the class of the whole. */
static glshape_status add_high(cubical_run *run, elders *e) {
    uint32_t oldest = 0;
    for (uint32_t m = 1; m < e->graph.count; m++)
        if (e->birth[m] < e->birth[oldest]) oldest = m;
    uint32_t root = e->graph.extremum[oldest];
    TRY(cubical_add_pairs(run, 1, MOVE(e->pairs), 0, e->count));
    return root == GLSHAPE_NO_VERTEX ? GLSHAPE_OK : cubical_add_pair(run, 2, root, GLSHAPE_NO_VERTEX);
}

static void both_free(elders (*both)[2]) {
    for (int i = 0; i < 2; i++) elders_free(&(*both)[i]);
}

glshape_status cubical_add_flat(cubical_run *run, bool low, bool high) {
    OWNED_BY(both_free) elders both[2] = {{.order = &run->order}, {.order = &run->order, .high = true}};
    bool wanted[2] = {low, high};
    grid d = run->grid;
    d.hood = run->o.construction == GLSHAPE_CUBICAL_VERTICES ? 6 : 26;
    TRY(flat_find(err_of(run), &run->order, &d, low ? &both[0].graph : NULL, high ? &both[1].graph : NULL));
    for (int i = 0; i < 2; i++)
        if (wanted[i]) TRY(apply_elder_rule(err_of(run), &both[i]));
    gpu_fact(run->g, (double)(both[0].graph.edge_count + both[1].graph.edge_count), "edges between basins");
    if (low) TRY(cubical_add_pairs(run, 0, MOVE(both[0].pairs), 0, both[0].count));
    return high ? add_high(run, &both[1]) : GLSHAPE_OK;
}
