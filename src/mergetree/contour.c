/* glshape_contour: the contour tree from the join tree and the split tree. On the CPU.
 *
 * A contour tree is a tree whose join tree and split tree are those of the field. Not every field has one; if
 * there is one, contour_tree_merge() finds it (Carr, Snoeyink, Axen 2003): a leaf of it has one child in the
 * join and the split tree together, and when it is taken away, these two are the trees of the rest. If there
 * is none, another tree is made, whose own join tree or split tree differs: both are compared.
 *
 * Only nodes are taken away: the vertices that are regular in both trees are left out. Such a vertex lies on
 * an edge of the join tree and on one of the split tree. Taken away one after another, all that lie on the
 * edge of a leaf would follow the leaf: so a vertex is on the arc that was made when the first of its two
 * edges went. The tree that they all make has the field's join and split tree if the tree of the nodes has,
 * and if each vertex follows, in both trees of its arc, the node that it follows in the field's.
 *
 * A field has a contour tree if the triangles of the neighborhood fill every circle of neighbors. Those of 8,
 * 18, 26 and Freudenthal's neighbors do so on a grid without periodic axes: every side of a cell is an edge,
 * and every diagonal makes triangles with shorter edges, so every circle can be moved over triangles to a
 * point. The level sets of the linear interpolation on the triangles then have a tree. 4 and 6 neighbors have
 * no triangles.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "gpu/context.h"
#include "mergetree/contour_tree.h"
#include "mergetree/order.h"

#define NONE GLSHAPE_NO_VERTEX
#define BLOCK 65536u /* vertices that a thread takes at a time */
#define PIECE 4096u

/* The join or the split tree of the field by its branches. Split trees are made of the field from its other
 * end, in which vertex v is n - 1 - v; here vertices are those of the field. */
typedef struct side_tree {
    glshape_branch *branches;
    size_t count;
    uint32_t *on; /* of a vertex: where its branch begins */
    /* The nodes on each branch, upwards; branches by the node where they begin. */
    uint32_t *start, *node;
    uint64_t *at;  /* the same, as order_of() */
    uint32_t *arc; /* the same, the arc of the node's edge */
} side_tree;

typedef struct maker {
    glshape_context *context;
    error *err;
    glshape_field field;
    glshape_mergetree_method method;
    glshape_contour_result *result;
    order order;
    uint32_t n;
    side_tree side[2];
    uint32_t *vertex, *number; /* of a node; of a vertex: one more than its node, or 0: it is regular */
    contour_tree tree;
    uint32_t *row;             /* of an arc, in the result */
    _Atomic uint32_t *regular; /* of a row: vertices */
    atomic_bool wrong;         /* some vertex follows another node */
} maker;

static const char what[] = "the contour tree";

static void free_side(side_tree *t) {
    void *const all[] = {t->branches, t->on, t->start, t->node, t->at, t->arc};
    for (int i = 0; i < 6; i++) free(all[i]);
    *t = (side_tree){0};
}

/* Calls work for all blocks of the vertices. */
static void each_block(maker *c, void (*work)(void *maker, size_t block)) {
    threads_run(0, (c->n - 1) / BLOCK + 1, work, c);
}

static uint32_t block_end(const maker *c, uint32_t first) {
    return c->n - first < BLOCK ? c->n : first + BLOCK;
}

/* ---- join and split trees ---------------------------------------------------------------------- */

static uint32_t reversed(const maker *c, uint32_t v, bool reverse) {
    return reverse && v != NONE ? c->n - 1 - v : v;
}

typedef struct taking {
    const maker *c;
    const uint32_t (*triplets)[3];
    bool reverse;
    uint32_t *on;
} taking;

static void take_block(void *user, size_t block) {
    const taking *t = user;
    const maker *c = t->c;
    uint32_t first = (uint32_t)block * BLOCK;
    for (uint32_t v = first; v < block_end(c, first); v++) {
        const uint32_t *at = t->triplets[reversed(c, v, t->reverse)];
        t->on[v] = reversed(c, at[1] == at[0] ? at[2] : at[0], t->reverse);
    }
}

