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
 * component, that edge becomes the point's bound.
 *
 * The first rank does all of it, but for large searches, which the ranks share. Threads do it, in blocks of
 * points; a component is named after one of its points, its root. Each component whose edge is certified
 * joins the one at the other end. Edges have one order, so no circle is closed but by two components that
 * have chosen the same edge: of these the lesser root stays. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "linkage/linkage.h"
#include "tree/tree.h"

#define BLOCK 16384u /* points that a thread takes at a time */
#define FEW 4u       /* search if fewer than one in so many components are certified */

typedef struct edge {
    double sum;
    uint32_t lo, hi;
} edge;

typedef struct rounds {
    gpu *g;
    knn_points *p;
    const tree_lists *lists;
    uint32_t n, blocks, components;
    threads_team *team;
    uint32_t *part;  /* of each block, what it finds: how many, then where the first of them goes; or a
                        component */
    uint32_t *label; /* of each point, its component's root */
    _Atomic uint32_t *parent; /* of a root: itself; once its component has joined another, the root of that */
    uint32_t
        *far; /* of each point: the component at the other end of its edge out; TREE_NONE: none is known */
    uint16_t *cursor; /* of each point, its first neighbor that may be in another component */
    uint32_t *found;  /* other end of the edge that a search found; TREE_NONE: not searched yet */
    double *found_sum;
    uint32_t *to; /* of each point: other end of its edge out or, if none is known, of its bound … */
    double *sum;  /* … and its sum */
    _Atomic uint32_t *best,
        *bound;              /* of component v: the point whose edge out, whose bound, is least; TREE_NONE */
    _Atomic uint64_t *least; /* of component v: the bits of the least sum of an edge that was offered to it */
    _Atomic uint32_t *uncertain; /* points of component v whose bound prevents certification */
    uint8_t *doubtful;           /* of each point: its bound prevents it */
    uint8_t *sure;               /* whether component v's best edge is certified */
    _Atomic uint32_t certified;  /* components whose edge is */
    atomic_bool circle;          /* parents lead round in one */
    _Atomic uint32_t searched;   /* edges taken that a search has found */
    size_t queries;
    linkage_across across;
    uint32_t most; /* the component that is not searched */
    knn_query *to_search;
    uint32_t rounds;
    linkage_tree *tree;
    double *seconds;
} rounds;

/* The edge out of v, or its bound: no edge out of v that is not known comes before that. */
static inline edge edge_of(const rounds *s, uint32_t v) {
    uint32_t u = s->to[v];
    return v < u ? (edge){s->sum[v], v, u} : (edge){s->sum[v], u, v};
}

static bool less(const edge *a, const edge *b) {
    if (a->sum != b->sum) return a->sum < b->sum;
    return a->lo != b->lo ? a->lo < b->lo : a->hi < b->hi;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static uint32_t block_end(const rounds *s, size_t block) {
    return s->n - block * BLOCK < BLOCK ? s->n : (uint32_t)(block + 1) * BLOCK;
}

static void do_blocks(rounds *s, void (*work)(void *user, size_t block)) {
    threads_team_run(s->team, s->blocks, work, s);
}

/* Makes places of what the blocks have counted. Returns how many there are in all. */
static uint32_t place_parts(rounds *s) {
    uint32_t all = 0;
    for (uint32_t b = 0; b < s->blocks; b++) {
        uint32_t count = s->part[b];
        s->part[b] = all;
        all += count;
    }
    return all;
}

/* ---- candidates -------------------------------------------------------------------------------- */

static uint32_t listed(const rounds *s, uint32_t v) {
    return s->lists->listed ? s->lists->listed[v] : s->lists->k;
}

/* Makes v a component's point if its edge, or its bound, is less than that of the one there; of equals the
 * first point is it, whichever thread comes first. */
static void offer(const rounds *s, _Atomic uint32_t *first, uint32_t v) {
    edge e = edge_of(s, v);
    uint32_t has = atomic_load_explicit(first, memory_order_acquire);
    do {
        edge there = has == TREE_NONE ? (edge){INFINITY, TREE_NONE, TREE_NONE} : edge_of(s, has);
        if (less(&there, &e) || (has <= v && !less(&e, &there))) return;
    } while (
        !atomic_compare_exchange_weak_explicit(first, &has, v, memory_order_acq_rel, memory_order_acquire));
}

/* Offers v's edge to component c. Most edges are longer than one that was offered before: then c's best is
 * not looked at. Sums are not negative, so their bits are in their order. */
static void offer_edge(const rounds *s, uint32_t c, uint32_t v) {
    uint64_t sum, least = atomic_load_explicit(&s->least[c], memory_order_relaxed);
    memcpy(&sum, &s->sum[v], sizeof sum);
    if (sum > least) return;
    while (sum < least && !atomic_compare_exchange_weak_explicit(
                              &s->least[c], &least, sum, memory_order_relaxed, memory_order_relaxed)) {}
    offer(s, &s->best[c], v);
}

static uint32_t parent_of(const rounds *s, uint32_t c) {
    return atomic_load_explicit(&s->parent[c], memory_order_relaxed);
}

static void set(_Atomic uint32_t *at, uint32_t value) {
    atomic_store_explicit(at, value, memory_order_relaxed);
}

/* Parents stay as they are while threads read them. */
static void label_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) {
        s->label[v] = parent_of(s, s->label[v]);
        set(&s->best[v], TREE_NONE);
        atomic_store_explicit(&s->least[v], UINT64_MAX, memory_order_relaxed);
        set(&s->bound[v], TREE_NONE);
        set(&s->uncertain[v], 0);
    }
}

