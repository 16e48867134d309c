/* One alpha shape: the class of each face, and the boundary as rings. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/family.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "exact/area.h"
#include "gpu/context.h"

#define BLOCK 65536u /* faces of one item of work */

typedef struct shaper {
    error *err;
    const glshape_alpha_result *r;
    const double *xy;
    int exponent; /* coordinate = xy · 2^exponent */
    glshape_alpha_shape *s;
    bool *walked;    /* of half edge 3t + k: the walk along the boundary has passed it */
    uint32_t *queue; /* of triangles */
    uint32_t *path;  /* points of the current walk */
    uint32_t *at;    /* of points: the place on the path, or UINT32_MAX */
    size_t room;     /* room for starts of rings */
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
    atomic_size_t boundary; /* edges on the boundary, regularized or not */
} classes;

static void classify_triangle(shaper *w, size_t t) {
    bool inside = w->s->rank >= w->r->triangle_ranks[t];
    w->s->triangle[t] = inside ? GLSHAPE_ALPHA_INTERIOR : GLSHAPE_ALPHA_EXTERIOR;
    w->s->component_of[t] = UINT32_MAX;
}

static bool classify_edge(shaper *w, bool regularized, size_t e) {
    const uint32_t *ranks = w->r->edge_ranks + 3 * e;
    w->s->edge[e] = class_of(w->s->rank, regularized ? 0 : ranks[0], ranks[1], ranks[2]);
    return w->s->edge[e] == GLSHAPE_ALPHA_REGULAR;
}

static void classify_vertex(shaper *w, bool regularized, size_t v) {
    const uint32_t *ranks = w->r->vertex_ranks + 3 * v;
    uint8_t *class = &w->s->vertex[v];
    *class = class_of(w->s->rank, 0, ranks[regularized ? 2 : 0], ranks[1]);
    if (!regularized && *class == GLSHAPE_ALPHA_EXTERIOR) *class = GLSHAPE_ALPHA_SINGULAR;
    w->at[v] = UINT32_MAX;
}

static void classify_block(void *user, size_t block) {
    classes *c = user;
    const glshape_alpha_result *r = c->w->r;
    size_t first = block * BLOCK, boundary = 0;
    for (size_t t = first; t < r->triangle_count && t - first < BLOCK; t++) classify_triangle(c->w, t);
    for (size_t e = first; e < r->edge_count && e - first < BLOCK; e++)
        boundary += classify_edge(c->w, c->regularized, e);
    for (size_t v = first; v < r->n && v - first < BLOCK; v++) classify_vertex(c->w, c->regularized, v);
    c->boundary += boundary;
}

/* Finds the class of each face, and sets at and component_of to none. Returns how many edges are on the
 * boundary. */
static size_t classify(shaper *w, bool regularized) {
    const glshape_alpha_result *r = w->r;
    size_t most = r->edge_count > r->n ? r->edge_count : r->n;
    classes c = {.w = w, .regularized = regularized};
    if (r->triangle_count > most) most = r->triangle_count;
    threads_run(0, most / BLOCK + 1, classify_block, &c);
    return c.boundary;
}

/* ---- components -------------------------------------------------------------------------------- */

static bool is_inside(const shaper *w, uint32_t t) {
    return t != GLSHAPE_NO_TRIANGLE && w->s->triangle[t] == GLSHAPE_ALPHA_INTERIOR;
}

/* Returns the area of a, b, c, negative if they are clockwise. It is 0 for points that are not on one line
 * only if doubles have no number so small. */
static double area_of(const shaper *w, uint32_t a, uint32_t b, uint32_t c) {
    long exponent;
    double twice =
        exact_twice_area(w->xy + 2 * (size_t)a, w->xy + 2 * (size_t)b, w->xy + 2 * (size_t)c, &exponent);
    return ldexp(twice, (int)exponent + 2 * w->exponent - 1);
}

static bool is_counter_clockwise(const shaper *w, uint32_t a, uint32_t b, uint32_t c) {
    long ignored;
    return exact_twice_area(w->xy + 2 * (size_t)a, w->xy + 2 * (size_t)b, w->xy + 2 * (size_t)c, &ignored) >
           0;
}

