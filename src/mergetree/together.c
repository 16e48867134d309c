/* The tree of a field in slabs, which several ranks may have.
 *
 * What a slab does not decide alone, its rank does, in the same way: a basin that no side between ranks
 * touches is known to its own rank alone, and so are all its edges. A component of such basins ends where it
 * joins an older one, whatever other ranks know: its rank decides that. What is left are open edges, between
 * components that others see. The first rank applies the elder rule to the open edges of all, which are about
 * as many as basins at sides. Then each rank looks up there who was the oldest where its own branches ended.
 * (Morozov, Weber, "Distributed merge trees", 2013, split trees into local and global parts in the same way.)
 *
 * Each rank numbers its vertices in 32 bits (order.origin). To compare saddles of several ranks, `at` has the
 * key and, in place of the vertex, the number of the saddle among those of all ranks, by vertex. */
#include "mergetree/together.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "tree/union.h"

#define BLOCK 65536u
#define LINE 8u /* words of bits */
#define NONE UINT32_MAX

typedef struct together {
    slabs *s;
    together_known *known;
    uint32_t minima, first, own; /* minima of all; the own ones: first … first + own - 1 */
    uint32_t *set;               /* of all minima; the root of an own component is its oldest own minimum */
    uint8_t *seen;               /* of a root: another rank sees the component, too */
    uint64_t *birth;             /* of own minima */
    _Atomic uint64_t *is_saddle; /* of own vertices, a bit each: branches may end there */
    uint32_t *before;            /* by lines of bits: how many saddles come before */
    size_t *saddles;             /* by rank: how many saddles ranks before it have; and all */
    radix_item *ends; /* of own minima. at: where the branch ends; a: a minimum of the component that it joins
                         there, in the end its parent; b: the vertex where it ends, if that was decided here,
                         else any */
    uint32_t *jump, *depth;  /* of own branches that ended here, but not in a slab: as of branches */
    size_t open;             /* the first edges of s->edges */
    uint32_t *vertex;        /* of open edges */
    branches tree;           /* of open edges */
    uint32_t *name;          /* of its branches: the numbers among all minima */
    uint32_t *node;          /* of all minima: the number in that tree, or NONE */
    char *values, *saddle;   /* at open edges; where branches of that tree end */
    uint64_t *saddle_vertex; /* the vertices of these, of the field */
} together;

static error *err_of(const together *t) { return run_error(run_of(t->s->g)); }

void together_known_free(together_known *known) {
    free(known->of_births);
    free(known->of_deaths);
    free(known->vertices);
    *known = (together_known){0};
}

static void together_free(together *t) {
    void *const all[] = {t->set,     t->seen, t->birth,  t->is_saddle, t->before,
                         t->saddles, t->ends, t->jump,   t->depth,     t->vertex,
                         t->name,    t->node, t->values, t->saddle,    t->saddle_vertex};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    branches_free(&t->tree);
}

/* ---- what a rank decides ----------------------------------------------------------------------- */

static void see_side(together *t, int q, bool last) {
    const uint32_t *side = slabs_outer(t->s, q, last);
    for (uint32_t k = 0; k < t->s->plane; k++) t->seen[side[k] ^ BASINS_ARRIVED] = 1;
}

static void begin_all(void *user, size_t first, size_t end) {
    const together *t = user;
    for (size_t m = first; m < end; m++) t->set[m] = (uint32_t)m;
}

static void begin_own(void *user, size_t first, size_t end) {
    const together *t = user;
    const slabs *s = t->s;
    for (size_t m = first; m < end; m++) t->birth[m] = order_of(s->order, s->minimum[m]);
}

static glshape_status begin(together *t) {
    slabs *s = t->s;
    error *err = err_of(t);
    s->end_room = 0;
    t->ends = MOVE(s->ends);
    if (!t->ends) TRY(allocate(err, &t->ends, t->own, sizeof *t->ends, "the branches")); /* of no minima */
    TRY(allocate(err, &t->set, t->minima, sizeof *t->set, "components of minima"));
    TRY(allocate(err, &t->seen, t->minima, sizeof *t->seen, "components of minima"));
    TRY(allocate(err, &t->birth, t->own, sizeof *t->birth, "components of minima"));
    threads_ranges(t->minima, begin_all, t);
    threads_ranges(t->own, begin_own, t);
    for (int q = 0; s->ranks->size > 1 && q < s->ranks->size; q++) {
        see_side(t, q, false);
        see_side(t, q, true);
    }
    return GLSHAPE_OK;
}

