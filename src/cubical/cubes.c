#include "cubical/cubes.h"

const int cubes_edge_directions[6] = {4, 10, 12, 14, 16, 22};

static const int steps[3] = {1, 3, 9}; /* what a step along an axis adds to a direction */

/* ---- vertices ---------------------------------------------------------------------------------- */

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

__extension__ typedef unsigned __int128 uint128;

/* Returns v / d, given reciprocal_of(d). */
static uint32_t quotient(uint32_t v, uint64_t reciprocal) {
    return reciprocal ? (uint32_t)((uint128)v * reciprocal >> 64) : v;
}
static uint64_t reciprocal_of(uint32_t d) { return d > 1 ? UINT64_MAX / d + 1 : 0; }

cubes cubes_of(const uint32_t *key, const uint32_t extent[3], uint32_t periodic, uint32_t modulus) {
    return (cubes){.key = key,
                   .extent = {extent[0], extent[1], extent[2]},
                   .periodic = periodic,
                   .modulus = modulus,
                   .reciprocal = {reciprocal_of(extent[0]), reciprocal_of(extent[1])}};
}

static void place(const cubes *c, uint32_t v, uint32_t at[3]) {
    uint32_t row = quotient(v, c->reciprocal[0]);
    at[0] = v - row * c->extent[0];
    at[2] = quotient(row, c->reciprocal[1]);
    at[1] = row - at[2] * c->extent[1];
}

/* ---- lower stars ------------------------------------------------------------------------------- */

#define ALL_AROUND 0x7ffdfffu /* all directions but the vertex itself */

static const uint32_t facing[3] = {0x1249249, 0x1c0e07, 0x1ff}; /* directions that are -1 along an axis */

static void find_steps(const cubes *c, uint32_t v, cubes_steps *s) {
    uint32_t at[3];
    place(c, v, at);
    *s = (cubes_steps){.there = ALL_AROUND};
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side < 2; side += 2)
            if (!step(c, axis, at[axis], side, &s->by[axis][side + 1]))
                s->there &= ~(facing[axis] << (side + 1) * steps[axis]);
}

/* Sets the bit of a direction, 0 to 2 along each axis, if the vertex there comes before order `own`. Where
 * the grid has none, this looks at another one. */
#define LOOK(x, y, z)                                                                    \
    set |= (uint32_t)(cubes_order(c, v + s->by[0][x] + s->by[1][y] + s->by[2][z]) < own) \
           << (x + 3 * y + 9 * z);

// clang-format off
static uint32_t below_at_border(const cubes *c, uint32_t v, cubes_steps *s) {
    uint64_t own = cubes_order(c, v);
    uint32_t set = 0;
    find_steps(c, v, s);
#define LOOK_ALONG_X(y, z) LOOK(0, y, z) LOOK(1, y, z) LOOK(2, y, z)
    LOOK_ALONG_X(0, 0) LOOK_ALONG_X(1, 0) LOOK_ALONG_X(2, 0)
    LOOK_ALONG_X(0, 1) LOOK_ALONG_X(1, 1) LOOK_ALONG_X(2, 1)
    LOOK_ALONG_X(0, 2) LOOK_ALONG_X(1, 2) LOOK_ALONG_X(2, 2)
    return (set & s->there) | 1u << CUBES_CENTER;
}
// clang-format on

/* Returns which of three keys are at most `own`, as bits; and which are below it. */
static uint32_t at_most(const uint32_t *k, uint32_t own) {
    return (uint32_t)(k[0] <= own) | (uint32_t)(k[1] <= own) << 1 | (uint32_t)(k[2] <= own) << 2;
}
static uint32_t under(const uint32_t *k, uint32_t own) {
    return (uint32_t)(k[0] < own) | (uint32_t)(k[1] < own) << 1 | (uint32_t)(k[2] < own) << 2;
}

/* A vertex of an equal key is below if it comes before. */
static uint32_t below_inside(const cubes *c, uint32_t v, cubes_steps *s) {
    uint32_t row = c->extent[0], plane = row * c->extent[1];
    const uint32_t *k = c->key + v - 1, *before = k - plane, *after = k + plane;
    uint32_t own = k[1],
             set = at_most(before - row, own) | at_most(before, own) << 3 | at_most(before + row, own) << 6 |
                   at_most(k - row, own) << 9 | (uint32_t)(k[0] <= own) << 12 | 1u << CUBES_CENTER |
                   (uint32_t)(k[2] < own) << 14 | under(k + row, own) << 15 | under(after - row, own) << 18 |
                   under(after, own) << 21 | under(after + row, own) << 24;
    *s = (cubes_steps){{{0u - 1, 0, 1}, {0u - row, 0, row}, {0u - plane, 0, plane}}, ALL_AROUND};
    return set;
}

uint32_t cubes_below(const cubes *c, uint32_t v, cubes_steps *s) {
    uint32_t at[3];
    bool inside = true;
    place(c, v, at);
    for (int axis = 0; axis < 3; axis++) inside &= at[axis] - 1 < c->extent[axis] - 2 && c->extent[axis] > 2;
    return inside ? below_inside(c, v, s) : below_at_border(c, v, s);
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
    cubes_steps s;
    uint32_t below = cubes_below(c, v, &s);
    int sum = 0;
    for (int direction = 0; direction < 27; direction++) {
        uint32_t corners = corner_set(direction);
        if ((below & corners) == corners) sum += __builtin_popcount(corners) % 3 == 1 ? 1 : -1;
    }
    return sum;
}

uint32_t cubes_edges(const cubes *c, uint32_t v, uint32_t to[6], uint32_t *paired) {
    cubes_steps s;
    uint32_t below = cubes_below(c, v, &s), set = 0;
    int first[6]; /* of the component of each edge */
    *paired = 0;
    for (int i = 0; i < 6; i++) {
        if (!(below >> cubes_edge_directions[i] & 1)) continue;
        set |= 1u << i;
        first[i] = i;
        to[i] = v + s.by[i < 3 ? 2 - i : i - 3][i < 3 ? 0 : 2];
        for (int j = 0; j < i; j++) {
            int square = cubes_edge_directions[i] + cubes_edge_directions[j] - CUBES_CENTER;
            if (!(set >> j & 1) || square == CUBES_CENTER || !(below >> square & 1)) continue;
            int a = first[i], b = first[j];
            for (int k = 0; k <= i; k++)
                if (set >> k & 1 && first[k] == (a < b ? b : a)) first[k] = a < b ? a : b;
        }
    }
    for (int i = 0; i < 6; i++)
        if (set >> i & 1 && first[i] != i) *paired |= 1u << i;
    return set;
}
