/* glshape_contour: the contour tree from the join tree and the split tree. On the CPU.
 *
 * A contour tree is a tree whose join tree and split tree are those of the field. Not every field has one; if
 * there is one, merge_trees() finds it (Carr, Snoeyink, Axen 2003): a leaf of it has one child in the join
 * and the split tree together, and when it is taken away, these two are the trees of the rest. If there is
 * none, merge_trees() makes another tree, whose own join tree or split tree differs: check_tree() computes
 * both and compares.
 *
 * A field has a contour tree if the triangles of the neighborhood fill every circle of neighbors. Those of 8,
 * 18, 26 and Freudenthal's neighbors do so on a grid without periodic axes: every side of a cell is an edge,
 * and every diagonal makes triangles with shorter edges, so every circle can be moved over triangles to a
 * point. The level sets of the linear interpolation on the triangles then have a tree. 4 and 6 neighbors have
 * no triangles.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "gpu/context.h"
#include "mergetree/order.h"
#include "tree/union.h"

#define NONE GLSHAPE_NO_VERTEX

/* A merge tree of all vertices. Of the children of a vertex their number is kept and the exclusive or of them
 * all: the child itself if there is one. */
typedef struct tree {
    uint32_t *parent, *children, *exclusive_or;
} tree;

typedef struct maker {
    glshape_context *context;
    error *err;
    glshape_field field;
    glshape_mergetree_method method;
    glshape_contour_result *result;
    order order;
    uint32_t n, *sorted; /* vertices in order */
    tree join, split;
    uint32_t *arc; /* of a vertex that was removed: the other end of its edge */
    tree up, down; /* of the contour tree: the vertices above and below. The parents of down are those of the
                      join tree, the parents of up those of the split tree, as merge_trees found them */
} maker;

static glshape_status new_words(maker *c, uint32_t **out) {
    return allocate(c->err, out, c->n, sizeof **out, "the contour tree");
}

static glshape_status new_tree(maker *c, tree *t) {
    TRY(new_words(c, &t->children));
    TRY(new_words(c, &t->exclusive_or));
    return new_words(c, &t->parent);
}

static void free_tree(tree *t) {
    free(t->children);
    free(t->exclusive_or);
    free(t->parent);
    *t = (tree){0};
}

static void give_child(tree *t, uint32_t parent, uint32_t child) {
    t->children[parent]++;
    t->exclusive_or[parent] ^= child;
}

/* ---- join and split trees ---------------------------------------------------------------------- */

static uint32_t reversed(const maker *c, uint32_t v, bool reverse) {
    return reverse && v != NONE ? c->n - 1 - v : v;
}

/* Makes t of triplets: links the vertices of each branch in order. reverse: the triplets are those of the
 * field from its other end, in which vertex v is n - 1 - v. */
static void link_vertices(maker *c, const uint32_t (*triplets)[3], bool reverse, uint32_t *last, tree *t) {
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t v = c->sorted[reverse ? c->n - 1 - k : k];
        const uint32_t *at = triplets[reversed(c, v, reverse)];
        bool begins = at[1] != at[0] || at[2] == at[0];
        uint32_t branch = reversed(c, begins ? at[0] : at[2], reverse);
        if (!begins) t->parent[last[branch]] = v;
        last[branch] = v;
    }
    for (uint32_t v = 0; v < c->n; v++) {
        const uint32_t *at = triplets[reversed(c, v, reverse)];
        if (at[1] != at[0]) t->parent[last[v]] = reversed(c, at[1], reverse);
        else if (at[2] == at[0]) t->parent[last[v]] = NONE;
    }
    for (uint32_t v = 0; v < c->n; v++)
        if (t->parent[v] != NONE) give_child(t, t->parent[v], v);
}

/* Called once glshape_mergetree has accepted the field. */
static glshape_status order_vertices(maker *c, size_t n) {
    c->n = (uint32_t)n;
    c->result->n = n;
    TRY(order_new(c->err, &c->field, c->n, false, &c->order));
    return order_sort(c->err, &c->order, &c->sorted);
}