/* ---- saddles ----------------------------------------------------------------------------------- */

static void mark(const together *t, uint32_t v) {
    atomic_fetch_or_explicit(&t->is_saddle[v / 64], 1ull << v % 64, memory_order_relaxed);
}

static void mark_ends(void *user, size_t first, size_t last) {
    const together *t = user;
    for (size_t m = first; m < last; m++)
        if (t->ends[m].at != BRANCH_ESSENTIAL) mark(t, t->ends[m].b);
}

static void mark_edges(void *user, size_t first, size_t end) {
    const together *t = user;
    for (size_t k = first; k < end; k++) mark(t, (uint32_t)t->s->edges[k].at);
}

static uint32_t count_bits(const together *t, size_t first, size_t end) {
    uint32_t count = 0;
    for (size_t k = first; k < end; k++) count += (uint32_t)__builtin_popcountll(t->is_saddle[k]);
    return count;
}

/* `at` with the number of its vertex. */
static uint64_t numbered(const together *t, uint64_t at) {
    uint32_t v = (uint32_t)at, word = v / 64, line = word / LINE;
    uint64_t below = t->is_saddle[word] & ((1ull << v % 64) - 1);
    size_t own = t->before[line] + count_bits(t, line * LINE, word) + (size_t)__builtin_popcountll(below);
    return at >> 32 << 32 | (t->saddles[t->s->ranks->rank] + own);
}

static void number_ends(void *user, size_t first, size_t last) {
    const together *t = user;
    for (size_t m = first; m < last; m++)
        if (t->ends[m].at != BRANCH_ESSENTIAL) t->ends[m].at = numbered(t, t->ends[m].at);
}

/* Numbers the saddles of all ranks, and those where branches have ended. */
static glshape_status number_saddles(together *t, size_t edges) {
    const slabs *s = t->s;
    const ranks *r = s->ranks;
    size_t vertices = (size_t)(s->first[s->own_end] - s->first[s->own]) * s->plane, all = 0;
    size_t lines = vertices / (64 * LINE) + 1;
    TRY(allocate(err_of(t), &t->is_saddle, lines, LINE * sizeof *t->is_saddle, "the saddles of slabs"));
    TRY(allocate(err_of(t), &t->before, lines, sizeof *t->before, "the saddles of slabs"));
    TRY(allocate(err_of(t), &t->saddles, (size_t)r->size + 1, sizeof *t->saddles, "the saddles of ranks"));
    threads_ranges(t->own, mark_ends, t);
    threads_ranges(edges, mark_edges, t);
    size_t *own = &t->saddles[r->rank];
    for (size_t k = 0; k < lines; k++) {
        t->before[k] = (uint32_t)*own;
        *own += count_bits(t, k * LINE, (k + 1) * LINE);
    }
    TRY(ranks_gather(r, err_of(t), t->saddles, sizeof *t->saddles, (uint64_t)r->size, 1));
    for (int q = 0; q <= r->size; q++) {
        size_t count = t->saddles[q];
        t->saddles[q] = all;
        all += count;
    }
    if (all > UINT32_MAX)
        return fail(err_of(t), GLSHAPE_BAD_ARGUMENT,
                    "more than 2^32 - 1 saddles between basins: coarsen the field");
    threads_ranges(t->own, number_ends, t);
    return GLSHAPE_OK;
}

/* ---- the elder rule ---------------------------------------------------------------------------- */

static glshape_status sort_edges(together *t, size_t count) {
    OWNED radix_item *spare = NULL;
    TRY(allocate(err_of(t), &spare, count, sizeof *spare, "the saddles of slabs"));
    radix_sort(t->s->edges, spare, count);
    return GLSHAPE_OK;
}

