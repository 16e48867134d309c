/* glshape_contour: the contour tree from the join tree and the split tree. By threads.
 *
 * A contour tree is a tree whose join tree and split tree are those of the field. Not every field has one; if
 * there is one, contour_tree_merge() finds it (Carr, Snoeyink, Axen 2003): a leaf of it has one child in the
 * join and the split tree together, and when it is taken away, these two are the trees of the rest. If there
 * is none, another tree is made, whose own join tree or split tree differs: both are compared.
 *
 * Only nodes are taken away: the vertices that are regular in both trees are left out. Such a vertex r lies
 * on an edge of the join tree and on one of the split tree. It is on the arc from a up to b if, and only if,
 * a is below r in the join tree and b is above r in the split tree: then the way from a to r does not rise
 * above r, and the way from r to b does not fall below it, so the only way from a to b leads past r. Taken
 * away one after another, all that lie on the edge of a leaf would follow the leaf: so r is on one of the two
 * arcs that were made when its two edges went. Of an arc that went with the edge of the join tree, a is below
 * r in any case, and b has to be looked at; of the other one it is the other way round. The tree that all
 * vertices make has the field's join and split tree if the tree of the nodes has, and if each vertex is on
 * such an arc.
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
#include "mergetree/contour_side.h"
#include "mergetree/mergetree.h"

#define NONE GLSHAPE_NO_VERTEX
#define BLOCK 65536u /* vertices that a thread takes at a time */
#define AHEAD 16u    /* vertices whose nodes are asked for before they are needed */

/* What a regular vertex needs of the node beside it, on a side: the arc that was made when the edge between
 * them went, and the branch of the arc's end that is to be looked at in the other tree; and where the node
 * lies. It fills the memory of the node. */
typedef struct beside {
    uint32_t row, branch;
} beside;

typedef struct guide {
    struct {
        beside arc;
        contour_reach reach;
    } side[2];
} guide;

_Static_assert(sizeof(guide) == sizeof(contour_node), "a guide fills a node");

typedef struct maker {
    gpu *g;
    error *err;
    glshape_field field;
    glshape_mergetree_method method;
    glshape_contour_result *result;
    order order;
    uint32_t n;
    contour_side side[2];
    contour_nodes nodes;
    contour_tree tree;
    guide *guide;             /* in the memory of the tree's nodes */
    uint32_t *first_row;      /* of a node: that of the arcs up from it; before, how many there are */
    _Atomic uint32_t *filled; /* of a node: of these rows, those that are known */
    uint32_t *rest;           /* of each block of vertices: rows; then of those before it */
    uint32_t (*ends)[2]; /* of a row: the lower and the upper node; before, those of an arc and its end */
    _Atomic uint32_t *regular; /* of a row: vertices */
    atomic_bool wrong;         /* some vertex is on no arc */
} maker;

static const char what[] = "the contour tree";

/* Calls work for all blocks of the vertices. */
static void each_block(maker *c, void (*work)(void *maker, size_t block)) {
    threads_run(0, (c->n - 1) / BLOCK + 1, work, c);
}

static uint32_t block_end(const maker *c, uint32_t first) {
    return c->n - first < BLOCK ? c->n : first + BLOCK;
}

/* ---- join and split trees ---------------------------------------------------------------------- */

/* Split trees are made of the field from its other end, in which vertex v is n - 1 - v. */
static uint32_t reversed(const maker *c, uint32_t v) { return v == NONE ? NONE : c->n - 1 - v; }

typedef struct taking {
    const maker *c;
    const glshape_mergetree_result *tree;
    contour_side *side;
    bool reverse;
} taking;

static void take_branches(void *user, size_t first, size_t end) {
    const taking *t = user;
    for (size_t k = first; k < end; k++) {
        uint32_t birth = t->tree->branches[k].birth, death = t->tree->branches[k].death;
        if (t->reverse) birth = reversed(t->c, birth), death = reversed(t->c, death);
        t->side->branches[k] = (contour_branch){birth, death};
    }
}

/* Both ends of the field towards the middle. */
static void reverse_vertices(void *user, size_t first, size_t end) {
    const taking *t = user;
    uint32_t *on = t->side->on, last = t->c->n - 1;
    for (size_t v = first; v < end; v++) {
        uint32_t here = on[v];
        on[v] = last - on[last - v];
        on[last - v] = last - here;
    }
}

