/* Facets and cofacets, made when they are asked for. */
#include <string.h>

#include "rips/space.h"

/* A simplex as its vertices, and the parts of the index of a cofacet. A new vertex w has `place` vertices of
 * the simplex below it; the cofacet's index is above + C(w, place + 1) + below. */
typedef struct parts {
    const rips_space *s;
    uint32_t v[RIPS_MOST_VERTICES]; /* descending */
    int count;
    uint64_t above, below; /* what the vertices above and below w add to the index */
    int place;
} parts;

static void take_apart(const rips_space *s, uint64_t index, int count, parts *p) {
    *p = (parts){.s = s, .count = count, .place = count, .below = index};
    simplex_table_vertices(&s->simplices, index, count, p->v);
}

/* Moves the new vertex below one more vertex of the simplex. */
static void step_down(parts *p) {
    uint32_t v = p->v[p->count - p->place];
    p->below -= rips_choose(p->s, v, p->place);
    p->above += rips_choose(p->s, v, p->place + 1);
    p->place--;
}

static uint64_t cofacet_index(const parts *p, uint32_t w) {
    return p->above + rips_choose(p->s, w, p->place + 1) + p->below;
}

static void put_cofacet(const parts *p, cell e, uint32_t w, float diameter, cell *out) {
    uint32_t modulus = p->s->modulus;
    *out = (cell){cofacet_index(p, w), diameter, p->place & 1 ? modulus - e.coefficient : e.coefficient};
}

#define BLOCK 64u

/* most[k] = the greatest of `least` and the distances from point w + k to all vertices; beyond the last point
 * it does not matter. */
static void greatest_distances(const parts *p, float least, uint32_t w, float most[BLOCK]) {
    uint32_t count = p->s->n - w;
    for (uint32_t k = 0; k < BLOCK; k++) most[k] = least;
    for (int i = 0; i < p->count; i++) {
        const float *row = p->s->distance + (size_t)p->v[i] * p->s->n + w;
        if (count >= BLOCK)
            for (uint32_t k = 0; k < BLOCK; k++) most[k] = row[k] > most[k] ? row[k] : most[k];
        else
            for (uint32_t k = 0; k < count; k++) most[k] = row[k] > most[k] ? row[k] : most[k];
    }
}

/* Fills hit with the points from `from` to `end` whose greatest distance is wanted, in descending order.
 * Without branches, as no processor foresees which they are. */
static uint32_t list_hits(const float *most, cell_range wanted, uint32_t from, uint32_t end, uint32_t *hit) {
    uint32_t hits = 0;
    for (uint32_t w = end; w-- > from;) {
        hit[hits] = w;
        hits += (uint32_t)(most[w - from] <= wanted.upto) & (uint32_t)(most[w - from] > wanted.above);
    }
    return hits;
}

static size_t dense_cofacets(parts *p, cell e, cell_range wanted, cell *out) {
    size_t found = 0;
    float most[BLOCK];
    uint32_t hit[BLOCK];
    for (uint32_t end = p->s->n, from; end > 0; end = from) {
        from = end > BLOCK ? end - BLOCK : 0;
        greatest_distances(p, e.value, from, most);
        uint32_t hits = list_hits(most, wanted, from, end, hit);
        for (uint32_t k = 0; k < hits; k++) {
            while (p->place && p->v[p->count - p->place] > hit[k]) step_down(p);
            if (p->place && p->v[p->count - p->place] == hit[k]) continue;
            put_cofacet(p, e, hit[k], most[hit[k] - from], &out[found++]);
        }
    }
    return found;
}

static size_t degree_of(const rips_space *s, uint32_t v) { return s->graph.start[v + 1] - s->graph.start[v]; }

/* The points that are neighbors of all vertices of a simplex, in descending order: goes down the neighbor
 * lists of all vertices at once. */
typedef struct common {
    const parts *p;
    size_t at[RIPS_MOST_VERTICES]; /* one past the next neighbor of each vertex */
    bool skewed;                   /* of two lists one is much longer: most of it is to be skipped */
} common;

#define SKEW 16

static void common_start(common *d, const parts *p) {
    size_t most = 0, least = SIZE_MAX;
    d->p = p;
    for (int i = 0; i < p->count; i++) {
        size_t degree = degree_of(p->s, p->v[i]);
        d->at[i] = p->s->graph.start[p->v[i] + 1];
        most = degree > most ? degree : most;
        least = degree < least ? degree : least;
    }
    d->skewed = most / SKEW > least;
}