/* What is born elsewhere, of which only its rank knows when, counts as young: so nothing ends that should
 * not. */
static uint64_t birth_of(const together *t, uint32_t root) {
    return root - t->first < t->own ? t->birth[root - t->first] : UINT64_MAX;
}

/* Joins the components of an edge at a vertex. Returns the minimum that ends there for certain, or NONE. */
static uint32_t join(together *t, radix_item e, uint32_t vertex) {
    uint32_t x = union_find(t->set, e.a), y = union_find(t->set, e.b);
    if (x == y) return NONE;
    uint32_t elder = birth_of(t, x) < birth_of(t, y) ? x : y, younger = elder == x ? y : x;
    t->set[younger] = elder;
    if (t->seen[younger]) {
        t->seen[elder] = true;
        t->vertex[t->open] = vertex;
        t->s->edges[t->open++] = (radix_item){e.at, elder, younger};
        return NONE;
    }
    t->ends[younger - t->first] = (radix_item){e.at, younger, vertex};
    return younger;
}

/* As of branches: those that have not ended jump nowhere. */
static uint32_t jump_of(const together *t, uint32_t m) {
    return t->ends[m].at == BRANCH_ESSENTIAL ? m : t->jump[m];
}

/* Finds the jumps of branches that ended, which come in the order of their ends. */
static glshape_status find_jumps(together *t, const uint32_t *ended, size_t count) {
    TRY(allocate(err_of(t), &t->jump, t->own, sizeof *t->jump, "the branches"));
    TRY(allocate(err_of(t), &t->depth, t->own, sizeof *t->depth, "the branches"));
    const uint32_t *depth = t->depth;
    while (count--) {
        uint32_t m = ended[count], p = t->ends[m].a - t->first, one = jump_of(t, p), two = jump_of(t, one);
        bool equal = depth[p] - depth[one] == depth[one] - depth[two];
        t->jump[m] = equal ? two : p;
        t->depth[m] = depth[p] + 1;
    }
    return GLSHAPE_OK;
}

/* Where the parent that a slab has found has ended before, another one is it. */
static void climb_ends(void *user, size_t first, size_t last) {
    const together *t = user;
    for (size_t m = first; m < last; m++) {
        uint64_t then = t->ends[m].at;
        if (then == BRANCH_ESSENTIAL) continue;
        uint32_t before = t->ends[m].a - t->first, at = before;
        while (t->ends[at].at <= then)
            at = t->ends[t->jump[at]].at <= then ? t->jump[at] : t->ends[at].a - t->first;
        if (at != before) t->ends[m].a = t->first + at;
    }
}

/* Applies the elder rule to the own edges, as far as it is certain; the open ones are moved to the front. */
static glshape_status decide(together *t, size_t count) {
    OWNED uint32_t *ended = NULL;
    radix_item *edges = t->s->edges;
    size_t all = 0;
    TRY(sort_edges(t, count));
    TRY(allocate(err_of(t), &ended, t->own, sizeof *ended, "the branches"));
    TRY(allocate(err_of(t), &t->vertex, count, sizeof *t->vertex, "the saddles of slabs"));
    for (size_t k = 0; k < count;) {
        uint64_t here = edges[k].at, at = numbered(t, here);
        size_t before = all;
        for (; k < count && edges[k].at == here; k++) {
            uint32_t m = join(t, (radix_item){at, edges[k].a, edges[k].b}, (uint32_t)here);
            if (m != NONE) ended[all++] = m - t->first;
        }
        for (size_t some = before; some < all; some++)
            t->ends[ended[some]].a = union_find(t->set, t->first + ended[some]);
    }
    TRY(find_jumps(t, ended, all));
    threads_ranges(t->own, climb_ends, t);
    return GLSHAPE_OK;
}

/* ---- to the first rank ------------------------------------------------------------------------- */

/* Copies values at vertices; of these one comes every `step` bytes. */
typedef struct copying {
    const char *vertex;
    size_t step, count, size;
    const char *values;
    char *out;
} copying;

