/* The spanning tree of points, by Borůvka's rounds over lists of neighbors and an index.
 *
 * Each point has a candidate: its least edge into another component, from its list or from a search. When the
 * candidate's other end joins the component, the list's next point in another component takes its place; when
 * there is none, a search. A search is made only for a point that may have an edge as short as the shortest
 * that its component has: each point keeps a sum that all its edges out reach at least. (Prokopenko, Sao,
 * Lebrun-Grandié 2022, with exact ties.)
 *
 * All that is said of points goes by their positions in the order of the index; edges are ordered by (sum,
 * smaller index, larger index). Every step goes over all points in parallel. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "tree/tree.h"

#define CHUNK 8192u
#define MOST_ROUNDS 64 /* a round at least halves the components */

typedef struct rounds {
    gpu *g;
    const spatial_index *x;
    const tree_lists *lists; /* the caller's, by index */
    uint32_t n, k;
    uint32_t *list;   /* n × k: each point's neighbors … */
    double *list_sum; /* … and their sums */
    uint16_t *cursor; /* the first of them that may be in another component */
    uint32_t *to;     /* the candidate's other end, or TREE_NONE */
    double *sum;      /* its sum; without one, a sum that all edges out of the point reach at least */
    uint32_t *label, *node_label, *parent, *query, *found;
    double *found_sum;
    atomic_uint_least64_t *nearest, *ends; /* of each component: its least edge: bits of the sum, (lo, hi) */
    atomic_uint counter;
    uint32_t components;
    uint32_t *place; /* of each index, its position */
    double *core;    /* core distances; NULL: there are none */
    tree_edges *tree;
} rounds;

static void rounds_free(rounds *r) {
    void *const parts[] = {r->list,      r->list_sum,   r->cursor, r->to,    r->sum,
                           r->label,     r->node_label, r->parent, r->query, r->found,
                           r->found_sum, r->nearest,    r->ends,   r->place, r->core};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

/* Calls work(r, v) for all points. */
typedef struct each {
    rounds *r;
    void (*work)(rounds *r, uint32_t v);
} each;

static void work_chunk(void *user, size_t chunk) {
    const each *e = user;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < e->r->n && v / CHUNK == chunk; v++) e->work(e->r, v);
}

static void for_each(rounds *r, void (*work)(rounds *r, uint32_t v)) {
    threads_run(0, (r->n - 1) / CHUNK + 1, work_chunk, &(each){r, work});
}

/* Calls work(r, v, at) for the points that are, with a number `at` for each, from r->counter on; the numbers
 * are in no order. */
typedef struct those {
    rounds *r;
    bool (*are)(const rounds *r, uint32_t v);
    void (*work)(rounds *r, uint32_t v, uint32_t at);
} those;

static void work_those(void *user, size_t chunk) {
    const those *t = user;
    uint32_t found[CHUNK], count = 0;
    for (uint32_t v = (uint32_t)chunk * CHUNK; v < t->r->n && v / CHUNK == chunk; v++)
        if (t->are(t->r, v)) found[count++] = v;
    uint32_t at = count ? atomic_fetch_add(&t->r->counter, count) : 0;
    for (uint32_t k = 0; k < count; k++) t->work(t->r, found[k], at + k);
}

static void for_those(rounds *r, bool (*are)(const rounds *r, uint32_t v),
                      void (*work)(rounds *r, uint32_t v, uint32_t at)) {
    threads_run(0, (r->n - 1) / CHUNK + 1, work_those, &(those){r, are, work});
}

static void lower(atomic_uint_least64_t *least, uint64_t to) {
    uint64_t was = atomic_load_explicit(least, memory_order_relaxed);
    while (to < was && !atomic_compare_exchange_weak_explicit(least, &was, to, memory_order_relaxed,
                                                              memory_order_relaxed)) {}
}