static glshape_status make_side(maker *c, const glshape_field *field, bool reverse, side_tree *t) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result r = {0};
    glshape_mergetree_options o = {.method = c->method, .superlevel = reverse};
    TRY(glshape_mergetree(c->context, field, &o, &r));
    c->result->n = r.n;
    c->n = (uint32_t)r.n;
    TRY(allocate(c->err, &t->on, c->n, sizeof *t->on, what));
    taking job = {c, (const uint32_t(*)[3])(const void *)r.triplets, reverse, t->on};
    threads_run(0, (c->n - 1) / BLOCK + 1, take_block, &job);
    t->branches = MOVE(r.branches);
    t->count = r.count;
    for (size_t k = 0; reverse && k < t->count; k++) {
        t->branches[k].birth = reversed(c, t->branches[k].birth, true);
        t->branches[k].death = reversed(c, t->branches[k].death, true);
    }
    return GLSHAPE_OK;
}

static glshape_status reverse_graph(maker *c, const glshape_graph *from, size_t **start, uint32_t **to) {
    size_t count = from->start[c->n], at = 0;
    TRY(allocate(c->err, start, c->n + (size_t)1, sizeof **start, "the graph, reversed"));
    TRY(allocate(c->err, to, count, sizeof **to, "the graph, reversed"));
    for (uint32_t v = c->n; v-- > 0;) {
        for (size_t k = from->start[v]; k < from->start[v + 1]; k++) (*to)[at++] = c->n - 1 - from->to[k];
        (*start)[c->n - v] = at;
    }
    return GLSHAPE_OK;
}

typedef struct reversing {
    const maker *c;
    size_t size; /* of a value */
    char *values;
} reversing;

static void reverse_block(void *user, size_t block) {
    const reversing *r = user;
    const maker *c = r->c;
    const char *from = c->field.values;
    uint32_t first = (uint32_t)block * BLOCK;
    for (uint32_t v = first; v < block_end(c, first); v++)
        memcpy(r->values + r->size * v, from + r->size * (c->n - 1 - v), r->size);
}

/* The split tree is ordered the other way, of equal values the greater index first: so the vertices of the
 * field are reversed. */
static glshape_status make_split(maker *c) {
    OWNED char *values = NULL;
    OWNED size_t *start = NULL;
    OWNED uint32_t *to = NULL;
    size_t size = matrix_value_size(c->field.type);
    glshape_field field = c->field;
    glshape_graph graph = {.nodes = c->n};
    TRY(allocate(c->err, &values, c->n, size, "the field, reversed"));
    threads_run(0, (c->n - 1) / BLOCK + 1, reverse_block, &(reversing){c, size, values});
    field.values = values;
    if (field.graph) {
        TRY(reverse_graph(c, field.graph, &start, &to));
        graph.start = start, graph.to = to;
        field.graph = &graph;
    }
    return make_side(c, &field, true, &c->side[CONTOUR_SPLIT]);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

/* NONE: it is regular. */
static uint32_t node_at(const maker *c, uint32_t v) { return c->number[v] - 1; }

static void add_node(const maker *c, uint32_t v, radix_item *items, size_t *count) {
    if (v != NONE) items[(*count)++] = (radix_item){order_of(&c->order, v), v, 0};
}

/* Lists the vertices where branches of either tree begin or end, in order. */
static glshape_status list_nodes(maker *c) {
    OWNED radix_item *items = NULL;
    size_t most = 2 * (c->side[0].count + c->side[1].count), count = 0;
    uint32_t nodes = 0;
    TRY(allocate(c->err, &items, most, 2 * sizeof *items, what));
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < c->side[side].count; k++) {
            add_node(c, c->side[side].branches[k].birth, items, &count);
            add_node(c, c->side[side].branches[k].death, items, &count);
        }
    radix_sort(items, items + most, count);
    TRY(allocate(c->err, &c->vertex, count, sizeof *c->vertex, what));
    TRY(allocate(c->err, &c->number, c->n, sizeof *c->number, what));
    for (size_t k = 0; k < count; k++) {
        if (k && items[k].at == items[k - 1].at) continue;
        c->vertex[nodes++] = items[k].a;
        c->number[items[k].a] = nodes;
    }
    return contour_tree_new(c->err, nodes, &c->tree);
}

