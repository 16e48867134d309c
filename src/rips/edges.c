/* Edges come one by one, the shortest first. Each vertex has a set of bits: the vertices that it has an edge
 * to by now. The first cofacet of an edge is then the first bit that both its ends have. */
#include "rips/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "tree/union.h"

static uint32_t bits_of(float length) {
    uint32_t bits;
    length += 0.0f; /* -0 is 0 */
    memcpy(&bits, &length, sizeof bits);
    return bits;
}

static float length_of(const radix_item *edge) {
    uint32_t bits = (uint32_t)(edge->at >> 32);
    float length;
    memcpy(&length, &bits, sizeof length);
    return length;
}

glshape_status rips_edges_new(error *err, const rips_space *s, rips_edges *out) {
    size_t edges = 0;
    for (size_t a = 0; a < s->n; a++)
        for (size_t b = 0; b < a; b++) edges += s->distance[a * s->n + b] <= s->threshold;
    *out = (rips_edges){0};
    TRY(allocate(err, &out->items, edges, 2 * sizeof *out->items, "the edges"));
    for (uint32_t a = s->n; a-- > 0;) {
        const float *row = s->distance + (size_t)a * s->n;
        for (uint32_t b = a; b-- > 0;) {
            if (row[b] <= s->threshold)
                out->items[out->count++] = (radix_item){(uint64_t)bits_of(row[b]) << 32, a, b};
        }
    }
    radix_sort_upper(out->items, out->items + edges, edges);
    return GLSHAPE_OK;
}

void rips_edges_free(rips_edges *e) {
    free(e->items);
    *e = (rips_edges){0};
}

/* ---- dimension 0 ------------------------------------------------------------------------------- */

/* Kruskal's algorithm: the edges are in order, also of those that are equally long. */
static void join_components(const rips_edges *e, uint32_t *sets, uint32_t n, tree_forest *f) {
    for (uint32_t v = 0; v < n; v++) sets[v] = v;
    for (size_t k = 0; k < e->count && f->count + 1 < n; k++) {
        const radix_item *edge = &e->items[k];
        uint32_t a = union_find(sets, edge->a), b = union_find(sets, edge->b);
        if (a == b) continue;
        sets[a < b ? a : b] = a > b ? a : b;
        f->i[f->count] = n - 1 - edge->a;
        f->j[f->count] = n - 1 - edge->b;
        f->weight[f->count++] = length_of(edge);
    }
    f->components = n - f->count;
}

glshape_status rips_edges_forest(error *err, const rips_space *s, const rips_edges *e, tree_forest *out) {
    OWNED_BY(tree_forest_free) tree_forest f = {0};
    OWNED uint32_t *sets = NULL;
    TRY(allocate(err, &sets, s->n, sizeof *sets, "the components"));
    TRY(allocate(err, &f.i, s->n, sizeof *f.i, "the forest"));
    TRY(allocate(err, &f.j, s->n, sizeof *f.j, "the forest"));
    TRY(allocate(err, &f.weight, s->n, sizeof *f.weight, "the forest"));
    join_components(e, sets, s->n, &f);
    *out = MOVE(f);
    return GLSHAPE_OK;
}

/* ---- columns ----------------------------------------------------------------------------------- */

/* near: for each vertex `words` words. Bit v stands for vertex n - 1 - v: the greatest vertex is the first
 * bit. */
typedef struct sets {
    const rips_space *s;
    size_t words;
    uint64_t *near;
} sets;

static void join(const sets *t, uint32_t a, uint32_t b) {
    uint32_t bit = t->s->n - 1 - b;
    t->near[a * t->words + bit / 64] |= UINT64_C(1) << bit % 64;
}

/* The greatest vertex that has edges to both ends. False: there is none. */
static bool first_common(const sets *t, uint32_t a, uint32_t b, uint32_t *w) {
    const uint64_t *x = t->near + a * t->words, *y = t->near + b * t->words;
    for (size_t k = 0; k < t->words; k++) {
        uint64_t both = x[k] & y[k];
        if (!both) continue;
        *w = t->s->n - 1 - (uint32_t)(64 * k) - (uint32_t)__builtin_ctzll(both);
        return true;
    }
    return false;
}

/* Returns true if the edge is in an apparent pair: if it is the last facet of its first cofacet, that is, if
 * no facet that lacks a greater vertex is as long. Sets have the edges up to its length. */
static bool is_apparent(const sets *t, uint32_t a, uint32_t b, float length) {
    uint32_t w;
    if (length == 0) return rips_is_apparent(t->s, (uint32_t[]){a, b}, 2, 0); /* with a vertex, perhaps */
    if (!first_common(t, a, b, &w)) return false;
    if (w > a) return true;
    return rips_distance(t->s, b, w) < length && (w > b || rips_distance(t->s, a, w) < length);
}

/* Returns the end of the edges that are as long as edge k. */
static size_t end_of_equals(const rips_edges *e, size_t k) {
    size_t end = k + 1;
    while (end < e->count && e->items[end].at == e->items[k].at) end++;
    return end;
}

/* Adds the edges from `first` to `end`, which are equally long, to the sets, and to the columns those that
 * are in no apparent pair. */
static glshape_status add_equals(error *err, sets *t, const rips_edges *e, size_t first, size_t end,
                                 rips_columns *out) {
    for (size_t k = first; k < end; k++) {
        join(t, e->items[k].a, e->items[k].b);
        join(t, e->items[k].b, e->items[k].a);
    }
    for (size_t k = first; k < end; k++) {
        uint32_t a = e->items[k].a, b = e->items[k].b;
        cell column = {rips_choose(t->s, a, 2) + b, length_of(&e->items[k]), 1};
        if (is_apparent(t, a, b, column.value)) continue;
        TRY(memory_reserve(err, &out->items, &out->room, out->count + 1, sizeof column, "columns"));
        out->items[out->count++] = column;
    }
    return GLSHAPE_OK;
}

/* The order of reduction is the opposite of that of the edges. */
static void reverse(rips_columns *c) {
    for (size_t i = 0, j = c->count; i + 1 < j; i++) {
        cell e = c->items[i];
        c->items[i] = c->items[--j];
        c->items[j] = e;
    }
}

glshape_status rips_edges_columns(error *err, const rips_space *s, const rips_edges *e, rips_columns *out) {
    OWNED uint64_t *near = NULL;
    sets t = {.s = s, .words = ((size_t)s->n + 63) / 64};
    *out = (rips_columns){.examined = e->count};
    TRY(allocate(err, &near, s->n * t.words, sizeof *near, "the edges"));
    t.near = near;
    for (size_t k = 0, end; k < e->count; k = end) {
        end = end_of_equals(e, k);
        TRY(add_equals(err, &t, e, k, end, out));
    }
    reverse(out);
    return GLSHAPE_OK;
}
