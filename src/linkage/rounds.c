/* Borůvka's rounds over lists of nearest neighbors.
 *
 * Edges are ordered by (sum, lo, hi). The edges of one point are thereby ordered by (sum, other end), as its
 * list is. The first point of the list that lies in another component gives the point's least edge out. If
 * the list holds no such point, no edge out of the point is less than what stands last in the list: that edge
 * is the point's bound. A component's least known edge is certified if no bound of its points is less: then
 * no edge out of the component is less.
 *
 * A round joins the components whose edge is certified. When these become few, points are searched across
 * components: those whose bound is less than their component's least known edge, in every component but the
 * one that has the most of them. A search finds the point's least edge out. When the other end has joined the
 * component, that edge becomes the point's bound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "linkage/linkage.h"
#include "tree/tree.h"
#include "tree/union.h"

#define BLOCK 16384u /* points that a thread takes at a time */
#define FEW 4u       /* search if fewer than one in so many components are certified */
#define MANY 2u      /* more than one in so many points are searched as all are */
#define LEAST_BLOCKS \
    6u /* of each rank then; each takes an offset between a third and a half of all blocks first */

typedef struct edge {
    double sum;
    uint32_t lo, hi;
} edge;

typedef struct rounds {
    gpu *g;
    knn_points *p;
    const tree_lists *lists;
    uint32_t n, components;
    uint32_t *parent, *label;
    uint32_t
        *far; /* of each point: the component at the other end of its edge out; TREE_NONE: none is known */
    uint16_t *cursor; /* of each point, its first neighbor that may be in another component */
    uint32_t *found;  /* other end of the edge that a search found; TREE_NONE: not searched yet */
    double *found_sum;
    edge *best, *bound;  /* of component v */
    uint32_t *uncertain; /* points of component v whose bound prevents certification */
    uint8_t *doubtful;   /* of each point: its bound prevents it */
    uint8_t *searched;   /* of component v: its best edge was found by a search */
    uint8_t *sure;       /* whether component v's best edge is certified */
    size_t edges[2];     /* taken: certified by the lists, found by searching */
    size_t queries, scanned;
    uint32_t rounds, parts; /* rounds done; parts of the components */
    linkage_tree *tree;
    double *seconds;
} rounds;

static const edge nothing = {INFINITY, TREE_NONE, TREE_NONE};

static edge make_edge(double sum, uint32_t v, uint32_t u) {
    return v < u ? (edge){sum, v, u} : (edge){sum, u, v};
}

static bool less(const edge *a, const edge *b) {
    if (a->sum != b->sum) return a->sum < b->sum;
    return a->lo != b->lo ? a->lo < b->lo : a->hi < b->hi;
}

/* ---- candidates -------------------------------------------------------------------------------- */

/* Makes e the best edge of component c if it is less than the one that c has. */
static void offer(rounds *s, const edge *e, bool searched, uint32_t c) {
    if (less(e, &s->best[c])) s->best[c] = *e, s->searched[c] = searched;
}

/* No edge out of v that is not known comes before this one. */
static edge bound_of(const rounds *s, uint32_t v) {
    size_t last = (size_t)v * s->lists->k + s->lists->k - 1;
    return s->found[v] != TREE_NONE ? make_edge(s->found_sum[v], v, s->found[v])
                                    : make_edge(s->lists->sum[last], v, s->lists->index[last]);
}

static uint32_t listed(const rounds *s, uint32_t v) {
    return s->lists->listed ? s->lists->listed[v] : s->lists->k;
}

static uint32_t block_end(const rounds *s, size_t block) {
    return s->n - block * BLOCK < BLOCK ? s->n : (uint32_t)(block + 1) * BLOCK;
}

/* Parents stay as they are while threads read them. */
static void label_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) {
        uint32_t root = v;
        while (s->parent[root] != root) root = s->parent[root];
        s->label[v] = root;
        s->best[v] = s->bound[v] = nothing;
    }
}

/* Finds the least known edge out of each point. */
static void candidate_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) {
        const uint32_t *list = s->lists->index + (size_t)v * s->lists->k, own = s->label[v];
        uint32_t count = listed(s, v), at = s->cursor[v], to = s->found[v];
        while (at < count && s->label[list[at]] == own) at++;
        s->cursor[v] = (uint16_t)at;
        s->parent[v] = own;
        if (at < count) to = list[at];
        s->far[v] = to == TREE_NONE || s->label[to] == own ? TREE_NONE : s->label[to];
    }
}