/* Sorts the nodes by branch. */
static glshape_status list_by_branch(maker *c, side_tree *t) {
    uint32_t nodes = c->tree.count;
    TRY(allocate(c->err, &t->start, (size_t)nodes + 2, sizeof *t->start, what));
    TRY(allocate(c->err, &t->node, nodes, sizeof *t->node, what));
    TRY(allocate(c->err, &t->at, nodes, sizeof *t->at, what));
    TRY(allocate(c->err, &t->arc, nodes, sizeof *t->arc, what));
    uint32_t *end = t->start + 1; /* of each branch, at last; before, where its next node goes */
    for (uint32_t k = 0; k < nodes; k++) end[node_at(c, t->on[c->vertex[k]]) + 1]++;
    for (uint32_t k = 0; k < nodes; k++) end[k + 1] += end[k];
    for (uint32_t k = 0; k < nodes; k++) {
        uint32_t slot = end[node_at(c, t->on[c->vertex[k]])]++;
        t->node[slot] = k;
        t->at[slot] = order_of(&c->order, c->vertex[k]);
    }
    return GLSHAPE_OK;
}

/* The parent of a node is the next one on its branch, on the way from where it begins; of the last one, the
 * node where the branch ends. */
static void find_parents(maker *c, int side) {
    const side_tree *t = &c->side[side];
    uint32_t *parent = c->tree.side[side].parent;
    for (size_t k = 0; k < t->count; k++) {
        uint32_t branch = node_at(c, t->branches[k].birth), end = t->branches[k].death;
        uint32_t first = t->start[branch], last = t->start[branch + 1] - 1;
        for (uint32_t slot = first; slot < last; slot++) {
            uint32_t low = t->node[slot], high = t->node[slot + 1];
            parent[side == CONTOUR_JOIN ? low : high] = side == CONTOUR_JOIN ? high : low;
        }
        parent[t->node[side == CONTOUR_JOIN ? last : first]] = end == NONE ? NONE : node_at(c, end);
    }
}

static glshape_status refuse(const maker *c) {
    const glshape_field *f = &c->field;
    static const char none[] =
        "this field has no contour tree: no tree has both its join tree and its split tree";
    if (f->graph)
        return fail(c->err, GLSHAPE_BAD_INPUT,
                    "%s; every field on a graph has one if the graph's triangles fill all ways around: add "
                    "the edges that are missing",
                    none);
    if (f->dims == 1)
        return fail(c->err, GLSHAPE_BAD_INPUT, "%s; if its axis is not periodic, every field has one", none);
    bool periodic = f->periodic[0] || f->periodic[1] || (f->dims == 3 && f->periodic[2]);
    return fail(c->err, GLSHAPE_BAD_INPUT, "%s; %swith %s neighbors every field has one", none,
                periodic ? "without periodic axes and " : "",
                f->dims == 2 ? "freudenthal-6 or 8" : "freudenthal-14, 18 or 26");
}

/* ---- arcs -------------------------------------------------------------------------------------- */