/* next_common() for an edge: few branches are hard to foresee. */
static bool next_of_two(common *d, uint32_t *w, float *most) {
    const rips_graph *g = &d->p->s->graph;
    size_t x = d->at[0], y = d->at[1], first_x = g->start[d->p->v[0]], first_y = g->start[d->p->v[1]];
    while (x > first_x && y > first_y) {
        uint32_t p = g->point[x - 1], q = g->point[y - 1];
        x -= p >= q;
        y -= q >= p;
        if (p != q) continue;
        *w = p;
        *most = g->distance[x] > g->distance[y] ? g->distance[x] : g->distance[y];
        d->at[0] = x, d->at[1] = y;
        return true;
    }
    return false;
}

/* Sets *w to the next common neighbor, and *most to the greatest of its distances to the vertices. False:
 * there are no more. */
static bool next_common(common *d, uint32_t *w, float *most) {
    const rips_graph *g = &d->p->s->graph;
    const parts *p = d->p;
    if (p->count == 2 && !d->skewed) return next_of_two(d, w, most);
    uint32_t wanted = UINT32_MAX;
    for (int agree = 0, i = 0; agree < p->count; i = (i + 1) % p->count) {
        size_t first = g->start[p->v[i]];
        d->at[i] = rips_skip_down(g->point, first, d->at[i], wanted);
        if (d->at[i] == first) return false;
        uint32_t here = g->point[d->at[i] - 1];
        agree = here == wanted ? agree + 1 : 1;
        wanted = here;
    }
    *w = wanted;
    *most = 0;
    for (int i = 0; i < p->count; i++) {
        float distance = g->distance[--d->at[i]]; /* no NaN; fmaxf() would be a call */
        *most = distance > *most ? distance : *most;
    }
    return true;
}

#define AT_ONCE 64u

/* The neighbors that two lists have in common, as places in either. */
typedef struct both {
    const uint32_t *x, *y; /* the lists, from their first neighbors on */
    uint32_t left_x, left_y, count;
    uint32_t at_x[AT_ONCE + 1], at_y[AT_ONCE + 1];
} both;

/* The next ones, in descending order; false: there are no more. Without branches that depend on neighbors. */
static bool next_ones(both *b) {
    uint32_t x = b->left_x, y = b->left_y, hits = 0;
    while (x && y && hits < AT_ONCE) {
        uint32_t sure = x < y ? x : y; /* steps that no list ends before */
        if (sure > AT_ONCE - hits) sure = AT_ONCE - hits;
        for (; sure; sure--) {
            uint32_t p = b->x[x - 1], q = b->y[y - 1];
            b->at_x[hits] = x - 1;
            b->at_y[hits] = y - 1;
            hits += p == q;
            x -= p >= q;
            y -= q >= p;
        }
    }
    b->left_x = x, b->left_y = y, b->count = hits;
    return hits;
}

#define LINE 16 /* floats of a line of caches */

/* Asks for values that will be needed. */
static void ask_for(const float *x, size_t count) {
#ifdef __GNUC__
    for (size_t k = 0; k < count; k += LINE) __builtin_prefetch(x + k);
#endif
}

/* sparse_cofacets() of an edge, which most columns of dimension 1 need: the neighbors first, so that their
 * distances are waited for side by side. */
static size_t cofacets_of_edge(parts *p, cell e, cell_range wanted, cell *out) {
    const rips_graph *g = &p->s->graph;
    size_t first_x = g->start[p->v[0]], first_y = g->start[p->v[1]], found = 0;
    both b = {.x = g->point + first_x, .y = g->point + first_y};
    b.left_x = (uint32_t)degree_of(p->s, p->v[0]);
    b.left_y = (uint32_t)degree_of(p->s, p->v[1]);
    ask_for(g->distance + first_x, b.left_x);
    ask_for(g->distance + first_y, b.left_y);
    while (next_ones(&b))
        for (uint32_t k = 0; k < b.count; k++) {
            uint32_t w = b.x[b.at_x[k]];
            float x = g->distance[first_x + b.at_x[k]], y = g->distance[first_y + b.at_y[k]];
            float most = x > y ? x : y;
            most = most > e.value ? most : e.value;
            while (p->place && p->v[p->count - p->place] > w) step_down(p);
            put_cofacet(p, e, w, most, &out[found]);
            found += (size_t)(most <= wanted.upto) & (size_t)(most > wanted.above);
        }
    return found;
}

