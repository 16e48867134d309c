/* One alpha shape: the class of each face, and the boundary as rings. */
#include <stdlib.h>

#include "alpha/family.h"
#include "alpha/rings.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "gpu/context.h"

#define BLOCK 65536u /* faces of one item of work */

typedef struct shaper {
    error *err;
    const glshape_alpha_result *r;
    const double *xy;
    int exponent; /* coordinate = xy · 2^exponent */
    glshape_alpha_shape *s;
    uint32_t *queue; /* of triangles */
} shaper;

/* ---- classes ----------------------------------------------------------------------------------- */

/* Returns the class at `rank` of a face that becomes singular at rank `born`, regular at `regular` and
 * interior at `inside`; 0: never. */
static uint8_t class_of(uint32_t rank, uint32_t born, uint32_t regular, uint32_t inside) {
    if (inside && rank >= inside) return GLSHAPE_ALPHA_INTERIOR;
    if (regular && rank >= regular) return GLSHAPE_ALPHA_REGULAR;
    return born && rank >= born ? GLSHAPE_ALPHA_SINGULAR : GLSHAPE_ALPHA_EXTERIOR;
}

/* Classes are of faces apart, so threads find them, BLOCK numbers at a time. */
typedef struct classes {
    shaper *w;
    bool regularized;
} classes;

static void classify_triangle(shaper *w, size_t t) {
    bool inside = w->s->rank >= w->r->triangle_ranks[t];
    w->s->triangle[t] = inside ? GLSHAPE_ALPHA_INTERIOR : GLSHAPE_ALPHA_EXTERIOR;
    w->s->component_of[t] = UINT32_MAX;
}

static void classify_edge(shaper *w, bool regularized, size_t e) {
    const uint32_t *ranks = w->r->edge_ranks + 3 * e;
    w->s->edge[e] = class_of(w->s->rank, regularized ? 0 : ranks[0], ranks[1], ranks[2]);
}

static void classify_vertex(shaper *w, bool regularized, size_t v) {
    const uint32_t *ranks = w->r->vertex_ranks + 3 * v;
    uint8_t *class = &w->s->vertex[v];
    *class = class_of(w->s->rank, 0, ranks[regularized ? 2 : 0], ranks[1]);
    if (!regularized && *class == GLSHAPE_ALPHA_EXTERIOR) *class = GLSHAPE_ALPHA_SINGULAR;
}

static void classify_block(void *user, size_t block) {
    classes *c = user;
    const glshape_alpha_result *r = c->w->r;
    size_t first = block * BLOCK;
    for (size_t t = first; t < r->triangle_count && t - first < BLOCK; t++) classify_triangle(c->w, t);
    for (size_t e = first; e < r->edge_count && e - first < BLOCK; e++)
        classify_edge(c->w, c->regularized, e);
    for (size_t v = first; v < r->n && v - first < BLOCK; v++) classify_vertex(c->w, c->regularized, v);
}

/* Finds the class of each face, and sets component_of to none. */
static void classify(shaper *w, bool regularized) {
    const glshape_alpha_result *r = w->r;
    size_t most = r->edge_count > r->n ? r->edge_count : r->n;
    classes c = {.w = w, .regularized = regularized};
    if (r->triangle_count > most) most = r->triangle_count;
    threads_run(0, most / BLOCK + 1, classify_block, &c);
}

/* ---- components -------------------------------------------------------------------------------- */

static bool is_inside(const shaper *w, uint32_t t) {
    return t != GLSHAPE_NO_TRIANGLE && w->s->triangle[t] == GLSHAPE_ALPHA_INTERIOR;
}

static void fill_component(shaper *w, uint32_t first, uint32_t component) {
    glshape_alpha_component *c = &w->s->component[component];
    size_t head = 0, tail = 0;
    w->queue[tail++] = first;
    w->s->component_of[first] = component;
    while (head < tail) {
        uint32_t t = w->queue[head++];
        for (int k = 0; k < 3; k++) {
            uint32_t other = w->r->neighbors[3 * (size_t)t + k];
            if (!is_inside(w, other) || w->s->component_of[other] != UINT32_MAX) continue;
            w->s->component_of[other] = component;
            w->queue[tail++] = other;
        }
    }
    c->triangles = tail;
}

static glshape_status find_components(shaper *w) {
    glshape_alpha_shape *s = w->s;
    size_t room = 0;
    for (uint32_t t = 0; t < w->r->triangle_count; t++) {
        if (!is_inside(w, t) || s->component_of[t] != UINT32_MAX) continue;
        TRY(memory_reserve(w->err, &s->component, &room, s->components + 1, sizeof *s->component,
                           "the list of components"));
        s->component[s->components] = (glshape_alpha_component){0};
        fill_component(w, t, (uint32_t)s->components++);
    }
    return GLSHAPE_OK;
}

/* ---- the boundary ------------------------------------------------------------------------------ */

