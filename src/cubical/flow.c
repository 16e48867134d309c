#include "cubical/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define EDGES 6
#define CUBES 8
#define MOST_SENT 24 /* squares: from six edges across four sides */

/* ---- the heap ---------------------------------------------------------------------------------- */

static bool push(flow *f, sparse_term e) {
    if (memory_reserve(NULL, &f->heap, &f->room, f->count + 1, sizeof e, NULL)) return false;
    size_t at = f->count++;
    for (size_t up; at && e.order < f->heap[up = (at - 1) / 2].order; at = up) f->heap[at] = f->heap[up];
    f->heap[at] = e;
    return true;
}

/* Moves the lesser child up to the bottom first: the last entry mostly belongs there. */
static void drop_first(flow *f) {
    sparse_term e = f->heap[--f->count];
    size_t at = 0, child;
    while ((child = 2 * at + 2) < f->count) {
        child -= f->heap[child - 1].order < f->heap[child].order;
        f->heap[at] = f->heap[child];
        at = child;
    }
    if (child == f->count && child > 1) {
        f->heap[at] = f->heap[child - 1];
        at = child - 1;
    }
    for (size_t up; at && e.order < f->heap[up = (at - 1) / 2].order; at = up) f->heap[at] = f->heap[up];
    f->heap[at] = e;
}

/* ---- coefficients ------------------------------------------------------------------------------ */

static uint32_t sum(uint32_t a, uint32_t b, uint32_t modulus) {
    return a + b >= modulus ? a + b - modulus : a + b;
}

static uint32_t negated(uint32_t a, bool negative, uint32_t modulus) {
    return negative && a ? modulus - a : a;
}

/* ---- lower stars ------------------------------------------------------------------------------- */

/* The edges of a lower star and its squares are a graph. The pairs of edges and squares in it are those of
 * the elder rule: of two components that a square joins, the one whose first edge comes later ends. With the
 * signs that they have in the coboundary of the vertex, the edges of a component make a chain in whose
 * coboundary the squares inside the component vanish, and so do all squares before the one that ends the
 * component.
 *
 * Between the cubes of a lower star its squares are a graph, too, that has the absent cubes as one node,
 * which is older than all; here the squares come in reversed order. */

/* A square: its two edges, by number; the two cubes at it, by number; whether it has the coefficient -1 in
 * the coboundary of each edge. */
typedef struct star_square {
    uint8_t edge[2], cube[2], negative[2];
} star_square;

/* Edge number i has the direction cubes_edge_directions[i]: towards lower coordinates for i < 3, along z, y,
 * x, x, y, z. Cube number i extends towards greater x, y, z where bits 0, 1, 2 of i are set. Squares are
 * numbered by direction. */
static const star_square squares[27] = {
    [1] = {{0, 1}, {0, 1}, {0, 1}},  [3] = {{0, 2}, {0, 2}, {0, 1}},  [5] = {{0, 3}, {1, 3}, {1, 1}},
    [7] = {{0, 4}, {2, 3}, {1, 1}},  [9] = {{1, 2}, {0, 4}, {0, 1}},  [11] = {{1, 3}, {1, 5}, {1, 1}},
    [15] = {{2, 4}, {2, 6}, {0, 0}}, [17] = {{3, 4}, {3, 7}, {0, 1}}, [19] = {{1, 5}, {4, 5}, {0, 0}},
    [21] = {{2, 5}, {4, 6}, {0, 0}}, [23] = {{3, 5}, {5, 7}, {0, 1}}, [25] = {{4, 5}, {6, 7}, {0, 1}},
};
/* The squares between the edges of each set. */
#define BETWEEN(set, i, j, q) ((uint32_t)((set) >> (i) & (set) >> (j)&1) << (q))
#define SQUARES_OF(set)                                                                                    \
    BETWEEN(set, 0, 1, 1) | BETWEEN(set, 0, 2, 3) | BETWEEN(set, 0, 3, 5) | BETWEEN(set, 0, 4, 7) |        \
        BETWEEN(set, 1, 2, 9) | BETWEEN(set, 1, 3, 11) | BETWEEN(set, 2, 4, 15) | BETWEEN(set, 3, 4, 17) | \
        BETWEEN(set, 1, 5, 19) | BETWEEN(set, 2, 5, 21) | BETWEEN(set, 3, 5, 23) | BETWEEN(set, 4, 5, 25)
