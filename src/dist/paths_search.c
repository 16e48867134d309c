#include "dist/paths_search.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"

#define UNSEEN UINT32_MAX

glshape_status paths_scratch_new(error *err, const glshape_graph *g, paths_scratch *out) {
    *out = (paths_scratch){.queue = NULL};
    TRY(allocate(err, &out->queue, g->nodes, sizeof *out->queue, "the search for paths"));
    TRY(allocate(err, &out->row, g->nodes, sizeof *out->row, "the search for paths"));
    if (!g->weight) return GLSHAPE_OK;
    TRY(allocate(err, &out->place, g->nodes, sizeof *out->place, "the search for paths"));
    return allocate(err, &out->distance, g->nodes, sizeof *out->distance, "the search for paths");
}

void paths_scratch_free(paths_scratch *s) {
    free(s->queue);
    free(s->place);
    free(s->distance);
    free(s->row);
    *s = (paths_scratch){.queue = NULL};
}

/* ---- lengths of 1 ----------------------------------------------------------------------------------- */

static void search_breadth_first(const glshape_graph *g, uint32_t *queue, const uint32_t *sources,
                                 size_t count, float *row) {
    size_t end = 0;
    for (size_t v = 0; v < g->nodes; v++) row[v] = INFINITY;
    for (size_t k = 0; k < count; k++) {
        if (row[sources[k]] == 0) continue;
        row[sources[k]] = 0;
        queue[end++] = sources[k];
    }
    uint64_t level = 0;
    for (size_t at = 0, last = end; at < end; last = end) {
        float next = (float)++level;
        for (; at < last; at++)
            for (size_t k = g->start[queue[at]]; k < g->start[queue[at] + (size_t)1]; k++) {
                if (row[g->to[k]] != INFINITY) continue;
                row[g->to[k]] = next;
                queue[end++] = g->to[k];
            }
    }
}

/* ---- other lengths ----------------------------------------------------------------------------- */

/* A binary heap: the node at i is no farther than those at 2 i + 1 and 2 i + 2. */

typedef struct heap {
    uint32_t *node, *place;
    double *distance;
    size_t count;
} heap;

static void put_node(heap *h, size_t i, uint32_t node) {
    h->node[i] = node;
    h->place[node] = (uint32_t)i;
}

/* Puts node at the free place i, or above it where its ancestors are farther. */
static void rise(heap *h, size_t i, uint32_t node) {
    for (; i && h->distance[h->node[(i - 1) / 2]] > h->distance[node]; i = (i - 1) / 2)
        put_node(h, i, h->node[(i - 1) / 2]);
    put_node(h, i, node);
}

/* Puts node at the free place 0, or below it where descendants are nearer. */
static void sink(heap *h, uint32_t node) {
    size_t i = 0;
    for (size_t child = 1; child < h->count; child = 2 * i + 1) {
        if (child + 1 < h->count && h->distance[h->node[child + 1]] < h->distance[h->node[child]]) child++;
        if (h->distance[h->node[child]] >= h->distance[node]) break;
        put_node(h, i, h->node[child]);
        i = child;
    }
    put_node(h, i, node);
}

static uint32_t take_nearest(heap *h) {
    uint32_t nearest = h->node[0], last = h->node[--h->count];
    if (h->count) sink(h, last);
    return nearest;
}

/* Lowers the distance of node, if the new one is less. A node that was taken out needs no mark: later
 * distances are no less than its own. */
static void relax(heap *h, uint32_t node, double distance) {
    if (!(distance < h->distance[node])) return;
    h->distance[node] = distance;
    size_t i = h->place[node] == UNSEEN ? h->count++ : h->place[node];
    rise(h, i, node);
}

static void search_weighted(const glshape_graph *g, paths_scratch *s, const uint32_t *sources, size_t count,
                            float *row) {
    heap h = {.node = s->queue, .place = s->place, .distance = s->distance};
    for (size_t v = 0; v < g->nodes; v++) h.distance[v] = INFINITY, h.place[v] = UNSEEN;
    for (size_t k = 0; k < count; k++) relax(&h, sources[k], 0);
    while (h.count) {
        uint32_t u = take_nearest(&h);
        for (size_t k = g->start[u]; k < g->start[u + (size_t)1]; k++)
            relax(&h, g->to[k], h.distance[u] + (double)g->weight[k]);
    }
    for (size_t v = 0; v < g->nodes; v++) row[v] = (float)h.distance[v];
}

void paths_search(const glshape_graph *g, paths_scratch *s, const uint32_t *sources, size_t count,
                  float *row) {
    if (g->weight) search_weighted(g, s, sources, count, row);
    else search_breadth_first(g, s->queue, sources, count, row);
}

/* ---- threads ------------------------------------------------------------------------------------ */

typedef struct items {
    paths_scratch *scratch; /* one a thread */
    paths_work work;
    void *user;
} items;

static bool run_item(void *user, uint64_t k, int thread) {
    const items *run = user;
    run->work(run->user, (size_t)k, &run->scratch[thread]);
    return true;
}

void paths_run(paths_scratch *scratch, int threads, size_t count, paths_work work, void *user) {
    threads_share(threads, count, run_item, &(items){scratch, work, user});
}
