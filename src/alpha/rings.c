#include "alpha/rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
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
    uint32_t least;
    size_t from, count; /* where its points are */
} ring_key;

/* What threads share: the rings as they were found, then in order. */
typedef struct ordering {
    const walker *w;
    const uint32_t *points; /* as they were found */
    ring_key *found, *key;
    size_t *first; /* components + 1: the rings of each, in key */
} ordering;

static void free_ordering(ordering *o) {
    free(o->found);
    free(o->key);
    free(o->first);
}

/* Within a component: the outer ring first, then holes by their smallest point. */
static int by_place(const void *a, const void *b) {
    const ring_key *x = a, *y = b;
    if (x->outer != y->outer) return x->outer ? -1 : 1;
    if (x->least != y->least) return x->least < y->least ? -1 : 1;
    return x->from < y->from ? -1 : 1;
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
static void measure_ring(const alpha_boundary *b, const uint32_t *ring, ring_key *key) {
    const double *xy = b->xy;
    size_t count = key->count, first = 0;
    for (size_t i = 0; i < count; i++) {
        const double *p = xy + 2 * (size_t)ring[i], *q = xy + 2 * (size_t)ring[i + 1 < count ? i + 1 : 0];
        key->length += ldexp(hypot(q[0] - p[0], q[1] - p[1]), b->exponent);
        if (is_first(p, xy + 2 * (size_t)ring[first])) first = i;
    }
    key->outer =
        is_counter_clockwise(xy, ring[(first + count - 1) % count], ring[first], ring[(first + 1) % count]);
    key->least = ring[0];
}

static void measure_rings(void *user, size_t first, size_t end) {
    const ordering *o = user;
    const size_t *start = o->w->s->ring_start;
    for (size_t r = first; r < end; r++) {
        o->found[r] = (ring_key){.from = start[r], .count = start[r + 1] - start[r]};
        measure_ring(o->w->b, o->points + start[r], &o->found[r]);
    }
}

/* Puts the rings of each component side by side. */
static glshape_status group_rings(const ordering *o) {
    const glshape_alpha_shape *s = o->w->s;
    const uint32_t *component = o->w->component;
    for (size_t r = 0; r < s->rings; r++) {
        if (component[r] >= s->components) return is_wrong(o->w);
        o->first[component[r] + 1]++;
    }
    for (size_t c = 0; c < s->components; c++) {
        if (!o->first[c + 1]) return is_wrong(o->w);
        s->component[c].first_ring = o->first[c];
        s->component[c].rings = o->first[c + 1];
        o->first[c + 1] += o->first[c];
    }
    for (size_t r = s->rings; r-- > 0;) o->key[--o->first[component[r] + 1]] = o->found[r];
    return GLSHAPE_OK;
}

static void order_rings(void *user, size_t first, size_t end) {
    const ordering *o = user;
    glshape_alpha_component *c = o->w->s->component;
    for (size_t k = first; k < end; k++) {
        ring_key *key = o->key + c[k].first_ring;
        if (c[k].rings > 1) qsort(key, c[k].rings, sizeof *key, by_place);
        for (size_t r = 0; r < c[k].rings; r++) c[k].perimeter += key[r].length;
    }
}

static void copy_rings(void *user, size_t first, size_t end) {
    const ordering *o = user;
    glshape_alpha_shape *s = o->w->s;
    for (size_t r = first; r < end; r++)
        memcpy(s->ring + s->ring_start[r], o->points + o->key[r].from, o->key[r].count * sizeof *s->ring);
}

static void measure_components(void *user, size_t first, size_t end) {
    const ordering *o = user;
    const glshape_alpha_shape *s = o->w->s;
    for (size_t k = first; k < end; k++) {
        glshape_alpha_component *c = &s->component[k];
        long exponent;
        double twice = exact_twice_area_of_rings(o->w->b->xy, s->ring, s->ring_start + c->first_ring,
                                                 c->rings, &exponent);
        c->area = ldexp(twice, (int)exponent + 2 * o->w->b->exponent - 1);
    }
}

/* Sorts the rings and measures the components. */
static glshape_status sort_rings(walker *w) {
    glshape_alpha_shape *s = w->s;
    OWNED_BY(free_ordering) ordering o = {.w = w};
    OWNED uint32_t *points = s->ring;
    s->ring = NULL;
    TRY(allocate(w->err, &s->ring, s->ring_start[s->rings], sizeof *s->ring, "the rings"));
    TRY(allocate(w->err, &o.found, s->rings, sizeof *o.found, "the rings"));
    TRY(allocate(w->err, &o.key, s->rings, sizeof *o.key, "the rings"));
    TRY(allocate(w->err, &o.first, s->components + 1, sizeof *o.first, "the rings"));
    o.points = points;
    threads_ranges(s->rings, measure_rings, &o);
    TRY(group_rings(&o));
    threads_ranges(s->components, order_rings, &o);
    for (size_t r = 0; r < s->rings; r++) s->ring_start[r + 1] = s->ring_start[r] + o.key[r].count;
    threads_ranges(s->rings, copy_rings, &o);
    threads_ranges(s->components, measure_components, &o);
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