/* Finds the least known edge out of v, or its bound. A point keeps its edge while the other end is in another
 * component; and its bound, once its list is behind it. */
static void find_edge(rounds *s, uint32_t v) {
    if (s->far[v] != TREE_NONE && s->label[s->to[v]] != s->label[v]) {
        s->far[v] = s->label[s->to[v]];
        return;
    }
    size_t first = (size_t)v * s->lists->k;
    const uint32_t *list = s->lists->index + first;
    uint32_t count = listed(s, v), at = s->cursor[v], own = s->label[v], found = s->found[v];
    if (at == count && found == TREE_NONE && s->to[v] != TREE_NONE) return;
    while (at < count && s->label[list[at]] == own) at++;
    bool in_list = at < count, known = in_list || found != TREE_NONE;
    uint32_t entry = in_list ? at : s->lists->k - 1;
    s->cursor[v] = (uint16_t)at;
    s->to[v] = in_list || !known ? list[entry] : found;
    s->sum[v] = in_list || !known ? s->lists->sum[first + entry] : s->found_sum[v];
    s->far[v] = !known || s->label[s->to[v]] == own ? TREE_NONE : s->label[s->to[v]];
}

/* Offers v's edge to the components that it joins; or its bound to its own. While these are single points,
 * each has its least edge in its own list, if lists are whole. */
static void find_candidate(rounds *s, uint32_t v) {
    uint32_t own = s->label[v];
    find_edge(s, v);
    if (s->far[v] == TREE_NONE) offer(s, &s->bound[own], v);
    else offer_edge(s, own, v);
    if (s->far[v] != TREE_NONE && (s->components < s->n || s->lists->listed)) offer_edge(s, s->far[v], v);
}

static void candidate_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) find_candidate(s, v);
}

static void find_candidates(rounds *s) {
    do_blocks(s, label_block);
    do_blocks(s, candidate_block);
}

/* Whether the bound of point v is less than the best edge of component c. */
static bool is_less(const rounds *s, uint32_t v, uint32_t c) {
    if (v == TREE_NONE || s->best[c] == TREE_NONE) return v != TREE_NONE;
    edge bound = edge_of(s, v), best = edge_of(s, s->best[c]);
    return less(&bound, &best);
}

static void certify_block(void *user, size_t block) {
    rounds *s = user;
    uint32_t count = 0;
    for (uint32_t c = (uint32_t)block * BLOCK; c < block_end(s, block); c++) {
        s->sure[c] = s->label[c] == c && s->best[c] != TREE_NONE && !is_less(s, s->bound[c], c);
        count += s->sure[c];
    }
    s->certified += count;
}

/* Fills sure. Returns how many components are. */
static uint32_t count_certified(rounds *s) {
    s->certified = 0;
    do_blocks(s, certify_block);
    return s->certified;
}

/* ---- joining ----------------------------------------------------------------------------------- */

/* The component at the other end of c's best edge. */
static uint32_t other_end(const rounds *s, uint32_t c) {
    uint32_t v = s->best[c];
    return s->label[v] == c ? s->far[v] : s->label[v];
}