/* Half edge h = 3t + k of triangle t goes from corner k + 1 to corner k + 2, with the triangle on its left.
 * Returns the next half edge of the boundary: goes around the end of h through the triangles inside. */
static uint32_t next_half_edge(const shaper *w, uint32_t h) {
    for (;;) {
        uint32_t t = h / 3, k = h % 3;
        h = 3 * t + (k + 1) % 3;
        uint32_t other = w->r->neighbors[h];
        if (!is_inside(w, other)) return h;
        const uint32_t *across = w->r->neighbors + 3 * (size_t)other;
        h = 3 * other + (across[0] == t ? 0 : across[1] == t ? 1 : 2);
    }
}

static bool is_side(const shaper *w, uint32_t h) { return !is_inside(w, w->r->neighbors[h]); }

/* Numbers the sides: first[t] is that of triangle t's first. */
static uint32_t number_sides(const shaper *w, uint32_t *first) {
    uint32_t sides = 0;
    for (uint32_t t = 0; t < w->r->triangle_count; t++) {
        if (!is_inside(w, t)) continue;
        first[t] = sides;
        sides += is_side(w, 3 * t) + is_side(w, 3 * t + 1) + is_side(w, 3 * t + 2);
    }
    return sides;
}

static uint32_t side_of(const shaper *w, const uint32_t *first, uint32_t h) {
    uint32_t side = first[h / 3];
    for (uint32_t before = h / 3 * 3; before < h; before++) side += is_side(w, before);
    return side;
}

static void list_sides(const shaper *w, const uint32_t *first, alpha_side *side) {
    const glshape_alpha_result *r = w->r;
    for (uint32_t t = 0; t < r->triangle_count; t++)
        for (uint32_t h = 3 * t; is_inside(w, t) && h < 3 * t + 3; h++)
            if (is_side(w, h))
                *side++ = (alpha_side){r->triangles[3 * (size_t)t + (h + 1) % 3],
                                       side_of(w, first, next_half_edge(w, h)), w->s->component_of[t]};
}

static glshape_status find_rings(shaper *w) {
    OWNED uint32_t *first = NULL;
    OWNED alpha_side *side = NULL;
    alpha_boundary b = {.xy = w->xy, .n = (uint32_t)w->r->n, .exponent = w->exponent};
    TRY(allocate(w->err, &first, w->r->triangle_count, sizeof *first, "the boundary"));
    b.sides = number_sides(w, first);
    TRY(allocate(w->err, &side, b.sides, sizeof *side, "the boundary"));
    list_sides(w, first, side);
    b.side = side;
    return alpha_rings(w->err, &b, w->s);
}

/* ---- all of it --------------------------------------------------------------------------------- */

static glshape_status find_shape(shaper *w, bool regularized) {
    const glshape_alpha_result *r = w->r;
    glshape_alpha_shape *s = w->s;
    error *err = w->err;
    TRY(allocate(err, &s->vertex, r->n, 1, "the classes of points"));
    TRY(allocate(err, &s->edge, r->edge_count, 1, "the classes of edges"));
    TRY(allocate(err, &s->triangle, r->triangle_count, 1, "the classes of triangles"));
    TRY(allocate(err, &s->component_of, r->triangle_count, sizeof *s->component_of, "the components"));
    TRY(allocate(err, &w->queue, r->triangle_count, sizeof *w->queue, "the components"));
    classify(w, regularized);
    TRY(find_components(w));
    return find_rings(w);
}

glshape_status alpha_check_rank(error *err, const glshape_alpha_result *r, uint32_t rank) {
    if (rank <= r->ranks) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "rank %u: the spectrum has ranks 0 to %zu", rank, r->ranks);
}

static void free_shaper(shaper *w) { free(w->queue); }

glshape_status alpha_find_shape(error *err, const glshape_alpha_result *r, uint32_t rank, bool regularized,
                                glshape_alpha_shape *shape) {
    const exact_points *p = &r->exact->points;
    OWNED_BY(free_shaper)
    shaper w = {.err = err, .r = r, .xy = p->xy, .s = shape, .exponent = p->exponent};
    *shape = (glshape_alpha_shape){.rank = rank};
    TRY(alpha_check_rank(err, r, rank));
    shape->radius = r->radii[rank];
    return find_shape(&w, regularized);
}

glshape_status glshape_alpha_at(glshape_context *context, const glshape_alpha_result *r, uint32_t rank,
                                bool regularized, glshape_alpha_shape *shape) {
    run *run;
    *shape = (glshape_alpha_shape){0};
    TRY(context_begin_run(context, &run));
    glshape_status status = alpha_find_shape(run_error(run), r, rank, regularized, shape);
    if (status) glshape_alpha_shape_free(shape);
    return context_end(context, status);
}

void glshape_alpha_shape_free(glshape_alpha_shape *s) {
    void *const all[] = {s->vertex,       s->edge,       s->triangle, s->component,
                         s->component_of, s->ring_start, s->ring};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *s = (glshape_alpha_shape){0};
}
