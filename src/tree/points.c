/* The spanning tree of points, by Borůvka's rounds over lists of neighbors and an index.
 *
 * Each point has a candidate: its least edge into another component, from its list or from a search. When the
 * candidate's other end joins the component, the list's next point in another component takes its place; when
 * there is none, a search. A search is made only for a point that may have an edge as short as the shortest
 * that its component has: each point keeps a sum that all its edges out reach at least. (Prokopenko, Sao,
 * Lebrun-Grandié 2022, with exact ties.)
 *
 * All that is said of points goes by their positions in the order of the index; edges are ordered by (sum,
 * smaller index, larger index). A round goes over all points twice, in parallel, and over the components that
 * are left: each is named by one of its points, its root. */
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
    const tree_lists *lists; /* the caller's */
    uint32_t n, k;
    const uint32_t *list;   /* n × k: each point's neighbors … */
    const double *list_sum; /* … and their sums; NULL: they are computed when they are needed */
    uint16_t *cursor;       /* the first of them that may be in another component */
    uint32_t *to;           /* the candidate's other end, or TREE_NONE */
    double *sum;            /* its sum; without one, a sum that all edges out of the point reach at least */
    atomic_uint *label;     /* the root of its component before the last mergers */
    uint32_t *query, *found;
    double *found_sum;
    uint32_t *leader;                      /* points whose candidate may be their component's least edge */
    atomic_uint_least64_t *nearest, *ends; /* of each root: its least edge: bits of the sum, (lo, hi) … */
    uint32_t *via;                         /* … and the point of the component that it leaves */
    atomic_uint *parent;        /* of each root of this round, what it was hooked to; at last its root */
    uint32_t *root, *next_root; /* `components` roots; those after the mergers */
    uint32_t components;
    atomic_uint queries, leaders, roots, edges;
    atomic_bool wrong; /* what a device found cannot be so */
    uint32_t *node_label;
    uint32_t *own_list; /* lists that were made here */
    double *own_sum;
    uint32_t *place;             /* of each index, its position */
    double *core;                /* core distances; NULL: there are none */
    const tree_other_way *other; /* the caller's, once it has been found to be quicker: */
    bool other_is_quicker;
    tree_edges *tree;
} rounds;

static void rounds_free(rounds *r) {
    void *const parts[] = {r->cursor, r->to,         r->sum,     r->query,    r->found,
                           r->leader, r->found_sum,  r->via,     r->parent,   r->root,
                           r->place,  r->next_root,  r->own_sum, r->own_list, r->core,
                           r->label,  r->node_label, r->nearest, r->ends};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

/* Calls work(r, from, end) for all numbers below count, some at a time. */
typedef struct each {
    rounds *r;
    uint32_t count;
    void (*work)(rounds *r, uint32_t from, uint32_t end);
} each;

static void work_chunk(void *user, size_t chunk) {
    const each *e = user;
    uint32_t from = (uint32_t)chunk * CHUNK, left = e->count - from;
    e->work(e->r, from, from + (left < CHUNK ? left : CHUNK));
}

static void for_each(rounds *r, uint32_t count, void (*work)(rounds *r, uint32_t from, uint32_t end)) {
    if (count) threads_run(0, (count - 1) / CHUNK + 1, work_chunk, &(each){r, count, work});
}

/* Appends some numbers to a list that threads share. */
static void append(uint32_t *list, atomic_uint *used, const uint32_t *some, uint32_t count) {
    if (count) memcpy(list + atomic_fetch_add(used, count), some, count * sizeof *some);
}

static void lower(atomic_uint_least64_t *least, uint64_t to) {
    uint64_t was = atomic_load_explicit(least, memory_order_relaxed);
    while (to < was && !atomic_compare_exchange_weak_explicit(least, &was, to, memory_order_relaxed,
                                                              memory_order_relaxed)) {}
}

static uint32_t get(const atomic_uint *a) { return atomic_load_explicit(a, memory_order_relaxed); }
static void set(atomic_uint *a, uint32_t to) { atomic_store_explicit(a, to, memory_order_relaxed); }

static uint64_t bits_of(double sum) {
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

static uint64_t nearest_of(const rounds *r, uint32_t root) {
    return atomic_load_explicit(&r->nearest[root], memory_order_relaxed);
}

static uint64_t ends_at(const rounds *r, uint32_t root) {
    return atomic_load_explicit(&r->ends[root], memory_order_relaxed);
}

/* The root of v's component. Right whether or not v's own label is yet that of this round. */
static uint32_t root_of(const rounds *r, uint32_t v) { return get(&r->parent[get(&r->label[v])]); }

static glshape_status check(const rounds *r) {
    if (!r->wrong) return GLSHAPE_OK;
    return fail(
        run_error(run_of(r->g)), GLSHAPE_GPU_ERROR,
        "the neighbors of points do not come out right: the driver of %s computes something wrong; take "
        "another device (--device)",
        gpu_renderer(r->g));
}

/* ---- beginning --------------------------------------------------------------------------------- */

static uint32_t listed(const rounds *r, uint32_t v) {
    return r->lists->listed ? r->lists->listed[r->x->point[v]] : r->k;
}

static void set_places(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t v = from; v < end; v++) r->place[r->x->point[v]] = v;
}

/* Makes lists by position of lists by index. */
static void set_lists(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t v = from; v < end; v++) {
        size_t at = (size_t)r->x->point[v] * r->k, to = (size_t)v * r->k;
        for (uint32_t a = 0, count = listed(r, v); a < r->k; a++) {
            uint32_t i = r->lists->index[at + a];
            if (a < count && i >= r->n) r->wrong = true;
            r->own_list[to + a] = i < r->n ? r->place[i] : v;
        }
        memcpy(r->own_sum + to, r->lists->sum + at, r->k * sizeof *r->own_sum);
        if (r->core) r->core[v] = r->lists->cores->core[r->x->point[v]];
    }
}