static void copy_block(void *user, size_t block) {
    const copying *c = user;
    size_t first = block * BLOCK, end = c->count - first < BLOCK ? c->count : first + BLOCK;
    for (size_t k = first; k < end; k++) {
        uint32_t v;
        memcpy(&v, c->vertex + k * c->step, sizeof v);
        memcpy(c->out + k * c->size, c->values + v * c->size, c->size);
    }
}

/* Brings the values at vertices of all ranks to the first, in *all; free() it. */
static glshape_status bring_values(together *t, const void *vertex, size_t step, size_t count, void *all) {
    OWNED char *out = NULL;
    const order *o = t->s->order;
    size_t size = matrix_value_size(o->field->type), bytes;
    TRY(allocate(err_of(t), &out, count, size, "values of saddles"));
    const char *values = (const char *)o->field->values + o->origin * size;
    copying c = {vertex, step, count, size, values, out};
    threads_run(0, (count + BLOCK - 1) / BLOCK, copy_block, &c);
    return ranks_collect(t->s->ranks, err_of(t), out, count * size, all, &bytes);
}

/* Brings an array of all ranks to the first, in place of its own one. */
static glshape_status bring(together *t, void *array, size_t *count, size_t size) {
    OWNED void *all = NULL;
    void *own;
    size_t bytes;
    memcpy(&own, array, sizeof own);
    TRY(ranks_collect(t->s->ranks, err_of(t), own, *count * size, &all, &bytes));
    if (t->s->ranks->rank) return GLSHAPE_OK;
    free(own);
    own = MOVE(all);
    memcpy(array, &own, sizeof own);
    *count = bytes / size;
    return GLSHAPE_OK;
}

/* Brings the minima and the open edges of all. */
static glshape_status bring_open(together *t) {
    slabs *s = t->s;
    together_known *known = t->known;
    size_t minima = t->own, vertices = t->open;
    TRY(bring_values(t, s->minimum, sizeof *s->minimum, minima, &known->of_births));
    TRY(bring(t, &s->minimum, &minima, sizeof *s->minimum));
    TRY(bring_values(t, t->vertex, sizeof *t->vertex, vertices, &t->values));
    TRY(bring(t, &t->vertex, &vertices, sizeof *t->vertex));
    TRY(bring(t, &s->edges, &t->open, sizeof *s->edges));
    if (s->ranks->rank) return GLSHAPE_OK;
    known->births = *s->order->field;
    known->births.values = known->of_births;
    known->order = *s->order;
    known->order.n = t->minima;
    known->order.field = &known->births;
    return GLSHAPE_OK;
}

/* ---- what the first rank decides --------------------------------------------------------------- */

static glshape_status number_nodes(together *t) {
    TRY(allocate(err_of(t), &t->node, t->minima, sizeof *t->node, "components of minima"));
    memset(t->node, 0xff, t->minima * sizeof *t->node);
    for (uint32_t k = 0; k < t->tree.count; k++) t->node[t->name[k]] = k;
    return GLSHAPE_OK;
}

/* Lists the ends of open edges. */
static glshape_status list_nodes(together *t) {
    OWNED uint8_t *has = NULL;
    TRY(allocate(err_of(t), &has, t->minima, sizeof *has, "components of minima"));
    for (size_t k = 0; k < t->open; k++) has[t->s->edges[k].a] = has[t->s->edges[k].b] = 1;
    for (uint32_t m = 0; m < t->minima; m++) t->tree.count += has[m];
    TRY(allocate(err_of(t), &t->name, t->tree.count, sizeof *t->name, "components of minima"));
    for (uint32_t m = 0, k = 0; m < t->minima; m++)
        if (has[m]) t->name[k++] = m;
    return number_nodes(t);
}

/* The vertex of the field that the vertices of rank q are numbered from. */
static uint64_t origin_of(const together *t, int q) {
    const slabs *s = t->s;
    return (uint64_t)s->first[s->owned[q]] * s->plane;
}