/* The corners of each cube, as directions. */
static const uint32_t cube_corners[CUBES] = {0x361b,   0x6c36,   0x1b0d8,   0x361b0,
                                             0x6c3600, 0xd86c00, 0x361b000, 0x6c36000};

static int axis_of(int edge) { return edge < 3 ? 2 - edge : edge - 3; }
static bool is_ahead(int edge) { return edge >= 3; }

/* Whether a cell that extends along these axes gets the coefficient -1 in the coboundary of its facet across
 * this axis, when it lies ahead of that facet, or back: as in the product of intervals, oriented by ascending
 * coordinates. */
static bool is_negative(int other_axes, int axis, bool ahead) {
    return __builtin_parity((unsigned)other_axes & ((1u << axis) - 1)) == !ahead;
}

static bool holds(uint32_t set, uint32_t all) { return (set & all) == all; }

/* Returns the edges that lead to lower neighbors, as a set of their numbers. */
static uint32_t edges_of(uint32_t below) {
    return (below >> 4 & 1) | (below >> 9 & 2) | (below >> 10 & 4) | (below >> 11 & 8) | (below >> 12 & 16) |
           (below >> 17 & 32);
}

/* Returns the squares that are in no pair of the star, of those that close circles of edges; below: all lower
 * neighbors. Byte i of `nodes` is the node of cube i, the greatest cube of its component. */
static uint32_t critical_squares(uint32_t below, uint32_t closing) {
    const uint64_t each = UINT64_C(0x0101010101010101), most = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t nodes = 0;
    uint32_t critical = 0;
    for (int i = 0; i < CUBES; i++) nodes |= (uint64_t)(holds(below, cube_corners[i]) ? i : CUBES) << 8 * i;
    for (int q; closing; closing ^= 1u << q) {
        q = 31 - __builtin_clz(closing);
        uint64_t a = nodes >> 8 * squares[q].cube[0] & 0xff, b = nodes >> 8 * squares[q].cube[1] & 0xff;
        uint64_t less = a < b ? a : b, same = ~((nodes ^ each * less) + most) >> 7 & each;
        critical |= (uint32_t)(a == b) << q;
        nodes += same * (a ^ b ^ less) - same * less;
    }
    return critical;
}

/* ---- the flow ---------------------------------------------------------------------------------- */

/* A vertex that the flow is at. */
typedef struct visit {
    const cubes *c;
    uint32_t v, below;
    cubes_steps steps;     /* to its neighbors */
    uint16_t edges[EDGES]; /* coefficients of the edges whose coboundaries are added here */
    uint16_t squares[27];  /* coefficients of the squares that have flowed here */
    uint32_t closing;      /* squares that close circles of edges, as bits */
    bool any;              /* of these, with a coefficient that is not 0 */
    uint32_t left;         /* critical squares with such a one */
    int sent, passed;      /* squares that go on; edges */
} visit;

/* Components of the edges of a star: byte i is the one of edge i, as bits. */
#define BYTES UINT64_C(0x010101010101)
#define EACH_ALONE UINT64_C(0x201008040201)

static uint64_t joined(uint64_t components, uint32_t both) {
    uint64_t own = (both * BYTES & EACH_ALONE) + BYTES * 0x7f;
    own = (own >> 7 & BYTES) * 0xff; /* the bytes of the edges of both */
    return (components & ~own) | (both * BYTES & own);
}

