/* glshape_contour: the contour tree from the join tree and the split tree. By threads; where the trees come
 * from a device, passes find the arcs of vertices.
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
 * arcs that were made when its two edges went. If it went with the edge of the join tree, a is below
 * r in any case, and b has to be looked at; on the other arc it is the other way round. The tree that all
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
#include "mergetree/branches.h"
#include "mergetree/contour_leaves.h"
#include "mergetree/contour_side.h"
#include "mergetree/mergetree.h"
#include "mergetree/passes.h"
#include "mergetree/triplet.h"
#include "place/place.h"
#include "prim/passes.h"

#define NONE GLSHAPE_NO_VERTEX
#define BLOCK 65536u /* vertices that a thread takes at a time */

_Static_assert(sizeof(contour_guide) == sizeof(contour_node), "a guide fills a node");

/* Rows from the first one on; how many arcs are there by now. Before: how many there will be. */
typedef struct node_rows {
    uint32_t first;
    _Atomic uint32_t filled;
} node_rows;

typedef struct maker {
    gpu *g;
    error *err;
    glshape_field field;
    glshape_mergetree_method method;
    glshape_contour_result *result;
    order order;
    uint32_t n;
    run_why why;                    /* vertices are done there */
    glshape_mergetree_result *join; /* NULL, or the caller wants it */
    contour_branches side[2];
    grid grid;         /* of the join tree, if its vertices stay on the device; */
    uint32_t key_bits; /* of its keys */
    contour_nodes nodes;
    contour_vertices vertices;
    contour_tree tree;
    contour_guide *guide; /* in the memory of the tree's nodes */
    uint32_t rounds;      /* by passes, of leaves: so many at most */
    contour_kept kept;    /* by passes, in place of what follows */
    node_rows *rows;      /* of a node: those of the arcs up from it */
    uint32_t *rest;       /* of each block of vertices: rows; then of those before it */
    uint32_t (*ends)[2];  /* of a row: the lower and the upper node; before, those of an arc and its end */
    uint32_t *regular;    /* of a row: vertices */
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
    contour_branches *to;
    bool reverse;
} taking;

static void take_branches(void *user, size_t first, size_t end) {
    const taking *t = user;
    for (size_t k = first; k < end; k++) {
        uint32_t birth = t->tree->branches[k].birth, death = t->tree->branches[k].death;
        if (t->reverse) birth = reversed(t->c, birth), death = reversed(t->c, death);
        t->to->branch[k] = (contour_branch){birth, death};
    }
}

static glshape_status take_list(maker *c, int side, const glshape_mergetree_result *r) {
    contour_branches *to = &c->side[side];
    to->count = r->count;
    TRY(allocate(c->err, &to->branch, to->count, sizeof *to->branch, what));
    threads_ranges(to->count, take_branches, &(taking){c, r, to, side == CONTOUR_SPLIT});
    return GLSHAPE_OK;
}

/* keep: vertices may stay on the device. */
static glshape_status make_side(maker *c, const glshape_field *field, int side, bool keep) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result r = {0};
    bool split = side == CONTOUR_SPLIT;
    OWNED_BY(mergetree_on_free) mergetree_on on = {.keep = keep, .turned = split, .lists = !split && c->join};
    glshape_mergetree_options o = {.method = c->method, .superlevel = split};
    TRY(mergetree_compute_on(c->g, field, &o, &r, &on));
    c->result->n = r.n;
    c->n = (uint32_t)r.n;
    if (side == CONTOUR_JOIN) c->why = on.why;
    if (side == CONTOUR_JOIN) c->grid = on.grid, c->key_bits = on.key_bits;
    if (on.span.id) c->side[side].count = on.branches;
    else TRY(take_list(c, side, &r));
    contour_vertices_take(&c->vertices, side, c->n, &on);
    if (side == CONTOUR_JOIN && c->join) *c->join = MOVE(r);
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
static glshape_status make_split(maker *c, bool keep) {
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
    return make_side(c, &field, CONTOUR_SPLIT, keep);
}

