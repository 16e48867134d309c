/* Persistent homology of the alpha filtration. Dimension 0: the elder rule on points. Dimension 1: the
 * elder rule on triangles, from the end of the filtration (by duality). */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "gpu/context.h"
#include "persistence/simplex.h"
#include "tree/union.h"

typedef struct filtration {
    const glshape_alpha_result *r;
    uint32_t *order; /* edges by (rank of birth, number) */
    /* A union-find: of points; then of triangles and, last, the outer face. */
    uint32_t *parent;
    /* [2e], [2e + 1]: the triangles on both sides of edge e; triangle_count: the outer face. */
    uint32_t *beside;
    glshape_interval *intervals;
    size_t count;
} filtration;

static uint32_t birth(const glshape_alpha_result *r, uint32_t e) {
    const uint32_t *ranks = r->edge_ranks + 3 * (size_t)e;
    return ranks[0] ? ranks[0] : ranks[1];
}

/* start: room for ranks + 2 counters, all 0. */
static void order_edges(filtration *f, uint32_t *start) {
    uint32_t edges = (uint32_t)f->r->edge_count;
    for (uint32_t e = 0; e < edges; e++) start[birth(f->r, e) + 1]++;
    for (size_t k = 1; k < f->r->ranks + 2; k++) start[k] += start[k - 1];
    for (uint32_t e = 0; e < edges; e++) f->order[start[birth(f->r, e)]++] = e;
}

static void add_interval(filtration *f, int dim, uint32_t from, uint32_t to, glshape_simplex begin,
                         glshape_simplex end) {
    const double *radii = f->r->radii;
    if (radii[from] < radii[to])
        f->intervals[f->count++] = (glshape_interval){dim, radii[from], radii[to], begin, end};
}

/* The root of a set is its smallest point, which is the elder. */
static void pair_components(filtration *f) {
    const glshape_alpha_result *r = f->r;
    for (uint32_t v = 0; v < r->n; v++) f->parent[v] = v;
    for (size_t k = 0; k < r->edge_count; k++) {
        const uint32_t *end = r->edges + 2 * (size_t)f->order[k];
        uint32_t a = union_find(f->parent, end[0]), b = union_find(f->parent, end[1]);
        if (a == b) continue;
        uint32_t younger = a > b ? a : b;
        f->parent[younger] = a > b ? b : a;
        add_interval(f, 0, 0, birth(r, f->order[k]), younger, simplex_index(end, 2));
    }
    for (uint32_t v = 0; v < r->n; v++)
        if (r->same[v] == v && f->parent[v] == v)
            f->intervals[f->count++] = (glshape_interval){0, 0, INFINITY, v, GLSHAPE_NO_SIMPLEX};
}

static bool later(const glshape_alpha_result *r, uint32_t a, uint32_t b) {
    if (a == r->triangle_count || b == r->triangle_count) return a > b;
    if (r->triangle_ranks[a] != r->triangle_ranks[b]) return r->triangle_ranks[a] > r->triangle_ranks[b];
    return a > b;
}

/* Goes through the edges backwards. Removing an edge joins the faces on its two sides. Each side is a hole
 * that its last triangle ends. The side whose triangle comes earlier is the hole that this edge began. */
static void pair_holes(filtration *f) {
    const glshape_alpha_result *r = f->r;
    for (uint32_t t = 0; t <= r->triangle_count; t++) f->parent[t] = t;
    for (size_t k = r->edge_count; k-- > 0;) {
        uint32_t e = f->order[k];
        uint32_t a = union_find(f->parent, f->beside[2 * (size_t)e]),
                 b = union_find(f->parent, f->beside[2 * (size_t)e + 1]);
        if (a == b) continue;
        uint32_t ended = later(r, a, b) ? b : a;
        f->parent[ended] = ended == a ? b : a;
        add_interval(f, 1, birth(r, e), r->triangle_ranks[ended], simplex_index(r->edges + 2 * (size_t)e, 2),
                     simplex_index(r->triangles + 3 * (size_t)ended, 3));
    }
}

static void list_triangles_beside(filtration *f) {
    const glshape_alpha_result *r = f->r;
    uint32_t outside = (uint32_t)r->triangle_count;
    for (size_t k = 0; k < 2 * r->edge_count; k++) f->beside[k] = outside;
    for (size_t h = 0; h < 3 * r->triangle_count; h++) {
        size_t e = r->triangle_edges[h];
        f->beside[2 * e + (f->beside[2 * e] != outside)] = (uint32_t)(h / 3);
    }
}

static void free_filtration(filtration *f) {
    free(f->order);
    free(f->parent);
    free(f->beside);
    free(f->intervals);
}

static glshape_status pair_simplices(error *err, filtration *f) {
    const glshape_alpha_result *r = f->r;
    size_t sets = r->n > r->triangle_count ? r->n : r->triangle_count + 1;
    TRY(allocate(err, &f->order, r->edge_count + r->ranks + 2, sizeof *f->order, "the filtration"));
    TRY(allocate(err, &f->parent, sets, sizeof *f->parent, "components"));
    TRY(allocate(err, &f->beside, r->edge_count, 2 * sizeof *f->beside, "the sides of edges"));
    TRY(allocate(err, &f->intervals, r->vertices + r->triangle_count, sizeof *f->intervals, "the intervals"));
    order_edges(f, f->order + r->edge_count);
    pair_components(f);
    if (!r->triangle_count) return GLSHAPE_OK;
    list_triangles_beside(f);
    pair_holes(f);
    return GLSHAPE_OK;
}

glshape_status glshape_alpha_persistence(glshape_context *context, const glshape_alpha_result *result,
                                         glshape_interval **intervals, size_t *count) {
    run *r;
    OWNED_BY(free_filtration) filtration f = {.r = result};
    *intervals = NULL;
    *count = 0;
    TRY(context_begin_run(context, &r));
    glshape_status status = pair_simplices(run_error(r), &f);
    if (!status) {
        *intervals = MOVE(f.intervals);
        *count = f.count;
    }
    return context_end(context, status);
}
