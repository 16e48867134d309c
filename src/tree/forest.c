/* Spanning forests of a list of edges, of a dense matrix and of lists of neighbors: how each round finds its
 * candidates. */
#include <math.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "place/place.h"
#include "prim/passes.h"
#include "prim/prim.h"
#include "tree/passes.h"
#include "tree/tree.h"

#define SOME 16384u /* edges that a thread takes, or that are sent, at a time */

/* Each round at least halves the number of components: progress goes with its logarithm. */
static glshape_status report_progress(run *r, const tree_boruvka *b) {
    return run_tick(r, b->n > 1 ? 1 - log((double)b->components) / log((double)b->n) : 1);
}

/* ---- what a graph is --------------------------------------------------------------------------- */

typedef bool (*edge_test)(const tree_graph *graph, size_t k);

static bool is_loop(const tree_graph *graph, size_t k) { return graph->i[k] == graph->j[k]; }

static bool is_wrong(const tree_graph *graph, size_t k) {
    return graph->i[k] >= graph->n || graph->j[k] >= graph->n ||
           (graph->weight ? isnan(graph->weight[k]) : graph->rank[k] == TREE_NONE);
}

typedef struct seeking {
    const tree_graph *graph;
    edge_test test;
    atomic_size_t first;
} seeking;

static bool seek_some(void *user, uint64_t item, int thread) {
    seeking *s = user;
    size_t k = (size_t)item * SOME, end = s->graph->count - k < SOME ? s->graph->count : k + SOME;
    (void)thread;
    while (k < end && !s->test(s->graph, k)) k++;
    if (k == end) return true;
    for (size_t was = s->first; k < was && !atomic_compare_exchange_weak(&s->first, &was, k);) continue;
    return false;
}

/* The first edge that passes the test; graph->count: none does. Blocks are begun in order, so the one that
 * has it is never left out. */
static size_t first_edge(const tree_graph *graph, edge_test test) {
    seeking s = {.graph = graph, .test = test, .first = graph->count};
    threads_share(0, (graph->count + SOME - 1) / SOME, seek_some, &s);
    return s.first;
}

/* ---- edges ------------------------------------------------------------------------------------- */

typedef struct edge_list {
    gpu_texture edges; /* RGBA32UI: (i, j, key, 0); `count` of them join two components */
    gpu_texture spare; /* where the next round's are gathered */
    gpu_texture alive, kept, kept_count;
    prim_scratch scratch;
    uint32_t count;
} edge_list;

static void edge_list_free(edge_list *l) {
    gpu_texture *const all[] = {&l->edges, &l->spare, &l->alive, &l->kept, &l->kept_count};
    for (int i = 0; i < 5; i++) gpu_texture_free(all[i]);
    prim_scratch_free(&l->scratch);
}

/* Edges on their way to the device: those of places `first` … of a graph. */
typedef struct sending {
    const tree_graph *graph;
    uint32_t first, count;
    uint32_t (*to)[4];
} sending;

static void send_some(void *user, size_t item) {
    const sending *s = user;
    uint32_t begin = (uint32_t)item * SOME, end = s->count - begin < SOME ? s->count : begin + SOME;
    for (uint32_t k = begin; k < end; k++) {
        s->to[k][0] = s->graph->i[s->first + k];
        s->to[k][1] = s->graph->j[s->first + k];
        s->to[k][2] = tree_edge_key(s->graph, s->first + k);
        s->to[k][3] = 0;
    }
}

static glshape_status fill_edges(gpu *g, void *user, uint32_t first, uint32_t count, void *memory) {
    sending s = {user, first, count, memory};
    (void)g;
    threads_run(0, (count + SOME - 1) / SOME, send_some, &s);
    return GLSHAPE_OK;
}