/* Offers v's least edge out to the components that it joins, if they are of [first, end). If none is known,
 * lowers the component's bound to v's. */
static void offer_edge(rounds *s, uint32_t v, uint32_t first, uint32_t end) {
    uint32_t at = s->cursor[v], own = s->label[v], far = s->far[v];
    size_t entry = (size_t)v * s->lists->k + at;
    bool in_list = at < listed(s, v), here = own >= first && own < end;
    edge e = in_list ? make_edge(s->lists->sum[entry], v, s->lists->index[entry]) : bound_of(s, v);
    if (far == TREE_NONE && here && less(&e, &s->bound[own])) s->bound[own] = e;
    if (far != TREE_NONE && here) offer(s, &e, !in_list, own);
    if (far != TREE_NONE && far >= first && far < end) offer(s, &e, !in_list, far);
}

/* The components of a part are one thread's, which sees their points in order. */
static void offer_part(void *user, size_t part) {
    rounds *s = user;
    uint32_t first = (uint32_t)((uint64_t)s->n * part / s->parts),
             end = (uint32_t)((uint64_t)s->n * (part + 1) / s->parts);
    for (uint32_t v = 0; v < s->n; v++)
        if (s->label[v] - first < end - first || s->far[v] - first < end - first)
            offer_edge(s, v, first, end);
}

static void find_candidates(rounds *s) {
    size_t blocks = (s->n + BLOCK - 1) / BLOCK;
    s->parts = s->n < BLOCK ? 1 : (uint32_t)threads_count(0);
    threads_run(0, blocks, label_block, s);
    threads_run(0, blocks, candidate_block, s);
    threads_run(0, s->parts, offer_part, s);
}

static void certify_components(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t c = (uint32_t)block * BLOCK; c < block_end(s, block); c++)
        s->sure[c] = s->label[c] == c && s->best[c].lo != TREE_NONE && !less(&s->bound[c], &s->best[c]);
}

/* Fills sure. Returns how many components are. */
static uint32_t count_certified(rounds *s) {
    uint32_t sure = 0;
    threads_run(0, (s->n + BLOCK - 1) / BLOCK, certify_components, s);
    for (uint32_t c = 0; c < s->n; c++) sure += s->sure[c];
    return sure;
}

/* Takes component c's best edge into the tree. */
static void take_edge(rounds *s, uint32_t c) {
    const edge *e = &s->best[c];
    uint32_t a = union_find(s->parent, e->lo), b = union_find(s->parent, e->hi), k = s->tree->count;
    if (a == b) return; /* both ends chose it */
    s->parent[b] = a;
    s->components--;
    s->tree->i[k] = e->lo;
    s->tree->j[k] = e->hi;
    s->tree->height[k] = e->sum;
    s->tree->count++;
    s->edges[s->searched[c]]++;
}

/* ---- searching --------------------------------------------------------------------------------- */

/* Returns true if an edge out of v that is not known may be less than its component's best. */
static bool prevents_certificate(const rounds *s, uint32_t v) {
    edge e = bound_of(s, v);
    return s->far[v] == TREE_NONE && less(&e, &s->best[s->label[v]]);
}

static void doubt_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) {
        s->doubtful[v] = prevents_certificate(s, v);
        s->uncertain[v] = 0;
    }
}

/* Fills queries, which has room for n, with the points to search. Returns how many these are. */
static uint32_t choose_queries(rounds *s, knn_query *queries) {
    uint32_t most = 0, count = 0;
    threads_run(0, (s->n + BLOCK - 1) / BLOCK, doubt_block, s);
    for (uint32_t v = 0; v < s->n; v++)
        if (s->doubtful[v]) s->uncertain[s->label[v]]++;
    for (uint32_t v = 1; v < s->n; v++)
        if (s->uncertain[v] > s->uncertain[most]) most = v;
    for (uint32_t v = 0; v < s->n; v++)
        if (s->doubtful[v] && s->label[v] != most) queries[count++] = (knn_query){v, s->label[v]};
    return count;
}

/* The search for the least edge out of each query. */
static knn_task task_of(const rounds *s, const knn_query *queries, uint32_t count) {
    return (knn_task){
        .count = count, .queries = queries, .label = s->label, .cores = s->lists->cores, .k = 1};
}