static glshape_status list_arcs(maker *c) {
    OWNED radix_item *items = NULL;
    const contour_tree *t = &c->tree;
    glshape_contour_result *r = c->result;
    TRY(allocate(c->err, &items, t->arcs, 2 * sizeof *items, "the arcs"));
    TRY(allocate(c->err, &r->arcs, t->arcs, sizeof *r->arcs, "the arcs"));
    TRY(allocate(c->err, &c->row, t->arcs, sizeof *c->row, "the arcs"));
    TRY(allocate(c->err, &c->regular, t->arcs, sizeof *c->regular, "the arcs"));
    for (uint32_t e = 0; e < t->arcs; e++) {
        uint32_t lower = c->vertex[t->lower[e]], upper = c->vertex[t->upper[e]];
        items[e] = (radix_item){(uint64_t)lower << 32 | upper, e, 0};
    }
    radix_sort(items, items + t->arcs, t->arcs);
    for (uint32_t k = 0; k < t->arcs; k++) {
        uint32_t lower = (uint32_t)(items[k].at >> 32), upper = (uint32_t)items[k].at;
        r->arcs[k] =
            (glshape_arc){lower, upper, 0, order_value(&c->field, lower), order_value(&c->field, upper)};
        c->row[items[k].a] = k;
    }
    r->count = t->arcs;
    return GLSHAPE_OK;
}

/* Where a vertex lies on its branch of one tree: behind so many of its nodes. */
typedef struct finger {
    uint32_t branch, slot; /* slot: that of the first node above */
} finger;

/* Moves the finger to a vertex; mostly it lies beside the one before. */
static void point_at(const side_tree *t, uint32_t branch, uint64_t at, finger *f) {
    uint32_t low = t->start[branch], high = t->start[branch + 1];
    if (f->branch == branch && (f->slot == high || t->at[f->slot] > at) &&
        (f->slot == low || t->at[f->slot - 1] < at))
        return;
    for (uint32_t count = high - low, half; count > 1;
         count -= half) { /* without branches: none is foreseen */
        half = count / 2;
        low += half * (t->at[low + half - 1] < at);
    }
    low += t->at[low] < at;
    *f = (finger){branch, low};
}

/* Returns the arc of a regular vertex, between these slots of its branches; NONE if some node that it follows
 * there is not the one that it follows on the arc. */
static uint32_t arc_between(const maker *c, uint32_t join_slot, uint32_t split_slot) {
    const side_tree *join = &c->side[CONTOUR_JOIN], *split = &c->side[CONTOUR_SPLIT];
    const contour_tree *t = &c->tree;
    uint32_t rising = join->arc[join_slot], falling = split->arc[split_slot];
    if (rising == falling) return NONE;
    if (rising < falling)
        return contour_is_above(&t->side[CONTOUR_SPLIT], split->node[split_slot], t->upper[rising]) ? rising
                                                                                                    : NONE;
    return contour_is_above(&t->side[CONTOUR_JOIN], join->node[join_slot], t->lower[falling]) ? falling
                                                                                              : NONE;
}

/* How many vertices a thread has found on some arcs. All threads would wait for one another at each vertex of
 * a long arc. */
enum { TALLIES = 256 };
typedef struct tally {
    uint32_t row[TALLIES], count[TALLIES];
} tally;

static void end_tally(maker *c, tally *t, uint32_t slot) {
    if (t->count[slot])
        atomic_fetch_add_explicit(&c->regular[t->row[slot]], t->count[slot], memory_order_relaxed);
    t->count[slot] = 0;
}

static void count_vertex(maker *c, tally *t, uint32_t row) {
    uint32_t slot = row % TALLIES;
    if (t->row[slot] != row) end_tally(c, t, slot);
    t->row[slot] = row;
    t->count[slot]++;
}