/* Without the edges from a node to itself. */
static glshape_status upload_others(gpu *g, const tree_graph *graph, edge_list *l) {
    OWNED uint32_t(*staging)[4] = NULL;
    uint32_t filled = 0;
    TRY(allocate(run_error(run_of(g)), &staging, SOME, sizeof *staging, "staging of edges"));
    for (size_t k = 0; k < graph->count; k++) {
        if (graph->i[k] == graph->j[k]) continue;
        staging[filled][0] = graph->i[k];
        staging[filled][1] = graph->j[k];
        staging[filled][2] = tree_edge_key(graph, k);
        if (++filled < SOME) continue;
        TRY(gpu_upload(g, &l->edges, l->count, filled, staging));
        l->count += filled;
        filled = 0;
    }
    if (filled) TRY(gpu_upload(g, &l->edges, l->count, filled, staging));
    l->count += filled;
    return GLSHAPE_OK;
}

static glshape_status edge_list_new(gpu *g, const tree_graph *graph, edge_list *l) {
    uint32_t count = (uint32_t)graph->count;
    TRY(gpu_texture_new(g, &l->edges, "the edges", GPU_RGBA32UI, count, 1));
    TRY(gpu_texture_new(g, &l->alive, "flags of edges", GPU_R32UI, count, 1));
    TRY(gpu_texture_new(g, &l->kept, "edges kept", GPU_R32UI, count, 1));
    TRY(gpu_texture_new(g, &l->kept_count, "number of edges kept", GPU_R32UI, 1, 1));
    if (!count || first_edge(graph, is_loop) < count) return upload_others(g, graph, l);
    l->count = count;
    return gpu_fill(g, &l->edges, count, fill_edges, (void *)(uintptr_t)graph);
}

/* Drops the edges that join two vertices of one component. */
static glshape_status drop_inner(gpu *g, tree_boruvka *b, edge_list *l) {
    TRY(gpu_run(g, tree_alive, .edges = &l->edges, .label = &b->label, .alive = &l->alive,
                .elements = l->count));
    TRY(prim_compact(g, &l->scratch, &l->alive, NULL, l->count, &l->kept, &l->kept_count, 0));
    TRY(gpu_download(g, &l->kept_count, 0, 1, &l->count));
    if (!l->count) return GLSHAPE_OK;
    if (!l->spare.id) TRY(gpu_texture_new(g, &l->spare, "the edges kept", GPU_RGBA32UI, l->count, 1));
    TRY(gpu_run(g, tree_gather, .edges = &l->edges, .kept = &l->kept, .gathered = &l->spare,
                .elements = l->count));
    gpu_texture_swap(&l->edges, &l->spare);
    return GLSHAPE_OK;
}

static glshape_status find_candidates(gpu *g, tree_boruvka *b, edge_list *l) {
    gpu_texture *const stale[] = {&b->key, &b->to};
    for (int i = 0; i < 2; i++)
        TRY(gpu_run(g, prim_fill, .filled = stale[i], .value = TREE_NONE, .elements = b->n));
    TRY(gpu_run(g, tree_nearest_key, .edges = &l->edges, .key = &b->key, .count = l->count,
                .groups = tree_groups(l->count)));
    return gpu_run(g, tree_nearest_to, .edges = &l->edges, .key = &b->key, .to = &b->to, .count = l->count,
                   .groups = tree_groups(l->count));
}

glshape_status tree_forest_by_passes(gpu *g, const tree_graph *graph, tree_forest *out) {
    OWNED_BY(tree_boruvka_free) tree_boruvka b = {0};
    OWNED_BY(edge_list_free) edge_list l = {0};
    TRY(edge_list_new(g, graph, &l));
    TRY(tree_boruvka_new(g, graph->n, &b));
    for (bool merged = true; merged && l.count;) {
        TRY(find_candidates(g, &b, &l));
        TRY(tree_boruvka_merge(g, &b, &merged));
        TRY(drop_inner(g, &b, &l));
        TRY(report_progress(run_of(g), &b));
    }
    return tree_boruvka_read(g, &b, !graph->weight, graph->maximum, out);
}

/* ---- either ------------------------------------------------------------------------------------ */