static void fill_component(shaper *w, uint32_t first, uint32_t component) {
    glshape_alpha_component *c = &w->s->component[component];
    size_t head = 0, tail = 0;
    w->queue[tail++] = first;
    w->s->component_of[first] = component;
    while (head < tail) {
        uint32_t t = w->queue[head++];
        const uint32_t *corner = w->r->triangles + 3 * (size_t)t;
        c->area += area_of(w, corner[0], corner[1], corner[2]);
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

/* ---- rings ------------------------------------------------------------------------------------- */

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

static uint32_t start_of(const shaper *w, uint32_t h) {
    return w->r->triangles[3 * (size_t)(h / 3) + (h + 1) % 3];
}

/* Makes a ring of the path from place `from` on. */
static glshape_status close_ring(shaper *w, size_t from, size_t to) {
    glshape_alpha_shape *s = w->s;
    size_t count = to - from, used = s->ring_start[s->rings], least = from;
    TRY(memory_reserve(w->err, &s->ring_start, &w->room, s->rings + 2, sizeof *s->ring_start,
                       "the list of rings"));
    for (size_t i = from; i < to; i++) {
        if (w->path[i] < w->path[least]) least = i;
        w->at[w->path[i]] = UINT32_MAX;
    }
    for (size_t i = 0; i < count; i++) s->ring[used + i] = w->path[from + (least - from + i) % count];
    s->ring_start[++s->rings] = used + count;
    return GLSHAPE_OK;
}

/* Walks along the boundary from half edge `first` until it comes back. Where the walk reaches a point a
 * second time, it cuts off a ring. */
static glshape_status walk_boundary(shaper *w, uint32_t first) {
    size_t length = 0;
    uint32_t h = first;
    do {
        uint32_t v = start_of(w, h);
        if (w->at[v] != UINT32_MAX) {
            size_t from = w->at[v];
            TRY(close_ring(w, from, length));
            length = from;
        }
        w->at[v] = (uint32_t)length;
        w->path[length++] = v;
        w->walked[h] = true;
        h = next_half_edge(w, h);
    } while (h != first);
    return close_ring(w, 0, length);
}

typedef struct ring_key {
    double length;
    bool outer;
    uint32_t component, least;
    size_t ring;
} ring_key;

/* Order: by component, the outer ring first, then holes by their smallest point. */
static int by_place(const void *a, const void *b) {
    const ring_key *x = a, *y = b;
    if (x->component != y->component) return x->component < y->component ? -1 : 1;
    if (x->outer != y->outer) return x->outer ? -1 : 1;
    if (x->least != y->least) return x->least < y->least ? -1 : 1;
    return x->ring < y->ring ? -1 : 1;
}

/* Returns true if a is left of b, or has the same x and is below b. */
static bool is_first(const double a[2], const double b[2]) {
    return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

/* Measures a ring and finds out whether it is an outer one. A ring has the shape on its left, so an outer
 * ring is counter-clockwise and a hole is clockwise. The leftmost point of the ring tells which: there an
 * outer ring is counter-clockwise. */
static void measure_ring(const shaper *w, ring_key *key) {
    const uint32_t *ring = w->s->ring + w->s->ring_start[key->ring];
    size_t count = w->s->ring_start[key->ring + 1] - w->s->ring_start[key->ring], first = 0;
    for (size_t i = 0; i < count; i++) {
        const double *a = w->xy + 2 * (size_t)ring[i], *b = w->xy + 2 * (size_t)ring[(i + 1) % count];
        key->length += ldexp(hypot(b[0] - a[0], b[1] - a[1]), w->exponent);
        if (is_first(a, w->xy + 2 * (size_t)ring[first])) first = i;
    }
    key->outer =
        is_counter_clockwise(w, ring[(first + count - 1) % count], ring[first], ring[(first + 1) % count]);
    key->least = ring[0];
}

static void write_rings(shaper *w, ring_key *keys, const size_t *starts, const uint32_t *points) {
    glshape_alpha_shape *s = w->s;
    qsort(keys, s->rings, sizeof *keys, by_place);
    for (size_t i = 0, used = 0; i < s->rings; i++) {
        size_t from = starts[keys[i].ring], count = starts[keys[i].ring + 1] - from;
        glshape_alpha_component *c = &s->component[keys[i].component];
        if (!c->rings++) c->first_ring = i;
        c->perimeter += keys[i].length;
        memcpy(s->ring + used, points + from, count * sizeof *points);
        s->ring_start[i + 1] = used += count;
    }
}

/* Sorts the rings and measures the components. component[i]: the component of ring i, in the order of the
 * walks. */
static glshape_status sort_rings(shaper *w, const uint32_t *component) {
    glshape_alpha_shape *s = w->s;
    size_t points = s->ring_start[s->rings];
    OWNED ring_key *keys = NULL;
    OWNED size_t *starts = NULL;
    OWNED uint32_t *copy = NULL;
    TRY(allocate(w->err, &keys, s->rings, sizeof *keys, "the rings"));
    TRY(allocate(w->err, &starts, s->rings + 1, sizeof *starts, "the rings"));
    TRY(allocate(w->err, &copy, points, sizeof *copy, "the rings"));
    memcpy(starts, s->ring_start, (s->rings + 1) * sizeof *starts);
    memcpy(copy, s->ring, points * sizeof *copy);
    for (size_t i = 0; i < s->rings; i++) {
        keys[i] = (ring_key){.component = component[i], .ring = i};
        measure_ring(w, &keys[i]);
    }
    write_rings(w, keys, starts, copy);
    return GLSHAPE_OK;
}

/* The boundary has so many sides. */
static glshape_status find_rings(shaper *w, size_t sides) {
    const glshape_alpha_result *r = w->r;
    OWNED uint32_t *component = NULL;
    TRY(allocate(w->err, &component, sides, sizeof *component, "the rings"));
    for (uint32_t t = 0; t < r->triangle_count; t++)
        for (uint32_t h = 3 * t; is_inside(w, t) && h < 3 * t + 3; h++) {
            if (is_inside(w, r->neighbors[h]) || w->walked[h]) continue;
            size_t before = w->s->rings;
            TRY(walk_boundary(w, h));
            while (before < w->s->rings) component[before++] = w->s->component_of[t];
        }
    return sort_rings(w, component);
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
    TRY(allocate(err, &s->ring_start, 1, sizeof *s->ring_start, "the boundary"));
    TRY(allocate(err, &w->walked, r->triangle_count, 3, "the boundary"));
    TRY(allocate(err, &w->queue, r->triangle_count, sizeof *w->queue, "the components"));
    TRY(allocate(err, &w->at, r->n, sizeof *w->at, "the boundary"));
    size_t sides = classify(w, regularized);
    TRY(allocate(err, &w->path, sides, sizeof *w->path, "the boundary"));
    TRY(allocate(err, &s->ring, sides, sizeof *s->ring, "the boundary"));
    TRY(find_components(w));
    return find_rings(w, sides);
}

static glshape_status check_rank(error *err, const glshape_alpha_result *r, uint32_t rank) {
    if (rank <= r->ranks) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "rank %u: the spectrum has ranks 0 to %zu", rank, r->ranks);
}

static void free_shaper(shaper *w) {
    free(w->walked);
    free(w->queue);
    free(w->path);
    free(w->at);
}

glshape_status glshape_alpha_at(glshape_context *context, const glshape_alpha_result *r, uint32_t rank,
                                bool regularized, glshape_alpha_shape *shape) {
    gpu *g;
    *shape = (glshape_alpha_shape){.rank = rank};
    TRY(context_begin_closed(context, &g));
    const exact_points *p = &r->exact->points;
    OWNED_BY(free_shaper)
    shaper w = {.err = gpu_error(g), .r = r, .xy = p->xy, .s = shape, .exponent = p->exponent, .room = 1};
    glshape_status status = check_rank(w.err, r, rank);
    if (!status) {
        shape->radius = r->radii[rank];
        status = find_shape(&w, regularized);
    }
    if (status) glshape_alpha_shape_free(shape);
    return context_end(context, status);
}

void glshape_alpha_shape_free(glshape_alpha_shape *s) {
    void *const all[] = {s->vertex,       s->edge,       s->triangle, s->component,
                         s->component_of, s->ring_start, s->ring};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    *s = (glshape_alpha_shape){0};
}