static glshape_status make_tree(maker *c, const glshape_field *field, bool reverse, tree *t) {
    OWNED_BY(glshape_mergetree_free) glshape_mergetree_result r = {0};
    OWNED uint32_t *last = NULL;
    glshape_mergetree_options o = {.method = c->method, .superlevel = reverse};
    TRY(glshape_mergetree(c->context, field, &o, &r));
    if (!reverse) TRY(order_vertices(c, r.n));
    TRY(new_tree(c, t));
    TRY(new_words(c, &last));
    link_vertices(c, (const uint32_t(*)[3])(const void *)r.triplets, reverse, last, t);
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
    for (size_t v = 0; v < c->n; v++)
        memcpy(values + size * v, (const char *)c->field.values + size * (c->n - 1 - v), size);
    field.values = values;
    if (field.graph) {
        TRY(reverse_graph(c, field.graph, &start, &to));
        graph.start = start, graph.to = to;
        field.graph = &graph;
    }
    return make_tree(c, &field, true, &c->split);
}

/* ---- one tree of both -------------------------------------------------------------------------- */

/* Removes v, a leaf. */
static void remove_leaf(tree *t, uint32_t v) {
    uint32_t parent = t->parent[v];
    if (parent == NONE) return;
    t->children[parent]--;
    t->exclusive_or[parent] ^= v;
}

/* Removes v, which has one child: the child takes its place. */
static void remove_inner(tree *t, uint32_t v) {
    uint32_t parent = t->parent[v], child = t->exclusive_or[v];
    t->parent[child] = parent;
    if (parent != NONE) t->exclusive_or[parent] ^= v ^ child;
}

static uint32_t degree(const maker *c, uint32_t v) { return c->join.children[v] + c->split.children[v]; }

/* Removes leaf after leaf: a vertex that is a leaf of one tree and has one child in the other. */
static glshape_status merge_trees(maker *c) {
    OWNED uint32_t *queue = NULL;
    uint32_t filled = 0;
    TRY(new_words(c, &queue));
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
        remove_leaf(leaf, v);
        remove_inner(inner, v);
        give_child(lower ? &c->up : &c->down, v, other);
        give_child(lower ? &c->down : &c->up, other, v);
        c->join.children[v] = c->split.children[v] = 0;
        if (degree(c, other) == 1) queue[filled++] = other;
    }
    return GLSHAPE_OK;
}

/* Returns the lower end of the edge with which v was removed, and sets *upper to the other end. */
static uint32_t lower_end(const maker *c, uint32_t v, uint32_t *upper) {
    uint32_t w = c->arc[v];
    bool rises = order_of(&c->order, v) < order_of(&c->order, w);
    *upper = rises ? w : v;
    return rises ? v : w;
}

/* ---- the check --------------------------------------------------------------------------------- */

/* The edges of the result by one of their ends. An edge is named by the vertex that was removed with it. */
typedef struct edge_lists {
    uint32_t *first, *next, *sets; /* a vertex's first edge; an edge's next one; of vertices */
} edge_lists;

static void lists_free(edge_lists *l) {
    free(l->first);
    free(l->next);
    free(l->sets);
}

/* Each edge goes to its upper end; reverse: to its lower one. */
static void list_edges(const maker *c, edge_lists *l, bool reverse) {
    for (uint32_t v = 0; v < c->n; v++) l->first[v] = NONE;
    for (uint32_t e = 0, upper; e < c->n; e++) {
        if (c->arc[e] == NONE) continue;
        uint32_t lower = lower_end(c, e, &upper), at = reverse ? lower : upper;
        l->next[e] = l->first[at];
        l->first[at] = e;
    }
}

/* Returns true if the result's own join tree (reverse: split tree) has these parents: where an edge joins a
 * vertex to a component of vertices before it, the vertex is the parent of the last vertex of that component,
 * which is the root of its set. */
static bool has_tree(const maker *c, edge_lists *l, const uint32_t *parent, bool reverse) {
    uint32_t missing = 0;
    list_edges(c, l, reverse);
    for (uint32_t v = 0; v < c->n; v++) l->sets[v] = v, missing += parent[v] != NONE;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t v = c->sorted[reverse ? c->n - 1 - k : k];
        for (uint32_t e = l->first[v]; e != NONE; e = l->next[e], missing--) {
            uint32_t last = union_find(l->sets, e == v ? c->arc[e] : e);
            if (parent[last] != v) return false;
            l->sets[last] = v;
        }
    }
    return !missing;
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
    bool periodic = f->periodic[0] || f->periodic[1] || (f->dims == 3 && f->periodic[2]);
    return fail(c->err, GLSHAPE_BAD_INPUT, "%s; %swith %s neighbors every field has one", none,
                periodic ? "without periodic axes and " : "",
                f->dims == 2 ? "freudenthal-6 or 8" : "freudenthal-14, 18 or 26");
}