/* Lists by position that a device has made. */
static void look_over(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t v = from; v < end; v++)
        for (uint32_t a = 0, count = listed(r, v); a < count; a++)
            if (r->list[(size_t)v * r->k + a] >= r->n) r->wrong = true;
}

static void set_singletons(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t v = from; v < end; v++) {
        r->to[v] = TREE_NONE;
        r->root[v] = v;
        set(&r->parent[v], v);
        set(&r->label[v], v);
    }
}

static glshape_status make_lists(rounds *r) {
    error *err = run_error(run_of(r->g));
    r->list = r->lists->index;
    if (!r->lists->sum) {
        for_each(r, r->n, look_over);
        return check(r);
    }
    TRY(allocate(err, &r->own_list, times(r->n, r->k), sizeof *r->own_list, "lists of neighbors"));
    TRY(allocate(err, &r->own_sum, times(r->n, r->k), sizeof *r->own_sum, "lists of neighbors"));
    TRY(allocate(err, &r->place, r->n, sizeof *r->place, "lists of neighbors"));
    if (r->lists->cores) TRY(allocate(err, &r->core, r->n, sizeof *r->core, "core distances"));
    for_each(r, r->n, set_places);
    for_each(r, r->n, set_lists);
    r->list = r->own_list;
    r->list_sum = r->own_sum;
    return check(r);
}

static glshape_status rounds_new(rounds *r) {
    const struct {
        void *out;
        size_t count, size;
    } parts[] = {{&r->cursor, 1, sizeof *r->cursor},
                 {&r->to, 1, sizeof *r->to},
                 {&r->sum, 1, sizeof *r->sum},
                 {&r->label, 1, sizeof *r->label},
                 {&r->node_label, 2, sizeof *r->node_label},
                 {&r->parent, 1, sizeof *r->parent},
                 {&r->query, 1, sizeof *r->query},
                 {&r->found, 1, sizeof *r->found},
                 {&r->found_sum, 1, sizeof *r->found_sum},
                 {&r->leader, 1, sizeof *r->leader},
                 {&r->nearest, 1, sizeof *r->nearest},
                 {&r->ends, 1, sizeof *r->ends},
                 {&r->via, 1, sizeof *r->via},
                 {&r->root, 1, sizeof *r->root},
                 {&r->next_root, 1, sizeof *r->next_root}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(allocate(run_error(run_of(r->g)), parts[i].out, times(r->n, parts[i].count), parts[i].size,
                     "components"));
    r->components = r->n;
    for_each(r, r->n, set_singletons);
    return make_lists(r);
}

/* ---- candidates -------------------------------------------------------------------------------- */

static void forget(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t c = from; c < end; c++) {
        atomic_store_explicit(&r->nearest[r->root[c]], bits_of(INFINITY), memory_order_relaxed);
        atomic_store_explicit(&r->ends[r->root[c]], UINT64_MAX, memory_order_relaxed);
    }
}