static size_t sparse_cofacets(parts *p, cell e, cell_range wanted, cell *out) {
    common d;
    uint32_t w;
    float most;
    size_t found = 0;
    common_start(&d, p);
    if (p->count == 2 && !d.skewed) return cofacets_of_edge(p, e, wanted, out);
    while (next_common(&d, &w, &most)) {
        while (p->place && p->v[p->count - p->place] > w) step_down(p);
        most = most > e.value ? most : e.value;
        if (most <= wanted.upto && most > wanted.above) put_cofacet(p, e, w, most, &out[found++]);
    }
    return found;
}

/* With short lists and a matrix: the neighbors of one vertex, and their distances to the others. */
typedef struct nearby {
    size_t first, end; /* in the lists */
    const float *row[RIPS_MOST_VERTICES];
    int rows;
} nearby;

/* Takes the list of the vertex that has the shortest. */
static nearby nearby_of(const rips_space *s, const uint32_t *v, int count) {
    int shortest = 0;
    for (int i = 1; i < count; i++)
        if (degree_of(s, v[i]) < degree_of(s, v[shortest])) shortest = i;
    nearby d = {.first = s->graph.start[v[shortest]], .end = s->graph.start[v[shortest] + 1]};
    for (int i = 0; i < count; i++)
        if (i != shortest) d.row[d.rows++] = s->distance + (size_t)v[i] * s->n;
    return d;
}

/* The greatest of least and the distances of neighbor k to all vertices. */
static float distance_to_all(const rips_graph *g, const nearby *d, size_t k, float least) {
    float most = g->distance[k] > least ? g->distance[k] : least;
    uint32_t w = g->point[k];
    for (int i = 0; i < d->rows; i++) most = d->row[i][w] > most ? d->row[i][w] : most;
    return most;
}

static size_t nearby_cofacets(parts *p, cell e, cell_range wanted, cell *out) {
    const rips_graph *g = &p->s->graph;
    nearby d = nearby_of(p->s, p->v, p->count);
    size_t found = 0;
    for (size_t k = d.end; k-- > d.first;) {
        float most = distance_to_all(g, &d, k, e.value);
        if (!(most <= wanted.upto && most > wanted.above)) continue;
        uint32_t w = g->point[k];
        while (p->place && p->v[p->count - p->place] > w) step_down(p);
        if (!p->place || p->v[p->count - p->place] != w) put_cofacet(p, e, w, most, &out[found++]);
    }
    return found;
}

size_t rips_cofacets(const rips_space *s, cell e, int vertices, cell_range wanted, cell *out) {
    parts p;
    take_apart(s, e.index, vertices, &p);
    if (!s->lists_are_short) return dense_cofacets(&p, e, wanted, out);
    return s->distance ? nearby_cofacets(&p, e, wanted, out) : sparse_cofacets(&p, e, wanted, out);
}

/* ---- apparent pairs ---------------------------------------------------------------------------- */

static bool member(const uint32_t *v, int count, uint32_t w) {
    for (int i = 0; i < count; i++)
        if (v[i] == w) return true;
    return false;
}

/* Returns true if no vertex is farther from w than diameter. */
static bool all_within(const rips_space *s, const uint32_t *v, int count, uint32_t w, float diameter) {
    for (int i = 0; i < count; i++)
        if (!(s->distance[(size_t)v[i] * s->n + w] <= diameter)) return false;
    return true;
}

/* Sets *w to the greatest point, no vertex itself, that is within diameter of all vertices: the new vertex of
 * the first cofacet of that diameter. False: there is none. */
static bool first_new_vertex(const rips_space *s, const uint32_t *v, int count, float diameter, uint32_t *w) {
    if (!s->lists_are_short) {
        for (*w = s->n; (*w)-- > 0;)
            if (all_within(s, v, count, *w, diameter) && !member(v, count, *w)) return true;
        return false;
    }
    if (s->distance) {
        nearby d = nearby_of(s, v, count);
        for (size_t k = d.end; k-- > d.first;) {
            *w = s->graph.point[k];
            if (distance_to_all(&s->graph, &d, k, 0) <= diameter && !member(v, count, *w)) return true;
        }
        return false;
    }
    parts p = {.s = s, .count = count};
    memcpy(p.v, v, (size_t)count * sizeof *v);
    common d;
    float most;
    common_start(&d, &p);
    while (next_common(&d, w, &most))
        if (most <= diameter) return true;
    return false;
}