/* Searches all points for those of other components, and decides for the queries, which are all of this
 * rank's share of the points. */
static glshape_status search_all(rounds *s, knn_search *f, const knn_query *queries, uint32_t count,
                                 uint32_t *to, double *sum) {
    OWNED knn_candidate *candidates = NULL;
    uint64_t first, end;
    knn_task task = task_of(s, queries, count);
    task.keep = f->keep;
    ranks_share(gpu_ranks(s->g), s->n, KNN_TILE, &first, &end);
    TRY(allocate(gpu_error(s->g), &candidates, end - first, f->keep * sizeof *candidates, "candidates"));
    TRY(knn_search_across(s->g, f, s->p, s->label, NULL));
    TRY(knn_search_rows(s->g, f, s->p, (uint32_t)first, (uint32_t)(end - first)));
    TRY(knn_take(s->g, f, (uint32_t)first, (uint32_t)(end - first), candidates));
    for (size_t q = 0; q < count; q++) /* queries are in order */
        memmove(candidates + q * f->keep, candidates + (queries[q].point - first) * f->keep,
                f->keep * sizeof *candidates);
    task.candidates = candidates;
    return knn_decide(s->g, s->p, f, &task, to, sum, &s->scanned, NULL);
}

/* Runs the queries on the GPU. to, sum: room for count results. all: the ranks search all points, if these
 * have room. */
static glshape_status search_on_gpu(rounds *s, bool all, const knn_query *queries, uint32_t count,
                                    uint32_t *to, double *sum) {
    OWNED_BY(knn_search_free) knn_search f = {0};
    OWNED knn_candidate *candidates = NULL;
    TRY(knn_search_new(s->g, s->p, 1, !all, &f));
    if (f.both) return search_all(s, &f, queries, count, to, sum);
    if (!count) return GLSHAPE_OK;
    uint32_t room = f.rows < count ? f.rows : count;
    TRY(allocate(gpu_error(s->g), &candidates, room, f.keep * sizeof *candidates, "candidates"));
    TRY(knn_search_across(s->g, &f, s->p, s->label, s->lists->cores));
    for (uint32_t first = 0; first < count; first += room) {
        knn_task task = task_of(s, queries + first, count - first < room ? count - first : room);
        task.keep = f.keep;
        task.candidates = candidates;
        TRY(knn_search_queries(s->g, &f, s->p, task.queries, task.count, candidates));
        TRY(knn_decide(s->g, s->p, &f, &task, to + first, sum + first, &s->scanned, NULL));
    }
    return GLSHAPE_OK;
}

/* Whether so many queries are not better done by the processor. */
static bool is_for_gpu(const rounds *s, uint32_t count) {
    return (double)count * s->n * (double)s->p->m->cols >= knn_few_values() && norm_is_whole(&s->p->norm);
}

/* Finds the least edge out of each query: its other end and its sum. */
static glshape_status find_edges(rounds *s, bool all, const knn_query *queries, uint32_t count, uint32_t *to,
                                 double *sum) {
    knn_task task = task_of(s, queries, count);
    if (!all && !count) return GLSHAPE_OK;
    if (!all && !is_for_gpu(s, count)) return knn_certify(gpu_error(s->g), s->p, &task, to, sum, &s->scanned);
    return search_on_gpu(s, all, queries, count, to, sum);
}

/* Of `count` queries, how many are of points before this one. */
static uint32_t queries_before(const knn_query *queries, uint32_t count, uint64_t point) {
    uint32_t least = 0;
    for (uint32_t most = count; least < most;) {
        uint32_t middle = least + (most - least) / 2;
        if (queries[middle].point < point) least = middle + 1;
        else most = middle;
    }
    return least;
}

/* Chooses whether ranks search all points together. first: of each rank, its first query, which is one of its
 * share of the points then. */
static glshape_status share_queries(rounds *s, const knn_query *queries, uint32_t count, bool *all,
                                    uint64_t *first) {
    const ranks *r = gpu_ranks(s->g);
    *all = count > s->n / MANY && !s->lists->cores && is_for_gpu(s, count / (uint32_t)r->size) &&
           s->n > LEAST_BLOCKS * KNN_TILE * (uint32_t)r->size;
    TRY(ranks_broadcast(r, gpu_error(s->g), all, sizeof *all));
    for (int q = 0; q <= r->size; q++)
        first[q] = *all ? queries_before(queries, count, ranks_first(r, s->n, KNN_TILE, q))
                        : ranks_first(r, count, KNN_TILE, q);
    return GLSHAPE_OK;
}

