#include "cubical/cubes.h"

#define INDEX_BITS 45 /* the last 8 bits of the key, 32 of the owner, 5 of the direction */
#define LAST_INDEX ((UINT64_C(1) << INDEX_BITS) - 1)
#define GREATEST_VALUE 0xffffff

static const int steps[3] = {1, 3, 9}; /* what a step along an axis adds to a direction */

cell cubes_cell(const cubes *c, uint32_t owner, int direction) {
    uint32_t key = c->key[owner];
    uint64_t place = (uint64_t)(key & 0xff) << 37 | (uint64_t)owner << 5 | (unsigned)direction;
    return (cell){LAST_INDEX - place, (float)(key >> 8), 1};
}

uint32_t cubes_owner(uint64_t index) { return (uint32_t)((LAST_INDEX - index) >> 5); }
int cubes_direction(uint64_t index) { return (int)((LAST_INDEX - index) & 31); }

/* ---- vertices ---------------------------------------------------------------------------------- */

/* A cube with its vertices: corner[s] is the one at which the axes of set s are left, s a set of axes that
 * the cube extends along, as bits. */
typedef struct cube {
    const cubes *space;
    int direction[3];
    uint32_t at[3]; /* of the owner */
    uint32_t corner[8];
} cube;

static bool lower(const cubes *c, uint32_t a, uint32_t b) {
    uint32_t key_a = c->key[a], key_b = c->key[b];
    return key_a < key_b || (key_a == key_b && a < b);
}

static uint32_t stride(const cubes *c, int axis) {
    return axis == 0 ? 1 : axis == 1 ? c->extent[0] : c->extent[0] * c->extent[1];
}

/* Returns false if there is no vertex one step from coordinate x along the axis. Else adds to *vertex what
 * the step adds. */
static bool step(const cubes *c, int axis, uint32_t x, int side, uint32_t *vertex) {
    uint32_t extent = c->extent[axis], unit = stride(c, axis);
    bool leaves = side < 0 ? x == 0 : x + 1 == extent;
    if (leaves && !(c->periodic >> axis & 1)) return false;
    if (side < 0) *vertex += leaves ? (extent - 1) * unit : 0u - unit;
    else *vertex += leaves ? 0u - (extent - 1) * unit : unit;
    return true;
}

static void place(const cubes *c, uint32_t v, uint32_t at[3]) {
    uint32_t row = v / c->extent[0];
    at[0] = v - row * c->extent[0];
    at[2] = row / c->extent[1];
    at[1] = row - at[2] * c->extent[1];
}

/* The cube that `direction` means from an owner that has it. */
static cube cube_of(const cubes *c, uint32_t owner, int direction) {
    cube q = {.space = c, .corner = {owner}};
    place(c, owner, q.at);
    for (int axis = 0; axis < 3; axis++) {
        q.direction[axis] = direction / steps[axis] % 3 - 1;
        if (!q.direction[axis]) continue;
        for (int s = 0; s < 1 << axis; s++) {
            q.corner[s | 1 << axis] = q.corner[s];
            step(c, axis, q.at[axis], q.direction[axis], &q.corner[s | 1 << axis]);
        }
    }
    return q;
}

static int axes_of(const cube *q) {
    return (q->direction[0] != 0) | (q->direction[1] != 0) << 1 | (q->direction[2] != 0) << 2;
}

/* ---- cofacets ---------------------------------------------------------------------------------- */

/* Fills other with the corners of q moved one step along an axis that q does not extend along. False: the
 * grid ends there. */
static bool move_corners(const cube *q, int axis, int side, uint32_t other[8]) {
    int axes = axes_of(q);
    for (int s = 0; s < 8; s++) {
        if (s & ~axes) continue;
        other[s] = q->corner[s];
        if (!step(q->space, axis, q->at[axis], side, &other[s])) return false;
    }
    return true;
}

/* The owner of the cofacet of q, and its direction, from these moved corners. */
static uint32_t cofacet_owner(const cube *q, int axis, int side, const uint32_t other[8], int *direction) {
    uint32_t owner = q->corner[0];
    int axes = axes_of(q), at = -1;
    for (int s = 0; s < 8; s++)
        if (!(s & ~axes) && lower(q->space, owner, other[s])) owner = other[at = s];
    *direction = CUBES_CENTER + (at < 0 ? side : -side) * steps[axis];
    for (int a = 0; a < 3; a++) *direction += (at >= 0 && at >> a & 1 ? -1 : 1) * q->direction[a] * steps[a];
    return owner;
}

/* The coefficient of a cube in the boundary of its cofacet along an axis, to which side: as in the product of
 * intervals, oriented by ascending coordinates; axes: those of the cofacet. */
static uint32_t incidence(const cubes *c, int axes, int axis, int side) {
    bool odd = __builtin_parity((unsigned)axes & ((1u << axis) - 1));
    return odd == (side < 0) ? c->modulus - 1 : 1;
}