/* Makes the split tree of a grid of the keys that the device has. *done: it has room for both trees. */
static glshape_status split_by_passes(maker *c, bool *done) {
    OWNED_BY(mergetree_on_free) mergetree_on split = {0};
    glshape_status status = mergetree_split_on(c->g, &c->vertices.key, c->key_bits, &c->grid, &split);
    *done = !status;
    if (status == GLSHAPE_NO_GPU_MEMORY) return GLSHAPE_OK;
    TRY(status);
    c->side[CONTOUR_SPLIT].count = split.branches;
    contour_vertices_take(&c->vertices, CONTOUR_SPLIT, c->n, &split);
    return GLSHAPE_OK;
}

/* Makes both trees. Their vertices stay on the device if both can, and its driver is right. */
static glshape_status make_sides(maker *c) {
    contour_vertices *v = &c->vertices;
    TRY(make_side(c, &c->field, CONTOUR_JOIN, true));
    if (!v->place[CONTOUR_JOIN]) TRY(place_choose_any(c->g, 0, &c->why));
    run_why later =
        c->why == RUN_NOT_YET ? gpu_why_passes(c->g) : c->why; /* the programs are for later, too */
    TRY(contour_vertices_are_for_passes(c->g, &later));
    if (c->why != RUN_NOT_YET) c->why = later;
    bool done = false;
    if (run_why_device(c->why) && v->span[CONTOUR_JOIN].id && !c->field.graph) TRY(split_by_passes(c, &done));
    if (!done) TRY(make_split(c, run_why_device(c->why)));
    c->rounds = place_is_little(c->g, PLACE_LEAVES, c->n) ? 0 : UINT32_MAX;
    v->on_gpu = !v->place[CONTOUR_JOIN] && !v->place[CONTOUR_SPLIT];
    if (v->on_gpu) return GLSHAPE_OK;
    if (run_why_device(c->why)) c->why = RUN_NOT_ROOM;
    return contour_vertices_fetch(v, c->n, c->side);
}

/* ---- rows of arcs ------------------------------------------------------------------------------ */

static void count_up(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t v = first; v < end; v++) {
        uint32_t below = c->tree.parent[CONTOUR_SPLIT][v];
        if (below != NONE) atomic_fetch_add_explicit(&c->rows[below].filled, 1, memory_order_relaxed);
    }
}

static void count_rows(void *user, size_t block) {
    const maker *c = user;
    uint32_t first = (uint32_t)block * BLOCK, count = 0;
    for (uint32_t v = first; v < block_end(c, first); v++)
        if (c->nodes.number[v])
            count += atomic_load_explicit(&c->rows[c->nodes.number[v] - 1].filled, memory_order_relaxed);
    c->rest[block] = count;
}

static void place_rows(void *user, size_t block) {
    const maker *c = user;
    uint32_t first = (uint32_t)block * BLOCK, next = c->rest[block];
    for (uint32_t v = first; v < block_end(c, first); v++) {
        if (!c->nodes.number[v]) continue;
        node_rows *rows = &c->rows[c->nodes.number[v] - 1];
        rows->first = next;
        next += atomic_exchange_explicit(&rows->filled, 0, memory_order_relaxed);
    }
}

/* Gives each node, in order of the vertices, rows for the arcs that lead up from it. If there is a contour
 * tree, they are as many as the node has children in the split tree. */
static glshape_status make_rows(maker *c) {
    size_t blocks = (c->n - 1) / BLOCK + 1;
    TRY(allocate(c->err, &c->rows, c->nodes.count, sizeof *c->rows, "the arcs"));
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
        node_rows *rows = &c->rows[rises(ends) ? ends[0] : ends[1]];
        uint32_t row = rows->first + atomic_fetch_add_explicit(&rows->filled, 1, memory_order_relaxed);
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

/* Lets the row at `at` sink to its place in the heap. */
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
        uint32_t row = c->rows[v].first,
                 count = atomic_load_explicit(&c->rows[v].filled, memory_order_relaxed);
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
    threads_ranges(c->nodes.count, list_arcs, c);
    threads_ranges(c->nodes.count, end_rows, c);
    return GLSHAPE_OK;
}

/* ---- guides ------------------------------------------------------------------------------------ */

/* Fills the arcs of the guides: other nodes still look at what end_rows() has put in place of parents. */
static void guide_to_arcs(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t v = first; v < end; v++) {
        const contour_node *n = &c->tree.node[v];
        uint32_t arc[2][2] = {{NONE, 0}, {NONE, 0}};
        for (int side = 0; side < 2; side++) {
            uint32_t name = atomic_load_explicit(&n->edge[side], memory_order_relaxed);
            if (name != NONE) memcpy(arc[side], c->tree.node[name].parent, sizeof arc[side]);
        }
        for (int side = 0; side < 2; side++) {
            c->guide[v].side[side].row = arc[side][0];
            c->guide[v].side[side].branch = arc[side][1];
        }
    }
}