/* Adds coefficient × the component of edges that ends at this square, so that the square vanishes. */
static void add_component(visit *t, const star_square *s, int ends, uint32_t edges, uint32_t coefficient) {
    for (; edges; edges &= edges - 1) {
        int edge = __builtin_ctz(edges);
        bool negative = is_ahead(edge) == is_ahead(s->edge[ends]) ? !s->negative[ends] : s->negative[ends];
        uint32_t added = negated(coefficient, negative, t->c->modulus);
        t->edges[edge] = (uint16_t)sum(t->edges[edge], added, t->c->modulus);
    }
}

/* Cancels the squares of the star that are paired with edges, by adding these edges' coboundaries. */
static void cancel_squares(visit *t) {
    uint64_t components = EACH_ALONE;
    uint32_t modulus = t->c->modulus;
    uint32_t set = edges_of(t->below);
    for (uint32_t rest = t->below & (SQUARES_OF(set)); rest; rest &= rest - 1) {
        int q = __builtin_ctz(rest);
        const star_square *s = &squares[q];
        uint32_t a = components >> 8 * s->edge[0] & 0xff, b = components >> 8 * s->edge[1] & 0xff;
        uint32_t coefficient = t->squares[q];
        for (int k = 0; k < 2; k++)
            coefficient = sum(coefficient, negated(t->edges[s->edge[k]], s->negative[k], modulus), modulus);
        if (a == b) {
            t->closing |= 1u << q;
            t->squares[q] = (uint16_t)coefficient;
            t->any |= coefficient;
            continue;
        }
        int ends = (a & -a) < (b & -b); /* which of the square's edges is in the component that ends */
        if (coefficient) add_component(t, s, ends, ends ? b : a, coefficient);
        components = joined(components, a | b);
    }
}

/* Sends the square that an edge makes with another direction to its owner, if that is another vertex. */
static void send_square(visit *t, sparse_term *sent, int edge, int across) {
    const cubes *c = t->c;
    int along = cubes_edge_directions[edge] - CUBES_CENTER,
        side = cubes_edge_directions[across] - CUBES_CENTER;
    if (!(t->steps.there >> (CUBES_CENTER + side) & 1)) return;
    uint32_t corners = 1u << (CUBES_CENTER + side) | 1u << (CUBES_CENTER + along + side);
    if (holds(t->below, corners)) return;
    uint32_t near = t->v + t->steps.by[axis_of(across)][2 * is_ahead(across)];
    uint32_t far = near + t->steps.by[axis_of(edge)][2 * is_ahead(edge)];
    uint64_t near_order = cubes_order(c, near), far_order = cubes_order(c, far);
    bool negative = is_negative(1 << axis_of(edge), axis_of(across), is_ahead(across));
    sent[t->sent++] =
        (sparse_term){.order = near_order < far_order ? far_order : near_order,
                      .part = (uint32_t)(CUBES_CENTER - side + (near_order < far_order ? -along : along)),
                      .coefficient = negated(t->edges[edge], negative, c->modulus)};
}

/* Whether cubes end all critical squares of v, which are so many. */
static bool all_end(const cubes *c, uint32_t v, int critical) {
    return c->ended && atomic_load_explicit(&c->ended[v], memory_order_relaxed) == critical;
}

/* Finds the critical squares that are left here, and fills sent, of MOST_SENT, with those that go on to other
 * vertices. */
static void pass_vertex(visit *t, sparse_term *sent) {
    t->below = cubes_below(t->c, t->v, &t->steps);
    cancel_squares(t);
    uint32_t critical = t->any ? critical_squares(t->below, t->closing) : 0;
    if (critical && all_end(t->c, t->v, __builtin_popcount(critical))) critical = 0;
    for (; critical; critical &= critical - 1) {
        int q = __builtin_ctz(critical);
        t->left |= (uint32_t)(t->squares[q] > 0) << q;
    }
    for (int edge = 0; edge < EDGES; edge++) {
        if (!t->edges[edge]) continue;
        t->passed++;
        for (int across = 0; across < EDGES; across++)
            if (axis_of(across) != axis_of(edge)) send_square(t, sent, edge, across);
    }
}