static size_t cofacets_of(const void *space, cell e, int dim, cell_range wanted, cell *out) {
    const cubes *c = space;
    cube q = cube_of(c, cubes_owner(e.index), cubes_direction(e.index));
    uint32_t other[8];
    size_t count = 0;
    (void)dim;
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; !q.direction[axis] && side < 2; side += 2) {
            int direction;
            if (!move_corners(&q, axis, side, other)) continue;
            uint32_t owner = cofacet_owner(&q, axis, side, other, &direction);
            cell found = cubes_cell(c, owner, direction);
            if (!(found.value > wanted.above && found.value <= wanted.upto)) continue;
            uint64_t factor = incidence(c, axes_of(&q) | 1 << axis, axis, side);
            found.coefficient = (uint32_t)(e.coefficient * factor % c->modulus);
            out[count++] = found;
        }
    return count;
}

/* ---- lower stars ------------------------------------------------------------------------------- */

/* Returns the directions in which v has a lower neighbor, as bits; itself among them. */
static uint32_t lower_around(const cubes *c, uint32_t v) {
    uint32_t at[3], set = 0;
    place(c, v, at);
    for (int direction = 0; direction < 27; direction++) {
        uint32_t w = v;
        bool there = true;
        for (int axis = 0; axis < 3 && there; axis++) {
            int side = direction / steps[axis] % 3 - 1;
            there = !side || step(c, axis, at[axis], side, &w);
        }
        if (there && (direction == CUBES_CENTER || lower(c, w, v))) set |= 1u << direction;
    }
    return set;
}

/* The directions of all corners of a cube, seen from its owner, as bits. */
static uint32_t corner_set(int direction) {
    uint32_t set = 1u << CUBES_CENTER;
    for (int axis = 0; axis < 3; axis++) {
        int shift = (direction / steps[axis] % 3 - 1) * steps[axis];
        set |= shift < 0 ? set >> -shift : set << shift;
    }
    return set;
}

int cubes_star_sum(const cubes *c, uint32_t v) {
    uint32_t below = lower_around(c, v);
    int sum = 0;
    for (int direction = 0; direction < 27; direction++) {
        uint32_t corners = corner_set(direction);
        if ((below & corners) == corners) sum += __builtin_popcount(corners) % 3 == 1 ? 1 : -1;
    }
    return sum;
}

const int cubes_edge_directions[6] = {4, 10, 12, 14, 16, 22};

/* An edge that makes a square with an earlier one is in an apparent pair with a square: its first cofacet is
 * the square with its first such edge, and it is the last facet of that. */
uint32_t cubes_edges(const cubes *c, uint32_t v, uint32_t to[6], uint32_t *paired) {
    uint32_t below = lower_around(c, v), set = 0, at[3];
    *paired = 0;
    place(c, v, at);
    for (int i = 0; i < 6; i++) {
        int direction = cubes_edge_directions[i];
        if (!(below >> direction & 1)) continue;
        for (int j = 0; j < i; j++) {
            int other = cubes_edge_directions[j], square = direction + other - CUBES_CENTER;
            bool opposite = square == CUBES_CENTER;
            if (!opposite && set >> j & 1 && below >> square & 1) *paired |= 1u << i;
        }
        set |= 1u << i;
        to[i] = v;
        int axis = i < 3 ? 2 - i : i - 3;
        step(c, axis, at[axis], i < 3 ? -1 : 1, &to[i]);
    }
    return set;
}

/* ---- apparent pairs ---------------------------------------------------------------------------- */

/* Returns true if q has a cofacet in its owner's lower star that comes before direction `before`. */
static bool has_earlier_cofacet(const cube *q, int own, int before) {
    int axes = axes_of(q);
    uint32_t other[8];
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; !q->direction[axis] && side < 2; side += 2) {
            if (own + side * steps[axis] >= before || !move_corners(q, axis, side, other)) continue;
            bool inside = true;
            for (int s = 0; s < 8 && inside; s++)
                inside = s & ~axes || lower(q->space, other[s], q->corner[0]);
            if (inside) return true;
        }
    return false;
}

/* The last facet of a cube is the one of its owner with the greatest direction. It makes an apparent pair
 * with the cube if the cube is the first of its cofacets. */
static bool apparent_facet(const void *space, cell e, int dim, uint64_t *facet, uint32_t *coefficient) {
    const cubes *c = space;
    uint32_t owner = cubes_owner(e.index);
    int direction = cubes_direction(e.index), last = -1, left = 0, side = 0, axes = 0;
    (void)dim;
    for (int axis = 0; axis < 3; axis++) {
        int d = direction / steps[axis] % 3 - 1;
        if (!d) continue;
        axes |= 1 << axis;
        if (direction - d * steps[axis] < last) continue;
        last = direction - d * steps[axis];
        left = axis;
        side = d;
    }
    if (last < 0) return false;
    cube q = cube_of(c, owner, last);
    if (has_earlier_cofacet(&q, last, direction)) return false;
    *facet = cubes_cell(c, owner, last).index;
    *coefficient = incidence(c, axes, left, side);
    return true;
}

static float value_of(const void *space, uint64_t index) {
    const cubes *c = space;
    return (float)(c->key[cubes_owner(index)] >> 8);
}

filtered_complex cubes_complex(const cubes *c) {
    return (filtered_complex){.space = c,
                              .threshold = GREATEST_VALUE,
                              .modulus = c->modulus,
                              .inverse = c->inverse,
                              .most_cofacets = 6,
                              .cofacets = cofacets_of,
                              .apparent_facet = apparent_facet,
                              .value = value_of};
}