static void end_guides(void *user, size_t first, size_t end) {
    const maker *c = user;
    for (size_t v = first; v < end; v++)
        for (int side = 0; side < 2; side++) c->guide[v].side[side].reach = c->tree.reach[side][v];
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
        c->result->arcs[k] = (glshape_arc){lower, upper, c->regular[k], order_value(&c->field, lower),
                                           order_value(&c->field, upper)};
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void maker_free(maker *c) {
    for (int side = 0; side < 2; side++) free(c->side[side].branch);
    contour_nodes_free(&c->nodes);
    contour_vertices_free(&c->vertices);
    contour_tree_free(&c->tree);
    contour_kept_free(&c->kept);
    void *const all[] = {c->rows, c->rest, c->ends, c->regular};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    order_free(&c->order);
}

static void births_free(uint32_t *(*birth)[2]) {
    free((*birth)[0]);
    free((*birth)[1]);
}

/* Makes the nodes of the tree, and rows for the arcs. What is done with is freed at once: so much memory is
 * in use. */
static glshape_status make_nodes(maker *c) {
    OWNED_BY(births_free) uint32_t *birth[2] = {NULL, NULL};
    TRY(order_new(c->err, &c->field, c->n, false, &c->order));
    TRY(contour_nodes_new(c->err, &c->order, c->side, &c->nodes));
    TRY(contour_vertices_begin(&c->vertices, birth));
    for (int side = 0; side < 2; side++) {
        TRY(contour_side_make(&c->vertices, side, &c->side[side], birth[side], &c->tree));
        free(birth[side]);
        free(c->side[side].branch);
        birth[side] = NULL, c->side[side].branch = NULL;
    }
    TRY(make_rows(c));
    free(c->nodes.number);
    c->nodes.number = NULL;
    return contour_tree_begin(c->err, &c->tree);
}

static glshape_status name_vertices(maker *c) {
    glshape_contour_result *r = c->result;
    bool good;
    c->guide = (contour_guide *)(void *)c->tree.node;
    threads_ranges(c->nodes.count, guide_to_arcs, c);
    threads_ranges(c->nodes.count, end_guides, c);
    TRY(contour_vertices_name(&c->vertices, c->guide, (uint32_t)r->count, &r->arc, &c->regular, &good));
    if (!good) return refuse(c);
    contour_tree_free(&c->tree);
    contour_vertices_free(&c->vertices);
    return GLSHAPE_OK;
}

static void free_results(maker *c) {
    contour_tree_free(&c->tree);
    contour_kept_free(&c->kept);
    free(c->result->arcs);
    free(c->result->arc);
    c->result->arcs = NULL, c->result->arc = NULL, c->result->count = 0;
}

static glshape_status arcs_by_passes(maker *c) {
    bool good;
    run_begin_stage(run_of(c->g), "nodes", c->why);
    TRY(contour_nodes_by_passes(&c->vertices, c->n, c->side, &c->kept, c->result));
    run_begin_stage(run_of(c->g), "leaves", c->rounds ? c->why : RUN_NOT_SMALL);
    TRY(contour_leaves_take(c->g, &c->kept, c->rounds, &c->tree));
    TRY(contour_tree_merge(c->err, &c->tree, &good));
    if (!good) return refuse(c);
    TRY(contour_leaves_end(c->g, &c->kept, &c->tree));
    contour_tree_free(&c->tree);
    run_begin_stage(run_of(c->g), "arcs", c->why);
    TRY(contour_arcs_by_passes(&c->vertices, &c->field, &c->kept, c->result, &good));
    return good ? GLSHAPE_OK : refuse(c);
}

static glshape_status arcs_by_threads(maker *c) {
    glshape_contour_result *r = c->result;
    bool good;
    run_begin_stage(run_of(c->g), "nodes", c->why);
    TRY(make_nodes(c));
    run_begin_stage(run_of(c->g), "leaves", RUN_NOT_BY_PASSES);
    TRY(contour_tree_merge(c->err, &c->tree, &good));
    if (!good) return refuse(c);
    run_begin_stage(run_of(c->g), "arcs", c->why);
    TRY(find_rows(c));
    TRY(name_vertices(c));
    TRY(allocate(c->err, &r->arcs, r->count, sizeof *r->arcs, "the arcs"));
    threads_ranges(r->count, make_arcs, c);
    return GLSHAPE_OK;
}

/* Finds the arcs, once the join and the split tree are known. Threads do so where the device lacks memory,
 * too. */
static glshape_status find_arcs(maker *c) {
    if (c->vertices.on_gpu) {
        glshape_status status = arcs_by_passes(c);
        if (status != GLSHAPE_NO_GPU_MEMORY) return status;
        free_results(c);
        c->why = RUN_NOT_ROOM;
        TRY(contour_vertices_fetch(&c->vertices, c->n, c->side));
    }
    return arcs_by_threads(c);
}

static maker maker_of(gpu *g, const glshape_field *field, glshape_contour_result *result) {
    return (maker){.g = g, .err = run_error(run_of(g)), .field = *field, .result = result};
}

/* Once c is where it stays. */
static void begin_maker(maker *c) {
    c->vertices.g = c->g;
    c->vertices.nodes = &c->nodes;
}

/* ---- whether passes are right -------------------------------------------------------------------- */

/* A small field that has a contour tree: the processors find it, too. */
enum { NX = 5, NY = 9, NZ = 14, SMALL = NX * NY * NZ };
typedef struct small_field {
    uint32_t values[2][SMALL], keys[SMALL], on[2][SMALL]; /* values and on of the split tree: reversed */
    glshape_field field[2];
    branches tree[2];
    maker maker;
    glshape_contour_result result;
} small_field;

static void small_free(small_field *s) {
    for (int side = 0; side < 2; side++) branches_free(&s->tree[side]);
    maker_free(&s->maker);
    glshape_contour_free(&s->result);
}

static glshape_status make_small_tree(run *r, small_field *s, int side) {
    OWNED_BY(order_free) order o = {0};
    const grid d = {.extent = {NX, NY, NZ}, .hood = 14};
    uint32_t saddle[SMALL], other[SMALL], state = 1;
    for (uint32_t v = 0; v < SMALL; v++) {
        state = state * 1664525u + 1013904223u;
        s->values[side][side ? SMALL - 1 - v : v] = state >> 25;
    }
    s->field[side] = (glshape_field){
        .type = GLSHAPE_U32, .values = s->values[side], .dims = 3, .shape = {NZ, NY, NX}, .neighborhood = 14};
    TRY(order_new(run_error(r), &s->field[side], SMALL, side, &o));
    if (side == CONTOUR_JOIN) order_keys(&o, 0, SMALL, s->keys);
    TRY(triplet_find_on_cpu(r, &o, &d, saddle, other));
    TRY(branches_of_triplets(run_error(r), &o, saddle, other, &s->tree[side]));
    for (uint32_t v = 0; v < SMALL; v++) s->on[side][v] = s->tree[side].minimum[other[v]];
    for (uint32_t m = 0; m < s->tree[side].count; m++)
        s->on[side][s->tree[side].minimum[m]] = s->tree[side].minimum[m];
    return GLSHAPE_OK;
}

/* Makes the maker of a small field ready for find_arcs(). */
static glshape_status begin_small(gpu *g, small_field *s, bool on_gpu) {
    maker *c = &s->maker;
    contour_vertices *v = &c->vertices;
    maker_free(c);
    glshape_contour_free(&s->result);
    *c = maker_of(g, &s->field[CONTOUR_JOIN], &s->result);
    begin_maker(c);
    s->result.n = c->n = SMALL;
    v->on_gpu = on_gpu;
    for (int side = 0; side < 2; side++) {
        const branches *t = &s->tree[side];
        mergetree_on on = {0};
        c->side[side].count = t->count;
        TRY(allocate(c->err, &c->side[side].branch, t->count, sizeof *c->side[side].branch, what));
        for (uint32_t m = 0; m < t->count; m++) {
            uint32_t birth = t->minimum[m],
                     death = t->death[m] == BRANCH_ESSENTIAL ? NONE : (uint32_t)t->death[m];
            c->side[side].branch[m] =
                (contour_branch){side ? reversed(c, birth) : birth, side ? reversed(c, death) : death};
        }
        if (on_gpu) {
            TRY(gpu_texture_new(g, &v->at[side], "branches of vertices", GPU_R32UI, SMALL, 1));
            TRY(gpu_upload(g, &v->at[side], 0, SMALL, s->on[side]));
            continue;
        }
        TRY(allocate(c->err, &on.on, SMALL, sizeof *on.on, what));
        memcpy(on.on, s->on[side], sizeof s->on[side]);
        contour_vertices_take(v, side, SMALL, &on);
    }
    if (!on_gpu) return GLSHAPE_OK;
    v->kind = 3; /* unsigned integers */
    TRY(gpu_texture_new(g, &v->key, "the field", GPU_R32UI, SMALL, 1));
    return gpu_upload(g, &v->key, 0, SMALL, s->keys);
}

static uint32_t size_of(contour_reach r) { return r.beyond - r.branch; }

/* What the device finds of a small field's nodes. */
typedef struct small_nodes {
    uint32_t parent[2][SMALL], children[2][SMALL];
    contour_reach reach[2][SMALL];
} small_nodes;

/* Which of the branches that end at one node has the lower numbers is open: their sizes are not, and a node
 * is within its parent. */
static bool same_node(const contour_tree *a, const small_nodes *b, uint32_t k) {
    uint64_t left = atomic_load(&a->node[k].left);
    bool same =
        b->children[CONTOUR_JOIN][k] == (left & 0x7fffffff) && b->children[CONTOUR_SPLIT][k] == left >> 31;
    for (int side = 0; side < 2 && same; side++) {
        const contour_reach *reach = b->reach[side];
        uint32_t up = b->parent[side][k];
        same = up == a->node[k].parent[side] && size_of(reach[k]) == size_of(a->reach[side][k]);
        if (same && up != CONTOUR_NONE)
            same = reach[up].branch <= reach[k].branch && reach[k].beyond <= reach[up].beyond;
    }
    return same;
}

/* Whether the device finds the nodes that threads find. */
static glshape_status check_nodes(gpu *g, small_field *s, bool *right) {
    OWNED_BY(contour_tree_free) contour_tree want = {0};
    OWNED small_nodes *got = NULL;
    maker *c = &s->maker;
    TRY(allocate(c->err, &got, 1, sizeof *got, what));
    TRY(begin_small(g, s, false));
    TRY(make_nodes(c));
    want = MOVE(c->tree);
    TRY(begin_small(g, s, true));
    TRY(contour_nodes_by_passes(&c->vertices, SMALL, c->side, &c->kept, c->result));
    *right = want.count == c->kept.count;
    for (int side = 0; side < 2 && *right; side++) {
        TRY(gpu_download(g, &c->kept.parent[side], 0, want.count, got->parent[side]));
        TRY(gpu_download(g, &c->kept.children[side], 0, want.count, got->children[side]));
        TRY(gpu_download(g, &c->kept.reach[side], 0, want.count, got->reach[side]));
    }
    for (uint32_t k = 0; *right && k < want.count; k++) *right = same_node(&want, got, k);
    return GLSHAPE_OK;
}

/* Whether passes find these arcs: leaves by threads, by rounds, which take some away, or by both. */
static glshape_status check_arcs(gpu *g, small_field *s, uint32_t rounds, const glshape_contour_result *want,
                                 bool *right) {
    TRY(begin_small(g, s, true));
    s->maker.rounds = rounds;
    glshape_status status = find_arcs(&s->maker);
    *right = status != GLSHAPE_BAD_INPUT; /* no contour tree */
    if (status) return *right ? status : GLSHAPE_OK;
    *right = want->count == s->result.count && !rounds == (s->maker.kept.left == s->maker.kept.count);
    for (size_t k = 0; *right && k < want->count; k++) {
        const glshape_arc *one = &want->arcs[k], *other = &s->result.arcs[k];
        *right = one->lower == other->lower && one->upper == other->upper && one->regular == other->regular &&
                 one->lower_value == other->lower_value && one->upper_value == other->upper_value;
    }
    *right = *right && !memcmp(want->arc, s->result.arc, SMALL * sizeof *want->arc);
    return GLSHAPE_OK;
}

static glshape_status check_small(gpu *g, small_field *s, bool *right) {
    OWNED_BY(glshape_contour_free) glshape_contour_result want = {0};
    *right = true;
    for (int side = 0; side < 2; side++) TRY(make_small_tree(run_of(g), s, side));
    TRY(begin_small(g, s, false));
    TRY(find_arcs(&s->maker));
    want = MOVE(s->result);
    TRY(check_nodes(g, s, right));
    for (int k = 0; k < 3 && *right; k++)
        TRY(check_arcs(g, s, (const uint32_t[]){0, 1, UINT32_MAX}[k], &want, right));
    return GLSHAPE_OK;
}

static glshape_status check_vertices(gpu *g, const void *user, bool *right) {
    OWNED small_field *s = NULL;
    (void)user;
    TRY(allocate(run_error(run_of(g)), &s, 1, sizeof *s, "a small field"));
    glshape_status status = check_small(g, s, right);
    small_free(s);
    return status;
}

glshape_status contour_vertices_are_for_passes(gpu *g, run_why *why) {
    const gpu_exact e = {.program = {gpu_only_program(mergetree_contour_mark),
                                     gpu_only_program(mergetree_contour_items),
                                     gpu_only_program(mergetree_contour_number),
                                     gpu_only_program(mergetree_contour_branch),
                                     gpu_only_program(mergetree_contour_slots),
                                     gpu_only_program(mergetree_contour_ends),
                                     gpu_only_program(mergetree_contour_up),
                                     gpu_only_program(mergetree_contour_tour),
                                     gpu_only_program(mergetree_contour_jump),
                                     gpu_only_program(mergetree_contour_reach),
                                     gpu_only_program(mergetree_contour_children),
                                     gpu_only_program(mergetree_contour_chains),
                                     gpu_only_program(mergetree_contour_follow),
                                     gpu_only_program(mergetree_contour_take),
                                     gpu_only_program(mergetree_contour_splice),
                                     gpu_only_program(mergetree_contour_place),
                                     gpu_only_program(mergetree_contour_record),
                                     gpu_only_program(mergetree_contour_apply),
                                     gpu_only_program(mergetree_contour_arcs),
                                     gpu_only_program(mergetree_contour_ways),
                                     gpu_only_program(mergetree_contour_guide),
                                     gpu_only_program(mergetree_contour_list),
                                     gpu_only_program(mergetree_beside),
                                     gpu_only_program(mergetree_rows),
                                     gpu_only_program(prim_radix_count),
                                     gpu_only_program(prim_radix_move),
                                     gpu_only_program(prim_scan),
                                     gpu_program(prim_compact, .COPY = 0)},
                         .check = check_vertices,
                         .without_doubles = true};
    return gpu_trusts_for(g, &e, why);
}

/* ---- the call ------------------------------------------------------------------------------------ */

static glshape_status compute_contour(gpu *g, const glshape_field *field, glshape_mergetree_method method,
                                      glshape_contour_result *result, glshape_mergetree_result *join) {
    OWNED_BY(glshape_contour_free) glshape_contour_result r = {0};
    OWNED_BY(maker_free) maker c = maker_of(g, field, &r);
    double start = wall_seconds();
    begin_maker(&c);
    c.method = method;
    c.join = join;
    if (!field->neighborhood && field->dims > 1) c.field.neighborhood = field->dims == 2 ? 6 : 14;
    TRY(make_sides(&c));
    TRY(find_arcs(&c));
    r.seconds = wall_seconds() - start;
    *result = MOVE(r);
    return GLSHAPE_OK;
}

static glshape_status contour(glshape_context *context, const glshape_field *field,
                              glshape_mergetree_method method, glshape_contour_result *result,
                              glshape_mergetree_result *join) {
    *result = (glshape_contour_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    gpu_begin_method(g);
    return context_end(context, compute_contour(g, field, method, result, join));
}

glshape_status glshape_contour(glshape_context *context, const glshape_field *field,
                               glshape_mergetree_method method, glshape_contour_result *result) {
    return contour(context, field, method, result, NULL);
}

glshape_status glshape_contour_and_join(glshape_context *context, const glshape_field *field,
                                        glshape_mergetree_method method, glshape_contour_result *result,
                                        glshape_mergetree_result *join) {
    *join = (glshape_mergetree_result){0};
    glshape_status status = contour(context, field, method, result, join);
    if (status) glshape_mergetree_free(join);
    return status;
}

void glshape_contour_free(glshape_contour_result *result) {
    free(result->arcs);
    free(result->arc);
    *result = (glshape_contour_result){0};
}
