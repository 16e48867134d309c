/* glshape_contour: join and split trees made one. On the CPU. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "gpu/context.h"
#include "mergetree/order.h"

#define NONE GLSHAPE_NO_VERTEX

/* A merge tree with all vertices. Children are kept as their number and the exclusive or of all, which is the
 * child where there is one. */
typedef struct tree {
    uint32_t *parent, *children, *sum;
} tree;

typedef struct maker {
    glshape_context *context;
    error *err;
    const glshape_field *field;
    glshape_mergetree_method method;
    glshape_contour_result *result;
    order order;
    uint32_t n, *sorted; /* vertices in order */
    tree join, split;
    uint32_t *arc; /* of a vertex taken away: the other end */
    tree up, down; /* of the contour tree: no parents, but the vertices above and below */
} maker;

static glshape_status new_tree(maker *c, tree *t) {
    TRY(allocate(c->err, &t->children, c->n, sizeof *t->children, "the contour tree"));
    TRY(allocate(c->err, &t->sum, c->n, sizeof *t->sum, "the contour tree"));
    return allocate(c->err, &t->parent, c->n, sizeof *t->parent, "the contour tree");
}

static void free_tree(tree *t) {
    free(t->children);
    free(t->sum);
    free(t->parent);
    *t = (tree){0};
}

static void give_child(tree *t, uint32_t parent, uint32_t child) {
    t->children[parent]++;
    t->sum[parent] ^= child;
}

/* ---- join and split trees ---------------------------------------------------------------------- */

static uint32_t turned(const maker *c, uint32_t v, bool turn) { return turn && v != NONE ? c->n - 1 - v : v; }

/* From triplets, with the vertices of each branch in order. turn: vertex v is n - 1 - v in them. */
static void link_vertices(maker *c, const uint32_t (*triplets)[3], bool turn, uint32_t *last, tree *t) {
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t v = c->sorted[turn ? c->n - 1 - k : k];
        const uint32_t *at = triplets[turned(c, v, turn)];
        bool begins = at[1] != at[0] || at[2] == at[0];
        uint32_t branch = turned(c, begins ? at[0] : at[2], turn);
        if (!begins) t->parent[last[branch]] = v;
        last[branch] = v;
    }
    for (uint32_t v = 0; v < c->n; v++) {
        const uint32_t *at = triplets[turned(c, v, turn)];
        if (at[1] != at[0]) t->parent[last[v]] = turned(c, at[1], turn);
        else if (at[2] == at[0]) t->parent[last[v]] = NONE;
    }
    for (uint32_t v = 0; v < c->n; v++)
        if (t->parent[v] != NONE) give_child(t, t->parent[v], v);
}

static glshape_status sort_vertices(maker *c) {
    order_item *items;
    TRY(allocate(c->err, &c->sorted, c->n, sizeof *c->sorted, "the vertices in order"));
    TRY(allocate(c->err, &items, c->n, 2 * sizeof *items, "the vertices in order"));
    for (uint32_t v = 0; v < c->n; v++) items[v] = (order_item){order_of(&c->order, v), v, 0};
    order_sort(items, items + c->n, c->n);
    for (uint32_t k = 0; k < c->n; k++) c->sorted[k] = items[k].a;
    free(items);
    return GLSHAPE_OK;
}

/* Once glshape_mergetree has found the field good. */
static glshape_status begin(maker *c, size_t n) {
    c->n = (uint32_t)n;
    c->result->n = n;
    TRY(order_new(c->err, c->field, c->n, false, &c->order));
    return sort_vertices(c);
}

static glshape_status make_tree(maker *c, const glshape_field *field, bool turn, tree *t) {
    glshape_mergetree_options o = {.method = c->method, .superlevel = turn};
    glshape_mergetree_result r;
    uint32_t *last = NULL;
    TRY(glshape_mergetree(c->context, field, &o, &r));
    glshape_status status = turn ? GLSHAPE_OK : begin(c, r.n);
    if (!status) status = new_tree(c, t);
    if (!status) status = allocate(c->err, &last, c->n, sizeof *last, "the contour tree");
    if (!status) link_vertices(c, (const uint32_t(*)[3])(const void *)r.triplets, turn, last, t);
    free(last);
    glshape_mergetree_free(&r);
    return status;
}