/* The sum of v and its neighbor `at` places down its list. */
static double sum_at(const rounds *r, uint32_t v, uint32_t at) {
    size_t columns = r->x->columns, place = (size_t)v * r->k + at;
    if (r->list_sum) return r->list_sum[place];
    return norm_sum(&r->x->norm, r->x->row + v * columns, r->x->row + r->list[place] * columns, columns);
}

static bool is_outside(const rounds *r, uint32_t own, uint32_t to) {
    return to != TREE_NONE && root_of(r, to) != own;
}

/* Looks for v's candidate in its list. */
static void look_up(rounds *r, uint32_t v, uint32_t own) {
    const uint32_t *list = r->list + (size_t)v * r->k;
    uint32_t was = r->cursor[v], at = was, count = listed(r, v);
    r->to[v] = TREE_NONE;
    while (at < count && !is_outside(r, own, list[at])) at++;
    r->cursor[v] = (uint16_t)at;
    if (at < count) {
        r->to[v] = list[at];
        r->sum[v] = sum_at(r, v, at);
    } else if (was < count || !was) r->sum[v] = fmax(r->sum[v], sum_at(r, v, r->k - 1));
}

/* Gives points their labels, sees to their candidates and offers their sums to their components. */
static void find_candidates(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t v = from; v < end; v++) {
        uint32_t own = root_of(r, v);
        set(&r->label[v], own);
        if (!is_outside(r, own, r->to[v])) look_up(r, v, own);
        if (r->to[v] != TREE_NONE) lower(&r->nearest[own], bits_of(r->sum[v]));
    }
}

/* Lists points with an edge out of unknown length that may be their component's least, and those whose
 * candidate may be it. */
static void choose_points(rounds *r, uint32_t from, uint32_t end) {
    uint32_t query[CHUNK], leader[CHUNK], queries = 0, leaders = 0;
    for (uint32_t v = from; v < end; v++) {
        uint64_t sum = bits_of(r->sum[v]), least = nearest_of(r, root_of(r, v));
        bool has = r->to[v] != TREE_NONE;
        query[queries] = leader[leaders] = v;
        queries += !has && sum <= least;
        leaders += has && sum == least;
    }
    append(r->query, &r->queries, query, queries);
    append(r->leader, &r->leaders, leader, leaders);
}

/* Gives queries what was found for them. */
static void take_found(rounds *r, uint32_t from, uint32_t end) {
    uint32_t leader[CHUNK], leaders = 0;
    for (uint32_t q = from; q < end; q++) {
        uint32_t v = leader[leaders] = r->query[q];
        if (r->found[q] >= r->n && r->found[q] != INDEX_NONE) {
            r->wrong = true;
            return;
        }
        r->to[v] = r->found[q];
        r->sum[v] = r->found[q] == INDEX_NONE ? nextafter(r->found_sum[q], INFINITY) : r->found_sum[q];
        leaders += r->found[q] != INDEX_NONE;
    }
    append(r->leader, &r->leaders, leader, leaders);
}

#define SAMPLED 32u
#define FEW_VALUES 1e9 /* searches that look at all points, and so at so many values, take no second */

/* Some of the queries of a task, and what they found. */
typedef struct sampled {
    uint32_t query[SAMPLED], found[SAMPLED];
    double sum[SAMPLED];
    uint64_t seen; /* points that they looked at */
} sampled;

/* Answers some of the queries, from the first or the second on. */
static glshape_status answer_some(rounds *r, const index_crossing *task, uint32_t from, sampled *s) {
    atomic_uint_least64_t all = 0;
    index_crossing some = *task;
    for (uint32_t k = 0; k < SAMPLED; k++)
        s->query[k] = task->query[(uint64_t)task->count * k / SAMPLED + from];
    some.count = SAMPLED, some.query = s->query, some.found = s->found, some.sum = s->sum, some.seen = &all;
    TRY(index_across_on_cpu(run_of(r->g), &some));
    s->seen = all;
    return GLSHAPE_OK;
}