/* Searches the points that prevent certificates: each rank its share of them. */
static glshape_status search_points(rounds *s) {
    OWNED knn_query *queries = NULL;
    OWNED uint32_t *to = NULL;
    OWNED double *sum = NULL;
    OWNED uint64_t *first = NULL;
    const ranks *r = gpu_ranks(s->g);
    error *err = gpu_error(s->g);
    double start = wall_seconds();
    bool all;
    TRY(allocate(err, &queries, s->n, sizeof *queries, "points to search"));
    uint32_t count = choose_queries(s, queries);
    TRY(allocate(err, &to, count, sizeof *to, "what a search found"));
    TRY(allocate(err, &sum, count, sizeof *sum, "what a search found"));
    TRY(allocate(err, &first, (size_t)r->size + 1, sizeof *first, "the shares of ranks"));
    TRY(share_queries(s, queries, count, &all, first));
    uint64_t own = first[r->rank];
    TRY(find_edges(s, all, queries + own, (uint32_t)(first[r->rank + 1] - own), to + own, sum + own));
    TRY(ranks_gather_parts(r, err, to, sizeof *to, first));
    TRY(ranks_gather_parts(r, err, sum, sizeof *sum, first));
    for (uint32_t q = 0; q < count; q++) {
        s->found[queries[q].point] = to[q];
        s->found_sum[queries[q].point] = sum[q];
    }
    s->queries += count;
    *s->seconds += wall_seconds() - start;
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static glshape_status allocate_rounds(rounds *s) {
    const struct {
        void *out;
        size_t size;
    } parts[] = {{&s->parent, sizeof *s->parent},     {&s->label, sizeof *s->label},
                 {&s->sure, sizeof *s->sure},         {&s->cursor, sizeof *s->cursor},
                 {&s->found, sizeof *s->found},       {&s->found_sum, sizeof *s->found_sum},
                 {&s->best, sizeof *s->best},         {&s->bound, sizeof *s->bound},
                 {&s->far, sizeof *s->far},           {&s->uncertain, sizeof *s->uncertain},
                 {&s->searched, sizeof *s->searched}, {&s->doubtful, sizeof *s->doubtful}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(allocate(gpu_error(s->g), parts[i].out, s->n, parts[i].size, "components"));
    for (uint32_t v = 0; v < s->n; v++) {
        s->parent[v] = v;
        s->found[v] = TREE_NONE;
    }
    return GLSHAPE_OK;
}

static void rounds_free(rounds *s) {
    void *const parts[] = {s->parent, s->label, s->cursor,    s->found,    s->found_sum, s->best,
                           s->bound,  s->far,   s->uncertain, s->searched, s->doubtful,  s->sure};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

glshape_status linkage_rounds(gpu *g, knn_points *p, const tree_lists *lists, linkage_tree *tree,
                              double *seconds) {
    OWNED_BY(rounds_free) rounds s = {.g = g, .p = p, .lists = lists, .n = p->n, .components = p->n};
    s.tree = tree;
    s.seconds = seconds;
    TRY(allocate_rounds(&s));
    while (s.components > 1) {
        uint32_t before = s.components;
        find_candidates(&s);
        if (count_certified(&s) < (before + FEW - 1) / FEW) {
            TRY(search_points(&s));
            find_candidates(&s);
            count_certified(&s);
        }
        for (uint32_t c = 0; c < s.n; c++)
            if (s.sure[c]) take_edge(&s, c);
        s.rounds++;
        if (s.components == before)
            return fail(gpu_error(g), GLSHAPE_GPU_ERROR, "a search across components found nothing");
        TRY(gpu_tick(g, 1 - log((double)s.components) / log((double)s.n)));
    }
    TRY(ranks_sum(gpu_ranks(g), gpu_error(g), &s.scanned));
    gpu_fact(g, (double)s.edges[0], "edges certified");
    gpu_fact(g, (double)s.edges[1], "edges searched for");
    gpu_fact(g, (double)s.queries, "points searched for");
    gpu_fact(g, (double)s.scanned, "points compared with all");
    gpu_fact(g, s.rounds, "rounds");
    return GLSHAPE_OK;
}