static bool append(flow *f, sparse_term e) {
    if (memory_reserve(NULL, &f->terms, &f->term_room, f->term_count + 1, sizeof e, NULL)) return false;
    f->terms[f->term_count++] = e;
    return true;
}

static sparse_term square_here(const visit *t, int q, uint32_t critical) {
    return (sparse_term){cubes_order(t->c, t->v), critical | (unsigned)q, t->squares[q]};
}

/* Passes a vertex of the flow of an edge. */
static bool flow_through(visit *t, flow *f) {
    sparse_term sent[MOST_SENT];
    pass_vertex(t, sent);
    f->steps += t->passed;
    for (; t->left; t->left &= t->left - 1)
        if (!append(f, square_here(t, __builtin_ctz(t->left), FLOW_CRITICAL))) return false;
    for (int k = 0; k < t->sent; k++)
        if (!push(f, sent[k])) return false;
    return true;
}

/* Takes the squares at the first vertex. Returns those that have not cancelled, by direction. */
static uint32_t take_first(visit *t, flow *f) {
    uint64_t here = f->heap[0].order;
    uint32_t set = 0, left = 0;
    t->v = (uint32_t)here;
    for (; f->count && f->heap[0].order == here; drop_first(f)) {
        const sparse_term *e = &f->heap[0];
        t->squares[e->part] = (uint16_t)sum(t->squares[e->part], e->coefficient, t->c->modulus);
        set |= 1u << e->part;
    }
    for (; set; set &= set - 1) left |= (uint32_t)(t->squares[__builtin_ctz(set)] > 0) << __builtin_ctz(set);
    return left;
}

/* Appends the squares that are on their way. */
static bool append_rest(const cubes *c, flow *f) {
    while (f->count) {
        visit t = {.c = c};
        for (uint32_t left = take_first(&t, f); left; left &= left - 1)
            if (!append(f, square_here(&t, __builtin_ctz(left), 0))) return false;
    }
    return true;
}

bool flow_edge(const cubes *c, flow *f, uint32_t owner, int edge, uint64_t far) {
    visit start = {.c = c, .v = owner};
    size_t first = f->term_count;
    uint64_t before = f->steps;
    start.edges[edge] = 1;
    f->count = 0;
    if (!flow_through(&start, f)) return false;
    while (f->count) {
        if (f->term_count > first && f->steps - before > far) return append_rest(c, f);
        visit t = {.c = c};
        if (take_first(&t, f) && !flow_through(&t, f)) return false;
    }
    return true;
}

sparse_term *flow_append(flow *f, size_t count) {
    if (memory_reserve(NULL, &f->terms, &f->term_room, f->term_count + count, sizeof *f->terms, NULL))
        return NULL;
    f->term_count += count;
    return f->terms + f->term_count - count;
}

size_t flow_pass(const cubes *c, const sparse_term *squares, size_t count, sparse_term *out) {
    visit t = {.c = c, .v = (uint32_t)squares[0].order};
    sparse_term sent[MOST_SENT];
    size_t made = 0;
    for (size_t k = 0; k < count; k++) t.squares[squares[k].part] = (uint16_t)squares[k].coefficient;
    pass_vertex(&t, sent);
    for (; t.left; t.left &= t.left - 1) out[made++] = square_here(&t, __builtin_ctz(t.left), FLOW_CRITICAL);
    memcpy(out + made, sent, (size_t)t.sent * sizeof *out);
    return made + (size_t)t.sent;
}

void flow_free(flow *f) {
    free(f->heap);
    free(f->terms);
    *f = (flow){0};
}