static glshape_status make_side(maker *c, const glshape_field *field, bool reverse, contour_side *side) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result r = {0};
    glshape_mergetree_options o = {.method = c->method, .superlevel = reverse};
    TRY(mergetree_compute_on(c->g, field, &o, &r, &side->on));
    c->result->n = r.n;
    c->n = (uint32_t)r.n;
    side->count = r.count;
    TRY(allocate(c->err, &side->branches, r.count, sizeof *side->branches, what));
    taking job = {c, &r, side, reverse};
    threads_ranges(r.count, take_branches, &job);
    if (!reverse) return GLSHAPE_OK;
    threads_ranges(c->n / 2, reverse_vertices, &job);
    if (c->n % 2) side->on[c->n / 2] = reversed(c, side->on[c->n / 2]);
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

/* ---- rows of arcs ------------------------------------------------------------------------------ */

static void count_up(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t v = first; v < end; v++) {
        uint32_t below = c->tree.parent[CONTOUR_SPLIT][v];
        if (below != NONE)
            atomic_fetch_add_explicit((_Atomic uint32_t *)&c->first_row[below], 1, memory_order_relaxed);
    }
}

static void count_rows(void *user, size_t block) {
    const maker *c = user;
    uint32_t first = (uint32_t)block * BLOCK, count = 0;
    for (uint32_t v = first; v < block_end(c, first); v++)
        if (c->nodes.number[v]) count += c->first_row[c->nodes.number[v] - 1];
    c->rest[block] = count;
}

static void place_rows(void *user, size_t block) {
    const maker *c = user;
    uint32_t first = (uint32_t)block * BLOCK, next = c->rest[block];
    for (uint32_t v = first; v < block_end(c, first); v++) {
        if (!c->nodes.number[v]) continue;
        uint32_t *row = &c->first_row[c->nodes.number[v] - 1], here = *row;
        *row = next;
        next += here;
    }
}

/* Gives each node, in order of the vertices, rows for the arcs that lead up from it. If there is a contour
 * tree, they are as many as the node has children in the split tree. */
static glshape_status make_rows(maker *c) {
    size_t blocks = (c->n - 1) / BLOCK + 1;
    TRY(allocate(c->err, &c->first_row, c->nodes.count, sizeof *c->first_row, "the arcs"));
    TRY(allocate(c->err, &c->rest, blocks, sizeof *c->rest, "the arcs"));
    threads_ranges(c->nodes.count, count_up, c);
    each_block(c, count_rows);
    for (size_t k = 0; k < blocks; k++) {
        uint32_t here = c->rest[k];
        c->rest[k] = (uint32_t)c->result->count;
        c->result->count += here;
    }
    each_block(c, place_rows);
    return GLSHAPE_OK;
}

static bool rises(const uint32_t ends[2]) { return ends[0] < ends[1]; }

/* An arc is put into the first row of its lower node that is free. */
static void list_arcs(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t k = first; k < end; k++) {
        uint32_t ends[2] = {(uint32_t)k, c->tree.node[k].toward};
        if (ends[1] == NONE) continue;
        uint32_t lower = rises(ends) ? ends[0] : ends[1];
        uint32_t row =
            c->first_row[lower] + atomic_fetch_add_explicit(&c->filled[lower], 1, memory_order_relaxed);
        memcpy(c->ends[row], ends, sizeof ends);
    }
}

static uint32_t upper_vertex(const maker *c, const uint32_t ends[2]) {
    return c->nodes.vertex[rises(ends) ? ends[1] : ends[0]];
}

static void swap_rows(const maker *c, uint32_t a, uint32_t b) {
    uint32_t here[2] = {c->ends[a][0], c->ends[a][1]};
    memcpy(c->ends[a], c->ends[b], sizeof here);
    memcpy(c->ends[b], here, sizeof here);
}

/* Of the heap of these rows, lets the one at `at` sink to its place. */
static void sink_row(const maker *c, uint32_t row, uint32_t count, uint32_t at) {
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        const uint32_t(*ends)[2] = (const uint32_t(*)[2])c->ends + row;
        if (child + 1 < count && upper_vertex(c, ends[child]) < upper_vertex(c, ends[child + 1])) child++;
        if (upper_vertex(c, ends[at]) >= upper_vertex(c, ends[child])) return;
        swap_rows(c, row + at, row + child);
    }
}

