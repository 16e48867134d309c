#include "alpha/rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "exact/area.h"

typedef struct walker {
    error *err;
    const alpha_boundary *b;
    glshape_alpha_shape *s;
    bool *walked;    /* of sides: the walk along the boundary has passed it */
    uint32_t *path;  /* points of the current walk */
    uint32_t *place; /* of points: 1 + the place on the path; 0: none */
    uint32_t *component;
    size_t room; /* for starts of rings */
} walker;

static void free_walker(walker *w) {
    free(w->walked);
    free(w->path);
    free(w->place);
    free(w->component);
}

static glshape_status is_wrong(const walker *w) {
    return fail(w->err, GLSHAPE_GPU_ERROR,
                "the boundary of an alpha shape leads nowhere: this driver computes something wrong; take "
                "another device (--device)");
}

/* ---- walks ------------------------------------------------------------------------------------- */

/* Makes a ring of the path from place `from` on. */
static glshape_status close_ring(walker *w, uint32_t component, size_t from, size_t to) {
    glshape_alpha_shape *s = w->s;
    size_t count = to - from, used = s->ring_start[s->rings], least = from;
    TRY(memory_reserve(w->err, &s->ring_start, &w->room, s->rings + 2, sizeof *s->ring_start,
                       "the list of rings"));
    for (size_t i = from; i < to; i++) {
        if (w->path[i] < w->path[least]) least = i;
        w->place[w->path[i]] = 0;
    }
    for (size_t i = 0; i < count; i++) s->ring[used + i] = w->path[from + (least - from + i) % count];
    w->component[s->rings] = component;
    s->ring_start[++s->rings] = used + count;
    return GLSHAPE_OK;
}

/* Walks along the boundary from side `first` until it comes back. Where the walk reaches a point a second
 * time, it cuts off a ring. */
static glshape_status walk_boundary(walker *w, uint32_t first) {
    const alpha_boundary *b = w->b;
    uint32_t component = b->side[first].component, at = first;
    size_t length = 0;
    do {
        uint32_t v = b->side[at].from;
        if (w->walked[at] || v >= b->n || b->side[at].next >= b->sides) return is_wrong(w);
        if (w->place[v]) {
            size_t from = w->place[v] - 1;
            TRY(close_ring(w, component, from, length));
            length = from;
        }
        w->path[length++] = v;
        w->place[v] = (uint32_t)length;
        w->walked[at] = true;
        at = b->side[at].next;
    } while (at != first);
    return close_ring(w, component, 0, length);
}

/* ---- order and measures ------------------------------------------------------------------------ */

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

static bool is_counter_clockwise(const double *xy, uint32_t a, uint32_t b, uint32_t c) {
    long ignored;
    return exact_twice_area(xy + 2 * (size_t)a, xy + 2 * (size_t)b, xy + 2 * (size_t)c, &ignored) > 0;
}

/* Measures a ring and finds out whether it is an outer one. A ring has the shape on its left, so an outer
 * ring is counter-clockwise and a hole is clockwise. The leftmost point of the ring tells which: there an
 * outer ring is counter-clockwise. */
static void measure_ring(const walker *w, ring_key *key) {
    const double *xy = w->b->xy;
    const uint32_t *ring = w->s->ring + w->s->ring_start[key->ring];
    size_t count = w->s->ring_start[key->ring + 1] - w->s->ring_start[key->ring], first = 0;
    for (size_t i = 0; i < count; i++) {
        const double *a = xy + 2 * (size_t)ring[i], *b = xy + 2 * (size_t)ring[(i + 1) % count];
        key->length += ldexp(hypot(b[0] - a[0], b[1] - a[1]), w->b->exponent);
        if (is_first(a, xy + 2 * (size_t)ring[first])) first = i;
    }
    key->outer =
        is_counter_clockwise(xy, ring[(first + count - 1) % count], ring[first], ring[(first + 1) % count]);
    key->least = ring[0];
}

static void write_rings(walker *w, ring_key *keys, const size_t *starts, const uint32_t *points) {
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

static void measure_components(const walker *w) {
    glshape_alpha_shape *s = w->s;
    for (size_t k = 0; k < s->components; k++) {
        glshape_alpha_component *c = &s->component[k];
        long exponent;
        double twice =
            exact_twice_area_of_rings(w->b->xy, s->ring, s->ring_start + c->first_ring, c->rings, &exponent);
        c->area = ldexp(twice, (int)exponent + 2 * w->b->exponent - 1);
    }
}

/* Sorts the rings and measures the components. */
static glshape_status sort_rings(walker *w) {
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
        keys[i] = (ring_key){.component = w->component[i], .ring = i};
        if (keys[i].component >= s->components) return is_wrong(w);
        measure_ring(w, &keys[i]);
    }
    write_rings(w, keys, starts, copy);
    for (size_t k = 0; k < s->components; k++)
        if (!s->component[k].rings) return is_wrong(w);
    measure_components(w);
    return GLSHAPE_OK;
}

glshape_status alpha_rings(error *err, const alpha_boundary *b, glshape_alpha_shape *s) {
    OWNED_BY(free_walker) walker w = {.err = err, .b = b, .s = s, .room = 1};
    TRY(allocate(err, &s->ring_start, 1, sizeof *s->ring_start, "the boundary"));
    TRY(allocate(err, &s->ring, b->sides, sizeof *s->ring, "the boundary"));
    TRY(allocate(err, &w.walked, b->sides, sizeof *w.walked, "the boundary"));
    TRY(allocate(err, &w.path, b->sides, sizeof *w.path, "the boundary"));
    TRY(allocate(err, &w.place, b->n, sizeof *w.place, "the boundary"));
    TRY(allocate(err, &w.component, b->sides, sizeof *w.component, "the rings"));
    for (uint32_t k = 0; k < b->sides; k++)
        if (!w.walked[k]) TRY(walk_boundary(&w, k));
    return sort_rings(&w);
}