#define CROWD 64u           /* more candidates than a search by pairs keeps */
#define CROWDS 16u          /* queries that are looked at */
#define COMPARED 16384u     /* points that each of them is compared with */
#define CLOSE (1 + 0x1p-20) /* single precision does not tell sums apart that differ by less */

/* About how many points of other components are as near as the nearest, as far as single precision tells. */
static double count_close(const rounds *r, const index_crossing *task, uint32_t v, double sum) {
    const spatial_index *x = r->x;
    uint32_t step = x->n / COMPARED + 1, close = 0;
    for (uint32_t w = 0; w < x->n; w += step)
        close += task->label[w] != task->label[v] &&
                 norm_sum(&x->norm, x->row + (size_t)v * x->columns, x->row + (size_t)w * x->columns,
                          x->columns) <= sum * CLOSE;
    return (double)close * step;
}

/* Whether many points are equally near to some queries: a search by pairs, in single precision, could not
 * tell which is the nearest, and would compare them with all in double. */
static bool is_crowded(const rounds *r, const index_crossing *task, const sampled *s) {
    uint32_t crowds = 0;
    for (uint32_t k = 0; k < SAMPLED; k += SAMPLED / CROWDS)
        crowds += count_close(r, task, s->query[k], s->sum[k]) > CROWD;
    return crowds > CROWDS / 8;
}

/* Whether searches look at too much, as some of them do. The first of a component looks at more than those
 * that follow it, which know how near another one is. */
static glshape_status judge_search(rounds *r, const index_crossing *task) {
    sampled first, second;
    double most, count = task->count, components = fmin(r->components, count);
    if (r->other_is_quicker || !r->other || count < 2 * SAMPLED || count * r->n * r->x->columns < FEW_VALUES)
        return GLSHAPE_OK;
    TRY(r->other->most(r->other->user, &most));
    TRY(answer_some(r, task, 0, &first));
    if ((double)first.seen <= most * SAMPLED) return GLSHAPE_OK;
    TRY(answer_some(r, task, 1, &second));
    double all = (double)first.seen * components + (double)second.seen * (count - components);
    r->other_is_quicker = all > most * SAMPLED * count && !is_crowded(r, task, &second);
    return GLSHAPE_OK;
}

static void offer_found(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t q = from; q < end; q++)
        lower(&r->nearest[root_of(r, r->query[q])], bits_of(r->found_sum[q]));
}

static glshape_status search(rounds *r) {
    index_cores cores = {r->core, r->core ? r->lists->cores->alpha : 1};
    index_crossing task = {.x = (spatial_index *)r->x,
                           .label = (const uint32_t *)r->label,
                           .node_label = r->node_label,
                           .cores = r->core ? &cores : NULL,
                           .nearest = r->nearest,
                           .count = r->queries,
                           .query = r->query,
                           .found = r->found,
                           .sum = r->found_sum};
    if (!task.count) return GLSHAPE_OK;
    index_label_nodes(r->x, task.label, r->node_label);
    TRY(judge_search(r, &task));
    if (r->other_is_quicker) {
        TRY(r->other->answer(r->other->user, &task));
        for_each(r, task.count, offer_found);
    } else TRY(index_across(r->g, &task));
    for_each(r, task.count, take_found);
    TRY(check(r));
    run_fact(run_of(r->g), task.count, "points searched for");
    return GLSHAPE_OK;
}

/* ---- merging ----------------------------------------------------------------------------------- */

static bool is_least(const rounds *r, uint32_t v) {
    return bits_of(r->sum[v]) == nearest_of(r, root_of(r, v));
}

/* The ends of v's candidate, by index. */
static uint64_t ends_of(const rounds *r, uint32_t v) {
    uint64_t a = r->x->point[v], b = r->x->point[r->to[v]];
    return a < b ? a << 32 | b : b << 32 | a;
}

/* Offer the ends of their candidates, if their sum is their component's least. */
static void offer_ends(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t l = from; l < end; l++)
        if (is_least(r, r->leader[l])) lower(&r->ends[root_of(r, r->leader[l])], ends_of(r, r->leader[l]));
}