/* Sorts the arcs up from a node by the upper vertex: a heap, as almost all nodes have one or two. */
static void sort_rows(const maker *c, uint32_t row, uint32_t count) {
    for (uint32_t at = count / 2; at-- > 0;) sink_row(c, row, count, at);
    for (uint32_t left = count; left > 1;) {
        swap_rows(c, row, row + --left);
        sink_row(c, row, left, 0);
    }
}

/* A node keeps, in place of its parents, the row of its arc and the branch of the arc's other end in the tree
 * in which the node was no leaf. */
static void end_rows(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t v = first; v < end; v++) {
        uint32_t row = c->first_row[v], count = atomic_load_explicit(&c->filled[v], memory_order_relaxed);
        sort_rows(c, row, count);
        for (uint32_t k = row; k < row + count; k++) {
            uint32_t *ends = c->ends[k], arc = ends[0], far = ends[1];
            int side = rises(ends) ? CONTOUR_SPLIT : CONTOUR_JOIN;
            c->tree.node[arc].parent[0] = k;
            c->tree.node[arc].parent[1] = c->tree.reach[side][far].branch;
            if (!rises(ends)) ends[0] = far, ends[1] = arc;
        }
    }
}

static glshape_status find_rows(maker *c) {
    TRY(allocate(c->err, &c->ends, c->result->count, sizeof *c->ends, "the arcs"));
    TRY(allocate(c->err, &c->filled, c->nodes.count, sizeof *c->filled, "the arcs"));
    threads_ranges(c->nodes.count, list_arcs, c);
    threads_ranges(c->nodes.count, end_rows, c);
    return GLSHAPE_OK;
}

/* ---- regular vertices -------------------------------------------------------------------------- */

/* Fills the arcs of the guides: other nodes still look at what end_rows() has put in place of parents. */
static void guide_to_arcs(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t v = first; v < end; v++) {
        const contour_node *n = &c->tree.node[v];
        beside arc[2] = {{NONE, 0}, {NONE, 0}};
        for (int side = 0; side < 2; side++) {
            uint32_t name = atomic_load_explicit(&n->edge[side], memory_order_relaxed);
            if (name != NONE) memcpy(&arc[side], c->tree.node[name].parent, sizeof arc[side]);
        }
        for (int side = 0; side < 2; side++)
            memcpy(&c->guide[v].side[side].arc, &arc[side], sizeof arc[side]);
    }
}

/* Fills the rest of them. Nodes are on no arc. */
static void end_guides(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t v = first; v < end; v++) {
        for (int side = 0; side < 2; side++) c->guide[v].side[side].reach = c->tree.reach[side][v];
        c->side[CONTOUR_JOIN].on[c->nodes.vertex[v]] = NONE;
    }
}

/* Returns the row of the arc that a regular vertex is on, between these nodes; NONE: there is none. */
static uint32_t row_between(const maker *c, uint32_t below, uint32_t above) {
    beside rising = c->guide[below].side[CONTOUR_JOIN].arc, falling = c->guide[above].side[CONTOUR_SPLIT].arc;
    if (rising.row != NONE && contour_is_within(c->guide[above].side[CONTOUR_SPLIT].reach, rising.branch))
        return rising.row;
    if (falling.row != NONE && contour_is_within(c->guide[below].side[CONTOUR_JOIN].reach, falling.branch))
        return falling.row;
    return NONE;
}

/* How many vertices a thread has found on some arcs. All threads would wait for one another at each vertex of
 * a long arc. */
enum { TALLIES = 256 };
typedef struct tally {
    uint32_t row[TALLIES], count[TALLIES];
} tally;

static void end_tally(const maker *c, tally *t, uint32_t slot) {
    if (t->count[slot])
        atomic_fetch_add_explicit(&c->regular[t->row[slot]], t->count[slot], memory_order_relaxed);
    t->count[slot] = 0;
}

static void count_vertex(const maker *c, tally *t, uint32_t row) {
    uint32_t slot = row % TALLIES;
    if (t->row[slot] != row) end_tally(c, t, slot);
    t->row[slot] = row;
    t->count[slot]++;
}