static void name_piece(maker *c, uint32_t first, uint32_t count, finger fingers[2], tally *t) {
    uint32_t keys[PIECE], *out = c->result->arc + first;
    order_keys(&c->order, first, count, keys);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = first + k;
        out[k] = NONE;
        if (c->number[v]) continue;
        for (int side = 0; side < 2; side++)
            point_at(&c->side[side], node_at(c, c->side[side].on[v]), (uint64_t)keys[k] << 32 | v,
                     &fingers[side]);
        uint32_t arc = arc_between(c, fingers[CONTOUR_JOIN].slot - 1, fingers[CONTOUR_SPLIT].slot);
        if (arc == NONE) {
            atomic_store(&c->wrong, true);
            return;
        }
        count_vertex(c, t, out[k] = c->row[arc]);
    }
}

static void name_block(void *user, size_t block) {
    maker *c = user;
    finger fingers[2] = {{NONE, 0}, {NONE, 0}};
    tally t = {{0}, {0}};
    uint32_t first = (uint32_t)block * BLOCK, end = block_end(c, first);
    for (uint32_t at = first; at < end && !atomic_load(&c->wrong); at += PIECE)
        name_piece(c, at, end - at < PIECE ? end - at : PIECE, fingers, &t);
    for (uint32_t slot = 0; slot < TALLIES; slot++) end_tally(c, &t, slot);
}

/* Finds the arc of each vertex. */
static glshape_status name_arcs(maker *c) {
    glshape_contour_result *r = c->result;
    TRY(allocate(c->err, &r->arc, c->n, sizeof *r->arc, "the arcs of vertices"));
    for (int side = 0; side < 2; side++) {
        const side_tree *t = &c->side[side];
        for (uint32_t slot = 0; slot < c->tree.count; slot++)
            t->arc[slot] = c->tree.side[side].arc[t->node[slot]];
    }
    each_block(c, name_block);
    if (atomic_load(&c->wrong)) return refuse(c);
    for (size_t k = 0; k < r->count; k++) r->arcs[k].regular = atomic_load(&c->regular[k]);
    return GLSHAPE_OK;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void maker_free(maker *c) {
    for (int side = 0; side < 2; side++) free_side(&c->side[side]);
    void *const all[] = {c->vertex, c->number, c->row, (void *)c->regular};
    for (int i = 0; i < 4; i++) free(all[i]);
    contour_tree_free(&c->tree);
    order_free(&c->order);
}

/* Of a field whose join and split trees are known. */
static glshape_status find_arcs(maker *c) {
    bool good;
    TRY(order_new(c->err, &c->field, c->n, false, &c->order));
    TRY(list_nodes(c));
    for (int side = 0; side < 2; side++) {
        TRY(list_by_branch(c, &c->side[side]));
        find_parents(c, side);
    }
    TRY(contour_tree_merge(c->err, &c->tree, &good));
    if (!good) return refuse(c);
    TRY(list_arcs(c));
    return name_arcs(c);
}

static glshape_status compute_contour(gpu *g, glshape_context *context, const glshape_field *field,
                                      glshape_mergetree_method method, glshape_contour_result *result) {
    OWNED_BY(glshape_contour_free) glshape_contour_result r = {0};
    OWNED_BY(maker_free) maker c = {.context = context, .err = gpu_error(g), .field = *field, .result = &r};
    double start = wall_seconds();
    c.method = method;
    if (!field->neighborhood && field->dims > 1) c.field.neighborhood = field->dims == 2 ? 6 : 14;
    TRY(make_side(&c, &c.field, false, &c.side[CONTOUR_JOIN]));
    TRY(make_split(&c));
    gpu_begin_stage(g, "contour", GPU_NOT_BY_PASSES);
    TRY(find_arcs(&c));
    r.seconds = wall_seconds() - start;
    *result = MOVE(r);
    return GLSHAPE_OK;
}

glshape_status glshape_contour(glshape_context *context, const glshape_field *field,
                               glshape_mergetree_method method, glshape_contour_result *result) {
    *result = (glshape_contour_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    return context_end(context, compute_contour(g, context, field, method, result));
}

void glshape_contour_free(glshape_contour_result *result) {
    free(result->arcs);
    free(result->arc);
    *result = (glshape_contour_result){0};
}