/* Of each component one point has its least edge. */
static void take_edges(rounds *r, uint32_t from, uint32_t end) {
    for (uint32_t l = from; l < end; l++) {
        uint32_t v = r->leader[l], own = root_of(r, v);
        if (is_least(r, v) && ends_of(r, v) == ends_at(r, own)) r->via[own] = v;
    }
}

/* The component at the other end of that of root c's least edge. */
static uint32_t across(const rounds *r, uint32_t c) { return get(&r->label[r->to[r->via[c]]]); }

/* Hooks components to those across their least edges. Of two that chose the same edge, the greater root is
 * hooked. */
static void hook(rounds *r, uint32_t from, uint32_t end) {
    uint32_t hooked[CHUNK], count = 0;
    for (uint32_t c = from; c < end; c++) {
        uint32_t v = r->root[c];
        if (ends_at(r, v) == UINT64_MAX) { /* nothing leads out of it */
            r->wrong = true;
            return;
        }
        uint32_t other = across(r, v);
        if (ends_at(r, v) == ends_at(r, other) && v < other) continue;
        hooked[count++] = v;
    }
    uint32_t edge = atomic_fetch_add(&r->edges, count);
    if (edge + count >= r->n) { /* a tree has no more than n - 1 */
        r->wrong = true;
        return;
    }
    for (uint32_t k = 0; k < count; k++, edge++) {
        /* cppcheck-suppress uninitvar ; the first `count` are set */
        uint32_t v = hooked[k];
        uint64_t ends = ends_at(r, v), bits = nearest_of(r, v);
        set(&r->parent[v], across(r, v));
        r->tree->i[edge] = (uint32_t)(ends >> 32);
        r->tree->j[edge] = (uint32_t)ends;
        memcpy(&r->tree->sum[edge], &bits, sizeof bits);
    }
}

/* Sets the parents of roots to their new roots. On the way pointers skip every other root, so that a long
 * chain is no hard case; no pointer is set back, as it is only exchanged for one further up. */
static void find_roots(rounds *r, uint32_t from, uint32_t end) {
    uint32_t root[CHUNK], count = 0;
    for (uint32_t c = from; c < end; c++) {
        uint32_t v = r->root[c], at = v, up, next, steps = 0;
        while ((up = get(&r->parent[at])) != at && !r->wrong) {
            if (steps++ == r->n) r->wrong = true; /* parents go round in a circle */
            if ((next = get(&r->parent[up])) != up) atomic_compare_exchange_strong(&r->parent[at], &up, next);
            at = next;
        }
        set(&r->parent[v], at);
        root[count] = v;
        count += at == v;
    }
    append(r->next_root, &r->roots, root, count);
}

/* Joins components along their least edges. */
static glshape_status merge(rounds *r) {
    for_each(r, r->leaders, offer_ends);
    for_each(r, r->leaders, take_edges);
    for_each(r, r->components, hook);
    TRY(check(r));
    for_each(r, r->components, find_roots);
    TRY(check(r));
    uint32_t *roots = r->root;
    r->root = r->next_root;
    r->next_root = roots;
    r->components = r->roots;
    return GLSHAPE_OK;
}

glshape_status tree_points(gpu *g, const spatial_index *x, const tree_lists *lists,
                           const tree_other_way *other, tree_edges *out) {
    OWNED_BY(rounds_free)
    rounds r = {.g = g, .x = x, .lists = lists, .n = x->n, .k = lists->k, .other = other, .tree = out};
    TRY(rounds_new(&r));
    for (int round = 0; r.components > 1; round++) {
        if (round == MOST_ROUNDS)
            return fail(run_error(run_of(g)), GLSHAPE_GPU_ERROR,
                        "after %d rounds %u components of points are left", round, r.components);
        r.queries = r.leaders = r.roots = 0;
        for_each(&r, r.components, forget);
        for_each(&r, r.n, find_candidates);
        for_each(&r, r.n, choose_points);
        TRY(search(&r));
        TRY(merge(&r));
        run_fact(run_of(g), 1, "rounds");
        TRY(run_tick(run_of(g), 1 - log((double)r.components) / log((double)x->n)));
    }
    return GLSHAPE_OK;
}