static void leave_out(const uint32_t *v, int count, int k, uint32_t *rest) {
    for (int i = 0; i < count; i++)
        if (i != k) *rest++ = v[i];
}

/* Fills rest with the last facet that has the simplex's diameter. Returns the place of the vertex that it
 * lacks, the greatest possible; -1 if no facet has that diameter. */
static int last_facet(const rips_space *s, const uint32_t *v, int count, float diameter, uint32_t *rest) {
    uint32_t all = (UINT32_C(1) << count) - 1, lacking = diameter > 0 ? 0 : all; /* facets of the diameter */
    for (int i = count - 1; i > 0 && !(lacking & 1); i--)
        for (int j = i - 1; j >= 0 && !(lacking & 1); j--)
            if (rips_distance(s, v[i], v[j]) == diameter)
                lacking |= all & ~(UINT32_C(1) << i | UINT32_C(1) << j);
    if (!lacking) return -1;
    int k = __builtin_ctz(lacking);
    leave_out(v, count, k, rest);
    return k;
}

/* As rips_apparent_facet, for vertices v. */
static bool find_apparent_facet(const rips_space *s, const uint32_t *v, int count, float diameter,
                                uint64_t *facet) {
    uint32_t rest[RIPS_MOST_VERTICES], w;
    int k = last_facet(s, v, count, diameter, rest);
    if (k < 0 || !first_new_vertex(s, rest, count - 1, diameter, &w) || w != v[k]) return false;
    *facet = simplex_table_index(&s->simplices, rest, count - 1);
    return true;
}

bool rips_apparent_facet(const rips_space *s, cell c, int vertices, uint64_t *facet) {
    uint32_t v[RIPS_MOST_VERTICES];
    simplex_table_vertices(&s->simplices, c.index, vertices, v);
    return find_apparent_facet(s, v, vertices, c.value, facet);
}

bool rips_is_apparent(const rips_space *s, const uint32_t *v, int vertices, float diameter) {
    uint32_t with[RIPS_MOST_VERTICES + 1], rest[RIPS_MOST_VERTICES], w;
    uint64_t facet;
    if (find_apparent_facet(s, v, vertices, diameter, &facet)) return true;
    if (!first_new_vertex(s, v, vertices, diameter, &w)) return false;
    int at = 0;
    for (; at < vertices && v[at] > w; at++) with[at] = v[at];
    with[at] = w;
    for (int i = at; i < vertices; i++) with[i + 1] = v[i];
    return last_facet(s, with, vertices + 1, diameter, rest) == at;
}

/* ---- the complex, for the reduction ------------------------------------------------------------ */

static size_t cofacets_of(const void *space, cell c, int dim, cell_range wanted, cell *out) {
    return rips_cofacets(space, c, dim + 1, wanted, out);
}

/* Returns the coefficient that c has in the coboundary of its facet: the one that rips_cofacets gives it. */
static uint32_t coefficient_in(const rips_space *s, uint64_t c, int vertices, uint64_t facet) {
    uint32_t v[RIPS_MOST_VERTICES], t[RIPS_MOST_VERTICES];
    int at = 0;
    simplex_table_vertices(&s->simplices, c, vertices, v);
    simplex_table_vertices(&s->simplices, facet, vertices - 1, t);
    while (at < vertices - 1 && v[at] == t[at]) at++;
    return (vertices - 1 - at) & 1 ? s->modulus - 1 : 1;
}

static bool apparent_facet(const void *space, cell c, int dim, uint64_t *facet, uint32_t *coefficient) {
    if (!rips_apparent_facet(space, c, dim + 1, facet)) return false;
    *coefficient = coefficient_in(space, c.index, dim + 1, *facet);
    return true;
}

filtered_complex rips_complex(const rips_space *s) {
    return (filtered_complex){.space = s,
                              .threshold = s->threshold,
                              .modulus = s->modulus,
                              .inverse = s->inverse,
                              .most_cofacets = s->n,
                              .cofacets = cofacets_of,
                              .apparent_facet = apparent_facet};
}