static uint64_t bits_of(double sum) {
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

/* ---- beginning --------------------------------------------------------------------------------- */

static void set_place(rounds *r, uint32_t v) { r->place[r->x->point[v]] = v; }

static void set_list(rounds *r, uint32_t v) {
    size_t from = (size_t)r->x->point[v] * r->k, to = (size_t)v * r->k;
    for (uint32_t a = 0; a < r->k; a++) {
        r->list[to + a] = r->place[r->lists->index[from + a]];
        r->list_sum[to + a] = r->lists->sum[from + a];
    }
    if (r->core) r->core[v] = r->lists->cores->core[r->x->point[v]];
    r->to[v] = TREE_NONE;
    r->parent[v] = r->label[v] = v;
}

static glshape_status rounds_new(rounds *r) {
    const struct {
        void *out;
        size_t count, size;
    } parts[] = {{&r->list, r->k, sizeof *r->list},
                 {&r->list_sum, r->k, sizeof *r->list_sum},
                 {&r->cursor, 1, sizeof *r->cursor},
                 {&r->to, 1, sizeof *r->to},
                 {&r->sum, 1, sizeof *r->sum},
                 {&r->label, 1, sizeof *r->label},
                 {&r->node_label, 2, sizeof *r->node_label},
                 {&r->parent, 1, sizeof *r->parent},
                 {&r->query, 1, sizeof *r->query},
                 {&r->found, 1, sizeof *r->found},
                 {&r->found_sum, 1, sizeof *r->found_sum},
                 {&r->nearest, 1, sizeof *r->nearest},
                 {&r->ends, 1, sizeof *r->ends},
                 {&r->place, 1, sizeof *r->place}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(allocate(gpu_error(r->g), parts[i].out, times(r->n, parts[i].count), parts[i].size,
                     "components"));
    if (r->lists->cores) TRY(allocate(gpu_error(r->g), &r->core, r->n, sizeof *r->core, "core distances"));
    for_each(r, set_place);
    for_each(r, set_list);
    return GLSHAPE_OK;
}

/* ---- candidates -------------------------------------------------------------------------------- */

static bool has_candidate(const rounds *r, uint32_t v) {
    return r->to[v] != TREE_NONE && r->label[r->to[v]] != r->label[v];
}

static void forget(rounds *r, uint32_t v) {
    atomic_store_explicit(&r->nearest[v], bits_of(INFINITY), memory_order_relaxed);
    atomic_store_explicit(&r->ends[v], UINT64_MAX, memory_order_relaxed);
}

/* Sees to v's candidate and offers its sum to its component. */
static void find_candidate(rounds *r, uint32_t v) {
    const uint32_t *list = r->list + (size_t)v * r->k, own = r->label[v];
    if (!has_candidate(r, v)) {
        uint32_t at = r->cursor[v], count = r->lists->listed ? r->lists->listed[r->x->point[v]] : r->k;
        while (at < count && r->label[list[at]] == own) at++;
        if (at < count) {
            r->to[v] = list[at];
            r->sum[v] = r->list_sum[(size_t)v * r->k + at];
        } else r->sum[v] = fmax(r->sum[v], r->list_sum[(size_t)v * r->k + r->k - 1]);
        r->cursor[v] = (uint16_t)at;
    }
    if (has_candidate(r, v)) lower(&r->nearest[own], bits_of(r->sum[v]));
}

/* Whether an edge out of v that is not known may be its component's least. */
static bool is_query(const rounds *r, uint32_t v) {
    if (has_candidate(r, v)) return false;
    return bits_of(r->sum[v]) <= atomic_load_explicit(&r->nearest[r->label[v]], memory_order_relaxed);
}

static void list_query(rounds *r, uint32_t v, uint32_t at) { r->query[at] = v; }

/* Gives the queries of a chunk what was found for them. */
static void take_chunk(void *user, size_t chunk) {
    rounds *r = user;
    uint32_t count = atomic_load(&r->counter);
    for (uint32_t q = (uint32_t)chunk * CHUNK; q < count && q / CHUNK == chunk; q++) {
        uint32_t v = r->query[q];
        r->to[v] = r->found[q];
        r->sum[v] = r->found[q] == INDEX_NONE ? nextafter(r->found_sum[q], INFINITY) : r->found_sum[q];
    }
}

static glshape_status search(rounds *r) {
    atomic_store(&r->counter, 0);
    for_those(r, is_query, list_query);
    index_label_nodes(r->x, r->label, r->node_label);
    index_cores cores = {r->core, r->core ? r->lists->cores->alpha : 1};
    index_crossing task = {.x = (spatial_index *)r->x,
                           .label = r->label,
                           .node_label = r->node_label,
                           .cores = r->core ? &cores : NULL,
                           .nearest = r->nearest,
                           .count = atomic_load(&r->counter),
                           .query = r->query,
                           .found = r->found,
                           .sum = r->found_sum};
    TRY(index_across(r->g, &task));
    threads_run(0, task.count / CHUNK + 1, take_chunk, r);
    gpu_fact(r->g, task.count, "points searched for");
    return GLSHAPE_OK;
}

/* Offers the ends of v's candidate, if its sum is its component's least. */
static void offer_ends(rounds *r, uint32_t v) {
    uint32_t own = r->label[v];
    if (!has_candidate(r, v) ||
        bits_of(r->sum[v]) != atomic_load_explicit(&r->nearest[own], memory_order_relaxed))
        return;
    uint64_t a = r->x->point[v], b = r->x->point[r->to[v]];
    lower(&r->ends[own], a < b ? a << 32 | b : b << 32 | a);
}

/* ---- merging ----------------------------------------------------------------------------------- */

/* The component at the other end of c's least edge, and that edge's ends. */
static uint32_t across(const rounds *r, uint32_t c, uint64_t *ends) {
    *ends = atomic_load_explicit(&r->ends[c], memory_order_relaxed);
    uint32_t lo = r->label[r->place[*ends >> 32]], hi = r->label[r->place[*ends & 0xffffffffu]];
    return lo == c ? hi : lo;
}

/* Whether component v joins the one across its least edge. Of two that chose the same edge, the greater does.
 */
static bool joins(const rounds *r, uint32_t v) {
    uint64_t ends, theirs;
    if (r->label[v] != v) return false;
    uint32_t other = across(r, v, &ends);
    across(r, other, &theirs);
    return ends != theirs || v > other;
}

/* Hooks component v, and takes its edge into the tree. */
static void hook(rounds *r, uint32_t v, uint32_t edge) {
    uint64_t ends, bits = atomic_load_explicit(&r->nearest[v], memory_order_relaxed);
    r->parent[v] = across(r, v, &ends);
    r->tree->i[edge] = (uint32_t)(ends >> 32);
    r->tree->j[edge] = (uint32_t)ends;
    memcpy(&r->tree->sum[edge], &bits, sizeof bits);
}

static void find_root(rounds *r, uint32_t v) {
    uint32_t at = r->label[v];
    while (r->parent[at] != at) at = r->parent[at];
    r->query[v] = at;
}

static void set_root(rounds *r, uint32_t v) { r->label[v] = r->parent[v] = r->query[v]; }

glshape_status tree_points(gpu *g, const spatial_index *x, const tree_lists *lists, tree_edges *out) {
    OWNED_BY(rounds_free) rounds r = {.g = g, .x = x, .lists = lists, .n = x->n, .k = lists->k, .tree = out};
    uint32_t count = 0;
    TRY(rounds_new(&r));
    for (int round = 0; count < x->n - 1; round++) {
        if (round == MOST_ROUNDS)
            return fail(gpu_error(g), GLSHAPE_GPU_ERROR, "after %d rounds %u components of points are left",
                        round, x->n - count);
        for_each(&r, forget);
        for_each(&r, find_candidate);
        TRY(search(&r));
        for_each(&r, offer_ends);
        atomic_store(&r.counter, count);
        for_those(&r, joins, hook);
        count = atomic_load(&r.counter);
        for_each(&r, find_root);
        for_each(&r, set_root);
        gpu_fact(g, 1, "rounds");
        TRY(gpu_tick(g, 1 - log((double)(x->n - count)) / log((double)x->n)));
    }
    return GLSHAPE_OK;
}