static glshape_status check_tree(maker *c) {
    OWNED_BY(lists_free) edge_lists l = {0};
    TRY(new_words(c, &l.first));
    TRY(new_words(c, &l.next));
    TRY(new_words(c, &l.sets));
    bool good = has_tree(c, &l, c->down.parent, false) && has_tree(c, &l, c->up.parent, true);
    return good ? GLSHAPE_OK : refuse(c);
}

/* ---- arcs -------------------------------------------------------------------------------------- */

static bool is_regular(const maker *c, uint32_t v) {
    return c->up.children[v] == 1 && c->down.children[v] == 1;
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
        if (!is_regular(c, lower)) take(c, lower, first);
    }
}

static void count_arc(maker *c, uint32_t lower, uint32_t first) {
    (void)lower, (void)first;
    c->result->count++;
}

static void list_arc(maker *c, uint32_t lower, uint32_t first) {
    glshape_arc *arc = &c->result->arcs[c->result->count++];
    *arc = (glshape_arc){.lower = lower, .upper = first};
    for (; is_regular(c, arc->upper); arc->upper = c->up.exclusive_or[arc->upper]) arc->regular++;
    arc->lower_value = order_value(&c->field, arc->lower);
    arc->upper_value = order_value(&c->field, arc->upper);
}

/* A tree has one arc at most between two nodes. */
static void name_arc(maker *c, uint32_t lower, uint32_t first) {
    glshape_contour_result *r = c->result;
    glshape_arc key = {.lower = lower, .upper = first};
    while (is_regular(c, key.upper)) key.upper = c->up.exclusive_or[key.upper];
    const glshape_arc *arc = bsearch(&key, r->arcs, r->count, sizeof key, by_ends);
    for (uint32_t v = first; v != key.upper; v = c->up.exclusive_or[v]) r->arc[v] = (uint32_t)(arc - r->arcs);
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

static void maker_free(maker *c) {
    tree *const trees[] = {&c->join, &c->split, &c->up, &c->down};
    for (int i = 0; i < 4; i++) free_tree(trees[i]);
    free(c->sorted);
    free(c->arc);
    order_free(&c->order);
}

static glshape_status compute_contour(gpu *g, glshape_context *context, const glshape_field *field,
                                      glshape_mergetree_method method, glshape_contour_result *result) {
    OWNED_BY(glshape_contour_free) glshape_contour_result r = {0};
    OWNED_BY(maker_free) maker c = {.context = context, .err = gpu_error(g), .field = *field, .result = &r};
    double start = wall_seconds();
    c.method = method;
    if (!field->neighborhood) c.field.neighborhood = field->dims == 2 ? 6 : 14;
    TRY(make_tree(&c, &c.field, false, &c.join));
    TRY(make_split(&c));
    TRY(new_tree(&c, &c.up));
    TRY(new_tree(&c, &c.down));
    TRY(new_words(&c, &c.arc));
    memcpy(c.down.parent, c.join.parent, c.n * sizeof *c.arc);
    memcpy(c.up.parent, c.split.parent, c.n * sizeof *c.arc);
    TRY(merge_trees(&c)); /* leaves nothing of the two trees */
    free_tree(&c.join);
    free_tree(&c.split);
    TRY(check_tree(&c));
    TRY(list_arcs(&c));
    r.seconds = wall_seconds() - start;
    *result = MOVE(r);
    return GLSHAPE_OK;
}

glshape_status glshape_contour(glshape_context *context, const glshape_field *field,
                               glshape_mergetree_method method, glshape_contour_result *result) {
    *result = (glshape_contour_result){0};
    gpu *g;
    TRY(context_begin_closed(context, &g));
    return context_end(context, compute_contour(g, context, field, method, result));
}

void glshape_contour_free(glshape_contour_result *result) {
    free(result->arcs);
    free(result->arc);
    *result = (glshape_contour_result){0};
}