/* Whether c and the other component have chosen the same edge. */
static bool chose_same(const rounds *s, uint32_t c, uint32_t other) {
    if (!s->sure[other]) return false;
    edge a = edge_of(s, s->best[c]), b = edge_of(s, s->best[other]);
    return a.lo == b.lo && a.hi == b.hi;
}

static void join_block(void *user, size_t block) {
    rounds *s = user;
    uint32_t count = 0;
    for (uint32_t c = (uint32_t)block * BLOCK; c < block_end(s, block); c++) {
        uint32_t other = s->sure[c] ? other_end(s, c) : c;
        bool stays = !s->sure[c] || (c < other && chose_same(s, c, other));
        if (s->label[c] == c) set(&s->parent[c], stays ? c : other);
        count += !stays;
    }
    s->part[block] = count;
}

/* Takes the edges of the components that have joined others into the tree. */
static void take_block(void *user, size_t block) {
    rounds *s = user;
    linkage_tree *t = s->tree;
    uint32_t k = t->count + s->part[block], searched = 0;
    for (uint32_t c = (uint32_t)block * BLOCK; c < block_end(s, block); c++) {
        if (s->label[c] != c || parent_of(s, c) == c) continue;
        uint32_t v = s->best[c];
        edge e = edge_of(s, v);
        t->i[k] = e.lo;
        t->j[k] = e.hi;
        t->height[k++] = e.sum;
        searched += s->cursor[v] == listed(s, v);
    }
    s->searched += searched;
}

/* The root of what root c has joined. Halves the way for those who come after. */
static uint32_t climb(rounds *s, uint32_t c) {
    for (uint32_t at = c, steps = 0; steps <= s->n; steps++) {
        uint32_t up = parent_of(s, at), next = parent_of(s, up);
        if (next == up) return up;
        atomic_compare_exchange_strong_explicit(&s->parent[at], &up, next, memory_order_relaxed,
                                                memory_order_relaxed);
        at = next;
    }
    s->circle = true;
    return c;
}

/* What the thread of a root has set stays: others exchange only what they have read. */
static void climb_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t c = (uint32_t)block * BLOCK; c < block_end(s, block); c++)
        if (s->label[c] == c) set(&s->parent[c], climb(s, c));
}

/* Joins the components whose edge is certified. */
static glshape_status join_components(rounds *s) {
    do_blocks(s, join_block);
    uint32_t joined = place_parts(s);
    do_blocks(s, take_block);
    s->tree->count += joined;
    s->components -= joined;
    s->rounds++;
    do_blocks(s, climb_block);
    if (s->circle)
        return fail(run_error(run_of(s->g)), GLSHAPE_GPU_ERROR, "the edges that were found are no tree");
    return joined
               ? GLSHAPE_OK
               : fail(run_error(run_of(s->g)), GLSHAPE_GPU_ERROR, "a search across components found nothing");
}

/* ---- searching --------------------------------------------------------------------------------- */

/* Counts those of a component that follow one another at once: threads would wait for the same number. */
static void doubt_block(void *user, size_t block) {
    rounds *s = user;
    uint32_t c = s->label[block * BLOCK], count = 0;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) {
        s->doubtful[v] = s->far[v] == TREE_NONE && is_less(s, v, s->label[v]);
        if (!s->doubtful[v]) continue;
        if (s->label[v] != c)
            atomic_fetch_add_explicit(&s->uncertain[c], count, memory_order_relaxed), count = 0;
        c = s->label[v];
        count++;
    }
    atomic_fetch_add_explicit(&s->uncertain[c], count, memory_order_relaxed);
}

/* Of the components of a block, the first of those that have most such points. */
static void most_block(void *user, size_t block) {
    rounds *s = user;
    uint32_t most = (uint32_t)block * BLOCK;
    for (uint32_t c = most + 1; c < block_end(s, block); c++)
        if (s->uncertain[c] > s->uncertain[most]) most = c;
    s->part[block] = most;
}

/* Whether the points of component c that prevent its certificate are searched. */
static bool is_searched(const rounds *s, uint32_t c) { return s->uncertain[c] && c != s->most; }

static bool is_query(const rounds *s, uint32_t v) { return s->doubtful[v] && s->label[v] != s->most; }

static void count_queries(void *user, size_t block) {
    rounds *s = user;
    s->part[block] = 0;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) s->part[block] += is_query(s, v);
}