/* The vertex of the field at open edge k, of a number among all saddles. */
static uint64_t vertex_of_edge(const together *t, uint32_t k, uint32_t number) {
    int q = 0;
    while (t->saddles[q + 1] <= number) q++;
    return origin_of(t, q) + t->vertex[k];
}

/* Notes where branches end at open edges, and at which values. */
static glshape_status note_saddles(together *t, radix_item *edges) {
    OWNED radix_item *spare = NULL;
    branches *tree = &t->tree;
    size_t size = matrix_value_size(t->known->births.type);
    TRY(allocate(err_of(t), &spare, t->open, sizeof *spare, "the saddles of slabs"));
    TRY(allocate(err_of(t), &t->saddle, tree->count, size, "values of saddles"));
    TRY(allocate(err_of(t), &t->saddle_vertex, tree->count, sizeof *t->saddle_vertex, "vertices of saddles"));
    radix_sort(edges, spare, t->open);
    for (uint32_t k = 0; k < tree->count; k++) {
        size_t first = 0, end = t->open;
        while (first + 1 < end) {
            size_t middle = first + (end - first) / 2;
            if (edges[middle].at <= tree->death[k]) first = middle;
            else end = middle;
        }
        memcpy(t->saddle + k * size, t->values + edges[first].a * size, size);
        t->saddle_vertex[k] = vertex_of_edge(t, edges[first].a, (uint32_t)edges[first].at);
    }
    return GLSHAPE_OK;
}

static glshape_status decide_open(together *t) {
    OWNED uint32_t *name = NULL;
    OWNED radix_item *edges = NULL; /* a: the place among the saddles' values */
    TRY(list_nodes(t));
    uint32_t count = t->tree.count;
    TRY(allocate(err_of(t), &name, count, sizeof *name, "components of minima"));
    TRY(allocate(err_of(t), &edges, t->open, sizeof *edges, "the saddles of slabs"));
    memcpy(name, t->name, count * sizeof *name);
    for (size_t k = 0; k < t->open; k++) {
        radix_item *e = &t->s->edges[k];
        edges[k] = (radix_item){e->at, (uint32_t)k, 0};
        *e = (radix_item){e->at, t->node[e->a], t->node[e->b]};
    }
    TRY(branches_new(err_of(t), &t->known->order, MOVE(name), count, t->s->edges, t->open, &t->tree));
    return note_saddles(t, edges);
}

/* Tells all ranks what the first has decided. */
static glshape_status share_decisions(together *t) {
    const slabs *s = t->s;
    TRY(slabs_share_tree(s, &t->tree));
    if (s->ranks->rank)
        TRY(allocate(err_of(t), &t->name, t->tree.count, sizeof *t->name, "components of minima"));
    TRY(ranks_broadcast(s->ranks, err_of(t), t->name, t->tree.count * sizeof *t->name));
    return s->ranks->rank ? number_nodes(t) : GLSHAPE_OK;
}

/* ---- the tree of all --------------------------------------------------------------------------- */

/* Completes the ends of own branches. */
static void complete_ends(void *user, size_t first, size_t last) {
    const together *t = user;
    const branches *tree = &t->tree;
    for (size_t m = first; m < last; m++) {
        radix_item *end = &t->ends[m];
        uint32_t node = t->node[t->first + m], joined = t->node[end->a];
        if (node != NONE) *end = (radix_item){tree->death[node], t->name[tree->parent[node]], end->b};
        else if (joined != NONE) end->a = t->name[branches_climb(tree, joined, end->at)];
    }
}

/* Makes the values of deaths those of all. */
static void note_deaths(together *t) {
    together_known *known = t->known;
    size_t size = matrix_value_size(known->births.type);
    for (uint32_t k = 0; k < t->tree.count; k++)
        memcpy((char *)known->of_deaths + t->name[k] * size, t->saddle + k * size, size);
    known->deaths = known->births;
    known->deaths.values = known->of_deaths;
}

typedef struct naming {
    const together *t;
    radix_item *ends;
    bool wide;
} naming;