static size_t type_size(glshape_type type) {
#define SIZE(name, ctype, code) \
    case name:                  \
        return sizeof(ctype);
    switch (type) { GLSHAPE_TYPES(SIZE) }
#undef SIZE
    return 1;
}

static glshape_status turn_graph(maker *c, const glshape_graph *from, size_t **start, uint32_t **to) {
    size_t count = from->start[c->n], at = 0;
    TRY(allocate(c->err, start, c->n + (size_t)1, sizeof **start, "the graph, turned"));
    TRY(allocate(c->err, to, count, sizeof **to, "the graph, turned"));
    for (uint32_t v = c->n; v-- > 0;) {
        for (size_t k = from->start[v]; k < from->start[v + 1]; k++) (*to)[at++] = c->n - 1 - from->to[k];
        (*start)[c->n - v] = at;
    }
    return GLSHAPE_OK;
}

/* The split tree wants of equal values the greater index first: that is the field from its other end. */
static glshape_status make_split(maker *c) {
    size_t size = type_size(c->field->type), *start = NULL;
    char *values;
    uint32_t *to = NULL;
    glshape_field field = *c->field;
    glshape_graph graph = {.nodes = c->n};
    TRY(allocate(c->err, &values, c->n, size, "the field, turned"));
    for (size_t v = 0; v < c->n; v++)
        memcpy(values + size * v, (const char *)c->field->values + size * (c->n - 1 - v), size);
    glshape_status status = field.graph ? turn_graph(c, field.graph, &start, &to) : GLSHAPE_OK;
    graph.start = start, graph.to = to;
    if (field.graph) field.graph = &graph;
    field.values = values;
    if (!status) status = make_tree(c, &field, true, &c->split);
    free(values);
    free(start);
    free(to);
    return status;
}

/* ---- one tree of both -------------------------------------------------------------------------- */

/* A leaf. */
static void cut(tree *t, uint32_t v) {
    uint32_t parent = t->parent[v];
    if (parent == NONE) return;
    t->children[parent]--;
    t->sum[parent] ^= v;
}

/* A vertex with one child: this takes its place. */
static void splice(tree *t, uint32_t v) {
    uint32_t parent = t->parent[v], child = t->sum[v];
    t->parent[child] = parent;
    if (parent != NONE) t->sum[parent] ^= v ^ child;
}

static uint32_t degree(const maker *c, uint32_t v) { return c->join.children[v] + c->split.children[v]; }

/* Takes away leaf after leaf: of the join tree where nothing lies above but one, or the other way round.
 * Children of both trees are fewer than two a vertex, so there is always one. */
static void merge(maker *c, uint32_t *queue) {
    uint32_t filled = 0;
    for (uint32_t v = 0; v < c->n; v++) {
        c->arc[v] = NONE;
        if (degree(c, v) == 1) queue[filled++] = v;
    }
    for (uint32_t k = 0; k < filled; k++) {
        uint32_t v = queue[k];
        if (degree(c, v) != 1) continue; /* the last of all */
        bool lower = !c->join.children[v];
        tree *leaf = lower ? &c->join : &c->split, *inner = lower ? &c->split : &c->join;
        uint32_t other = c->arc[v] = leaf->parent[v];
        cut(leaf, v);
        splice(inner, v);
        give_child(lower ? &c->up : &c->down, v, other);
        give_child(lower ? &c->down : &c->up, other, v);
        c->join.children[v] = c->split.children[v] = 0;
        if (degree(c, other) == 1) queue[filled++] = other;
    }
}

/* ---- arcs -------------------------------------------------------------------------------------- */

static bool regular(const maker *c, uint32_t v) { return c->up.children[v] == 1 && c->down.children[v] == 1; }

/* The lower end of the edge between a vertex and the one that it was taken from. */
static uint32_t lower_end(const maker *c, uint32_t v, uint32_t *upper) {
    uint32_t w = c->arc[v];
    bool rises = order_of(&c->order, v) < order_of(&c->order, w);
    *upper = rises ? w : v;
    return rises ? v : w;
}