static void list_queries(void *user, size_t block) {
    rounds *s = user;
    uint32_t at = s->part[block];
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++)
        if (is_query(s, v)) s->to_search[at++] = (knn_query){v, s->label[v]};
}

static void forget_bounds(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t c = (uint32_t)block * BLOCK; c < block_end(s, block); c++)
        if (is_searched(s, c)) set(&s->bound[c], TREE_NONE);
}

/* The points of all other components have the edges and bounds that they had. */
static void renew_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++)
        if (is_searched(s, s->label[v])) find_candidate(s, v);
}

/* Finds the candidates of components whose points have been searched. */
static void renew_candidates(rounds *s) {
    do_blocks(s, forget_bounds);
    do_blocks(s, renew_block);
}

/* Fills queries, which has room for n, with the points to search. Returns how many these are. */
static uint32_t choose_queries(rounds *s, knn_query *queries) {
    s->to_search = queries;
    do_blocks(s, doubt_block);
    do_blocks(s, most_block);
    s->most = s->part[0];
    for (uint32_t b = 1; b < s->blocks; b++)
        if (s->uncertain[s->part[b]] > s->uncertain[s->most]) s->most = s->part[b];
    do_blocks(s, count_queries);
    uint32_t count = place_parts(s);
    do_blocks(s, list_queries);
    return count;
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
    const ranks *r = run_ranks(run_of(s->g));
    *all = linkage_is_of_all(&s->across, count, (uint32_t)r->size);
    TRY(ranks_broadcast(r, run_error(run_of(s->g)), all, sizeof *all));
    for (int q = 0; q <= r->size; q++)
        first[q] = *all ? queries_before(queries, count, ranks_first(r, s->n, KNN_TILE, q))
                        : ranks_first(r, count, KNN_TILE, q);
    return GLSHAPE_OK;
}

/* Runs the queries of the first rank: each rank its share of them. The first gets what all have found. */
static glshape_status search_together(rounds *s, knn_query *queries, uint32_t count, uint32_t *to,
                                      double *sum) {
    OWNED uint64_t *first = NULL;
    const ranks *r = run_ranks(run_of(s->g));
    error *err = run_error(run_of(s->g));
    bool all;
    ranks_go_together(r);
    TRY(ranks_broadcast(r, err, s->label, s->n * sizeof *s->label));
    TRY(ranks_broadcast(r, err, queries, count * sizeof *queries));
    TRY(allocate(err, &first, (size_t)r->size + 1, sizeof *first, "the shares of ranks"));
    TRY(share_queries(s, queries, count, &all, first));
    uint64_t own = first[r->rank];
    TRY(linkage_find_across(&s->across, all, queries + own, (uint32_t)(first[r->rank + 1] - own), to + own,
                            sum + own));
    TRY(ranks_bring_parts(r, err, to, sizeof *to, first));
    TRY(ranks_bring_parts(r, err, sum, sizeof *sum, first));
    ranks_go_alone(r);
    return GLSHAPE_OK;
}

static glshape_status allocate_found(error *err, uint32_t count, uint32_t **to, double **sum) {
    TRY(allocate(err, to, count, sizeof **to, "what a search found"));
    return allocate(err, sum, count, sizeof **sum, "what a search found");
}

/* Takes part in the searches of the first rank, until it says that none will follow. */
static glshape_status serve_searches(rounds *s) {
    error *err = run_error(run_of(s->g));
    TRY(allocate(err, &s->label, s->n, sizeof *s->label, "components"));
    s->across.label = s->label;
    for (uint32_t count = 1; count;) {
        OWNED knn_query *queries = NULL;
        OWNED uint32_t *to = NULL;
        OWNED double *sum = NULL;
        TRY(ranks_broadcast(run_ranks(run_of(s->g)), err, &count, sizeof count));
        TRY(allocate(err, &queries, count, sizeof *queries, "points to search"));
        TRY(allocate_found(err, count, &to, &sum));
        if (count) TRY(search_together(s, queries, count, to, sum));
    }
    return GLSHAPE_OK;
}