/* Of textures. */
#define EDGE_BYTES 44
#define VERTEX_BYTES 28

static glshape_status choose_place(gpu *g, const tree_graph *graph, run_why *why) {
    size_t most = graph->count > graph->n ? graph->count : graph->n;
    uint64_t bytes = (uint64_t)EDGE_BYTES * graph->count + (uint64_t)VERTEX_BYTES * graph->n;
    TRY(place_choose(g, PLACE_FOREST, (double)most, true, bytes, why));
    return tree_trusts_edges(g, why);
}

static glshape_status check_graph(error *err, const tree_graph *graph) {
    if (graph->count >= TREE_NONE || (graph->maximum && !graph->weight))
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a graph of %zu edges%s has no spanning forest here",
                    graph->count, graph->maximum ? ", greatest first" : "");
    size_t k = first_edge(graph, is_wrong);
    if (k == graph->count) return GLSHAPE_OK;
    if (graph->i[k] >= graph->n || graph->j[k] >= graph->n)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "edge %zu joins vertices %u and %u of %u, counted from 0", k,
                    graph->i[k], graph->j[k], graph->n);
    return fail(err, GLSHAPE_BAD_ARGUMENT, "edge %zu, from %u to %u, has no weight: it is %s", k, graph->i[k],
                graph->j[k], graph->weight ? "NaN" : "2^32-1");
}

glshape_status tree_mst(gpu *g, const tree_graph *graph, tree_forest *out) {
    run_why why;
    *out = (tree_forest){0};
    TRY(check_graph(run_error(run_of(g)), graph));
    TRY(choose_place(g, graph, &why));
    OWNED_BY(run_end_within) run_within stage = run_begin_within(run_of(g), "forest", why);
    return run_why_device(why) ? tree_forest_by_passes(g, graph, out)
                               : tree_kruskal(run_error(run_of(g)), graph, out);
}

/* ---- a dense matrix ---------------------------------------------------------------------------- */

glshape_status tree_mst_dense(gpu *g, gpu_texture *matrix, uint32_t n, bool maximum, tree_forest *out) {
    *out = (tree_forest){0};
    bool packed = matrix->format == GPU_RGBA32F;
    if (packed ? matrix->elements < n || matrix->texels < (n + 3) / 4
               : matrix->format != GPU_R32F || matrix->elements < (uint64_t)n * n)
        return fail(run_error(run_of(g)), GLSHAPE_BAD_ARGUMENT,
                    "tree_mst_dense: %s holds no matrix of %u points", matrix->label, n);
    OWNED_BY(tree_boruvka_free) tree_boruvka b = {0};
    TRY(tree_boruvka_new(g, n, &b));
    for (bool merged = true; merged && b.components > 1;) {
        TRY(gpu_run(g, tree_dense, .PACKED = packed, .matrix = matrix, .label = &b.label, .key = &b.key,
                    .to = &b.to, .n = n, .maximum = maximum, .groups = n));
        TRY(tree_boruvka_merge(g, &b, &merged));
        TRY(report_progress(run_of(g), &b));
    }
    return tree_boruvka_read(g, &b, false, maximum, out);
}

/* ---- lists of neighbors ------------------------------------------------------------------------ */

glshape_status tree_mst_lists(gpu *g, const tree_neighbors *lists, uint32_t n, tree_forest *out) {
    OWNED_BY(tree_boruvka_free) tree_boruvka b = {0};
    *out = (tree_forest){0};
    TRY(tree_boruvka_new(g, n, &b));
    for (bool merged = true; merged && b.components > 1;) {
        TRY(gpu_run(g, tree_of_lists, .starts = lists->start, .neighbors = lists->neighbor,
                    .lengths = lists->length, .label = &b.label, .key = &b.key, .to = &b.to, .n = n,
                    .groups = n));
        TRY(tree_boruvka_merge(g, &b, &merged));
        TRY(report_progress(run_of(g), &b));
    }
    return tree_boruvka_read(g, &b, false, false, out);
}