static int by_ends(const void *a, const void *b) {
    const glshape_arc *x = a, *y = b;
    if (x->lower != y->lower) return x->lower < y->lower ? -1 : 1;
    return x->upper < y->upper ? -1 : x->upper > y->upper;
}

/* Calls take for each arc, with its lower node and the vertex above that. */
static void each_arc(maker *c, void (*take)(maker *c, uint32_t lower, uint32_t first)) {
    for (uint32_t v = 0, first; v < c->n; v++) {
        if (c->arc[v] == NONE) continue;
        uint32_t lower = lower_end(c, v, &first);
        if (!regular(c, lower)) take(c, lower, first);
    }
}

static void count_arc(maker *c, uint32_t lower, uint32_t first) {
    (void)lower, (void)first;
    c->result->count++;
}

static void list_arc(maker *c, uint32_t lower, uint32_t first) {
    glshape_arc *arc = &c->result->arcs[c->result->count++];
    *arc = (glshape_arc){.lower = lower, .upper = first};
    for (; regular(c, arc->upper); arc->upper = c->up.sum[arc->upper]) arc->regular++;
    arc->lower_value = order_value(c->field, arc->lower);
    arc->upper_value = order_value(c->field, arc->upper);
}

/* A tree has one arc at most between two nodes. */
static void name_arc(maker *c, uint32_t lower, uint32_t first) {
    glshape_contour_result *r = c->result;
    glshape_arc key = {.lower = lower, .upper = first};
    while (regular(c, key.upper)) key.upper = c->up.sum[key.upper];
    const glshape_arc *arc = bsearch(&key, r->arcs, r->count, sizeof key, by_ends);
    for (uint32_t v = first; v != key.upper; v = c->up.sum[v]) r->arc[v] = (uint32_t)(arc - r->arcs);
}

static glshape_status list_arcs(maker *c) {
    glshape_contour_result *r = c->result;
    each_arc(c, count_arc);
    TRY(allocate(c->err, &r->arcs, r->count, sizeof *r->arcs, "the arcs"));
    TRY(allocate(c->err, &r->arc, c->n, sizeof *r->arc, "the arcs of vertices"));
    r->count = 0;
    each_arc(c, list_arc);
    qsort(r->arcs, r->count, sizeof *r->arcs, by_ends);
    for (uint32_t v = 0; v < c->n; v++) r->arc[v] = NONE;
    each_arc(c, name_arc);
    return GLSHAPE_OK;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static glshape_status combine(maker *c) {
    uint32_t *queue;
    TRY(new_tree(c, &c->up));
    TRY(new_tree(c, &c->down));
    TRY(allocate(c->err, &c->arc, c->n, sizeof *c->arc, "the contour tree"));
    TRY(allocate(c->err, &queue, c->n, sizeof *queue, "the contour tree"));
    merge(c, queue);
    free(queue);
    return list_arcs(c);
}

static glshape_status find(maker *c) {
    TRY(make_tree(c, c->field, false, &c->join));
    TRY(make_split(c));
    return combine(c);
}

glshape_status glshape_contour(glshape_context *context, const glshape_field *field,
                               glshape_mergetree_method method, glshape_contour_result *result) {
    *result = (glshape_contour_result){0};
    maker c = {.context = context, .field = field, .method = method, .result = result};
    double start = wall_seconds();
    gpu *g;
    TRY(context_begin(context, &g));
    c.err = gpu_error(g);
    glshape_status status = find(&c);
    tree *const trees[] = {&c.join, &c.split, &c.up, &c.down};
    for (int i = 0; i < 4; i++) free_tree(trees[i]);
    free(c.sorted);
    free(c.arc);
    order_free(&c.order);
    result->seconds = wall_seconds() - start;
    if (status) glshape_contour_free(result);
    return context_end(context, status);
}

void glshape_contour_free(glshape_contour_result *result) {
    free(result->arcs);
    free(result->arc);
    *result = (glshape_contour_result){0};
}