/* Searches the points that prevent certificates. */
static glshape_status search_points(rounds *s) {
    OWNED knn_query *queries = NULL;
    OWNED uint32_t *to = NULL;
    OWNED double *sum = NULL;
    error *err = run_error(run_of(s->g));
    double start = wall_seconds();
    TRY(memory_resize(err, &queries, s->n, sizeof *queries, "points to search"));
    uint32_t count = choose_queries(s, queries);
    TRY(allocate_found(err, count, &to, &sum));
    if (linkage_is_much(s->g, s->p, count)) {
        TRY(ranks_broadcast(run_ranks(run_of(s->g)), err, &count, sizeof count));
        TRY(search_together(s, queries, count, to, sum));
    } else TRY(linkage_find_across(&s->across, false, queries, count, to, sum));
    for (uint32_t q = 0; q < count; q++) {
        s->found[queries[q].point] = to[q];
        s->found_sum[queries[q].point] = sum[q];
    }
    s->queries += count;
    *s->seconds += wall_seconds() - start;
    return GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static void begin_block(void *user, size_t block) {
    rounds *s = user;
    for (uint32_t v = (uint32_t)block * BLOCK; v < block_end(s, block); v++) {
        set(&s->parent[v], v);
        s->label[v] = v;
        s->found[v] = s->to[v] = s->far[v] = TREE_NONE;
    }
}

static glshape_status allocate_rounds(rounds *s) {
    const struct {
        void *out;
        size_t size;
    } arrays[] = {{&s->parent, sizeof *s->parent},
                  {&s->label, sizeof *s->label},
                  {&s->sure, sizeof *s->sure},
                  {&s->cursor, sizeof *s->cursor},
                  {&s->found, sizeof *s->found},
                  {&s->found_sum, sizeof *s->found_sum},
                  {&s->best, sizeof *s->best},
                  {&s->bound, sizeof *s->bound},
                  {&s->least, sizeof *s->least},
                  {&s->far, sizeof *s->far},
                  {&s->uncertain, sizeof *s->uncertain},
                  {&s->to, sizeof *s->to},
                  {&s->sum, sizeof *s->sum},
                  {&s->doubtful, sizeof *s->doubtful}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TRY(allocate(run_error(run_of(s->g)), arrays[i].out, s->n, arrays[i].size, "components"));
    TRY(allocate(run_error(run_of(s->g)), &s->part, s->blocks, sizeof *s->part, "components"));
    s->across.label = s->label;
    s->team = threads_team_for(s->blocks);
    do_blocks(s, begin_block);
    return GLSHAPE_OK;
}

static void rounds_free(rounds *s) {
    void *const arrays[] = {
        (void *)s->parent,    s->label,         s->cursor, s->found, s->found_sum, (void *)s->best,
        (void *)s->bound,     (void *)s->least, s->far,    s->to,    s->sum,       s->part,
        (void *)s->uncertain, s->doubtful,      s->sure};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    threads_team_free(s->team);
}

static glshape_status find_tree(rounds *s) {
    uint32_t none = 0;
    ranks_go_alone(run_ranks(run_of(s->g)));
    run_begin_stage(run_of(s->g), "tree", RUN_NOT_BY_PASSES);
    TRY(allocate_rounds(s));
    while (s->components > 1) {
        uint32_t before = s->components;
        find_candidates(s);
        if (count_certified(s) < (before + FEW - 1) / FEW) {
            TRY(search_points(s));
            renew_candidates(s);
            count_certified(s);
        }
        TRY(join_components(s));
        TRY(run_tick(run_of(s->g), 1 - log((double)s->components) / log((double)s->n)));
    }
    return ranks_broadcast(run_ranks(run_of(s->g)), run_error(run_of(s->g)), &none, sizeof none);
}

glshape_status linkage_rounds(gpu *g, knn_points *p, const tree_lists *lists, linkage_tree *tree,
                              double *seconds) {
    OWNED_BY(rounds_free) rounds s = {.g = g, .p = p, .lists = lists, .n = p->n, .components = p->n};
    s.blocks = (s.n - 1) / BLOCK + 1;
    s.across = (linkage_across){.g = g, .p = p, .cores = lists->cores};
    s.tree = tree;
    s.seconds = seconds;
    TRY(run_ranks(run_of(g))->rank ? serve_searches(&s) : find_tree(&s));
    TRY(ranks_sum(run_ranks(run_of(g)), run_error(run_of(g)), &s.across.scanned));
    run_fact(run_of(g), tree->count - s.searched, "edges certified");
    run_fact(run_of(g), s.searched, "edges searched for");
    run_fact(run_of(g), (double)s.queries, "points searched for");
    run_fact(run_of(g), (double)s.across.scanned, "points compared with all");
    run_fact(run_of(g), s.rounds, "rounds");
    return GLSHAPE_OK;
}