/* Gives branches the vertices of the field where they begin and end, in place of what stands for them. */
static void name_vertices(void *user, size_t first, size_t last) {
    const naming *of = user;
    const together *t = of->t;
    const slabs *s = t->s;
    uint64_t *vertices = t->known->vertices;
    int q = 0;
    for (size_t m = first; m < last; m++) {
        while (m >= s->base[s->owned[q + 1]]) q++;
        uint32_t node = t->node ? t->node[m] : NONE;
        uint64_t birth = origin_of(t, q) + s->minimum[m], at = of->ends[m].at;
        uint64_t death = node == NONE ? origin_of(t, q) + of->ends[m].b : t->saddle_vertex[node];
        s->minimum[m] = of->wide ? (uint32_t)m : (uint32_t)birth;
        if (of->wide) vertices[m] = birth, vertices[t->minima + m] = death;
        else if (at != BRANCH_ESSENTIAL) of->ends[m].at = at >> 32 << 32 | death;
    }
}

static void number_all(void *user, size_t first, size_t end) {
    for (size_t m = first; m < end; m++) ((uint32_t *)user)[m] = (uint32_t)m;
}

typedef struct spelling {
    const radix_item *ends;
    radix_item *items;
} spelling;

/* Makes of the ends what branches_of_forest() reads. */
static void spell_ends(void *user, size_t first, size_t last) {
    const spelling *s = user;
    for (size_t m = first; m < last; m++) {
        const radix_item *end = &s->ends[m];
        const uint32_t words[4] = {(uint32_t)(end->at >> 32), (uint32_t)end->at, end->a, 0};
        memcpy(&s->items[m], words, sizeof words);
    }
}

/* Makes the tree of the ends of all branches. Of several ranks the first knows births by the numbers of
 * branches. */
static glshape_status make_tree(together *t, bool wide, branches *out) {
    OWNED uint32_t *number = NULL;
    OWNED radix_item *items = NULL;
    error *err = err_of(t);
    slabs *s = t->s;
    uint32_t count = t->minima;
    bool alone = s->ranks->size == 1;
    s->minimum_room = 0;
    if (wide) TRY(allocate(err, &t->known->vertices, 2 * (size_t)count, sizeof(uint64_t), "the branches"));
    threads_ranges(count, name_vertices, &(naming){t, t->ends, wide});
    TRY(memory_resize(err, &items, count, 2 * sizeof *items, "the branches"));
    threads_ranges(count, spell_ends, &(spelling){t->ends, items});
    free(MOVE(t->ends));
    if (alone) return branches_of_forest(err, s->order, MOVE(s->minimum), count, items, out);
    TRY(memory_resize(err, &number, count, sizeof *number, "the branches"));
    threads_ranges(count, number_all, number);
    TRY(branches_of_forest(err, &t->known->order, MOVE(number), count, items, out));
    free(out->minimum);
    out->minimum = MOVE(s->minimum);
    return GLSHAPE_OK;
}

/* Decides, of several ranks, what no rank decides alone, and brings the ends of all to the first. */
static glshape_status decide_together(together *t) {
    size_t count = t->own;
    TRY(bring_open(t));
    if (!t->s->ranks->rank) TRY(decide_open(t));
    TRY(share_decisions(t));
    threads_ranges(t->own, complete_ends, t);
    TRY(bring_values(t, &t->ends->b, sizeof *t->ends, t->own, &t->known->of_deaths));
    TRY(bring(t, &t->ends, &count, sizeof *t->ends));
    if (!t->s->ranks->rank) note_deaths(t);
    return GLSHAPE_OK;
}

glshape_status together_find(slabs *s, size_t count, bool wide, together_known *known, branches *tree) {
    uint32_t first = s->base[s->own], own = s->base[s->own_end] - first;
    OWNED_BY(together_free)
    together t = {.s = s, .known = known, .minima = s->base[s->count], .first = first, .own = own};
    TRY(begin(&t));
    TRY(number_saddles(&t, count));
    TRY(decide(&t, count));
    if (s->ranks->size > 1) TRY(decide_together(&t));
    free(MOVE(s->edges));
    if (!ranks_go_alone(s->ranks)) return GLSHAPE_OK;
    return make_tree(&t, wide, tree);
}