/* The rows come to where the nodes below the vertices were. */
static void name_block(void *user, size_t block) {
    maker *c = user;
    tally t = {{0}, {0}};
    uint32_t *below = c->side[CONTOUR_JOIN].on, *above = c->side[CONTOUR_SPLIT].on;
    uint32_t first = (uint32_t)block * BLOCK, end = block_end(c, first);
    for (uint32_t v = first; v < end; v++) {
        uint32_t next = v + AHEAD < end ? v + AHEAD : v;
        if (below[next] != NONE) {
            __builtin_prefetch(&c->guide[below[next]]);
            __builtin_prefetch(&c->guide[above[next]]);
        }
        if (below[v] == NONE) continue;
        below[v] = row_between(c, below[v], above[v]);
        if (below[v] == NONE) {
            atomic_store_explicit(&c->wrong, true, memory_order_relaxed);
            return;
        }
        count_vertex(c, &t, below[v]);
    }
    for (uint32_t slot = 0; slot < TALLIES; slot++) end_tally(c, &t, slot);
}

/* ---- the result -------------------------------------------------------------------------------- */

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

static void make_arcs(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t k = first; k < end; k++) {
        uint32_t lower = c->nodes.vertex[c->ends[k][0]], upper = c->nodes.vertex[c->ends[k][1]];
        c->result->arcs[k] =
            (glshape_arc){lower, upper, atomic_load_explicit(&c->regular[k], memory_order_relaxed),
                          order_value(&c->field, lower), order_value(&c->field, upper)};
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void maker_free(maker *c) {
    for (int side = 0; side < 2; side++) contour_side_free(&c->side[side]);
    contour_nodes_free(&c->nodes);
    contour_tree_free(&c->tree);
    void *const all[] = {c->first_row, c->rest, (void *)c->filled, c->ends, (void *)c->regular};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    order_free(&c->order);
}

/* Makes the nodes of the tree, and rows for the arcs. What is done with is freed at once: so much memory is
 * in use. */
static glshape_status make_nodes(maker *c) {
    TRY(contour_nodes_new(c->err, &c->order, c->side, &c->nodes));
    for (int side = 0; side < 2; side++)
        TRY(contour_side_make(c->err, &c->nodes, side, &c->side[side], &c->tree));
    TRY(make_rows(c));
    free(c->nodes.number);
    c->nodes.number = NULL;
    return contour_tree_begin(c->err, &c->tree);
}

static glshape_status name_vertices(maker *c) {
    c->guide = (guide *)(void *)c->tree.node;
    TRY(allocate(c->err, &c->regular, c->result->count, sizeof *c->regular, "the arcs"));
    threads_ranges(c->nodes.count, guide_to_arcs, c);
    threads_ranges(c->nodes.count, end_guides, c);
    each_block(c, name_block);
    if (atomic_load(&c->wrong)) return refuse(c);
    c->result->arc = c->side[CONTOUR_JOIN].on;
    c->side[CONTOUR_JOIN].on = NULL;
    contour_tree_free(&c->tree);
    contour_side_free(&c->side[CONTOUR_SPLIT]);
    return GLSHAPE_OK;
}

/* Of a field whose join and split trees are known. */
static glshape_status find_arcs(maker *c) {
    glshape_contour_result *r = c->result;
    bool good;
    TRY(order_new(c->err, &c->field, c->n, false, &c->order));
    TRY(make_nodes(c));
    TRY(contour_tree_merge(c->err, &c->tree, &good));
    if (!good) return refuse(c);
    TRY(find_rows(c));
    TRY(name_vertices(c));
    TRY(allocate(c->err, &r->arcs, r->count, sizeof *r->arcs, "the arcs"));
    threads_ranges(r->count, make_arcs, c);
    return GLSHAPE_OK;
}

static glshape_status compute_contour(gpu *g, const glshape_field *field, glshape_mergetree_method method,
                                      glshape_contour_result *result) {
    OWNED_BY(glshape_contour_free) glshape_contour_result r = {0};
    OWNED_BY(maker_free) maker c = {.g = g, .err = gpu_error(g), .field = *field, .result = &r};
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
    return context_end(context, compute_contour(g, field, method, result));
}

void glshape_contour_free(glshape_contour_result *result) {
    free(result->arcs);
    free(result->arc);
    *result = (glshape_contour_result){0};
}
