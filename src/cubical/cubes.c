#include "cubical/cubes.h"

#define INDEX_BITS                                                                          \
    46 /* the last 8 bits of the key, 32 of the owner, whether it stays, 5 of the direction \
        */
#define LAST_INDEX ((UINT64_C(1) << INDEX_BITS) - 1)

const int cubes_edge_directions[6] = {4, 10, 12, 14, 16, 22};

static const int steps[3] = {1, 3, 9}; /* what a step along an axis adds to a direction */

cell cubes_cell(const cubes *c, uint32_t owner, int direction, bool flows) {
    uint32_t key = c->key[owner];
    uint64_t place = (uint64_t)(key & 0xff) << 38 | (uint64_t)owner << 6 | !flows << 5 | (unsigned)direction;
    return (cell){LAST_INDEX - place, cubes_value(c, owner), 1};
}

float cubes_value(const cubes *c, uint32_t owner) { return (float)(c->key[owner] >> 8); }

uint32_t cubes_owner(uint64_t index) { return (uint32_t)((LAST_INDEX - index) >> 6); }
int cubes_direction(uint64_t index) { return (int)((LAST_INDEX - index) & 31); }
bool cubes_flows(uint64_t index) { return !((LAST_INDEX - index) >> 5 & 1); }

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

static void place(const cubes *c, uint32_t v, uint32_t at[3]) {
    uint32_t row = v / c->extent[0];
    at[0] = v - row * c->extent[0];
    at[2] = row / c->extent[1];
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
uint32_t cubes_below(const cubes *c, uint32_t v, cubes_steps *s) {
    uint64_t own = cubes_order(c, v);
    uint32_t set = 0;
    find_steps(c, v, s);
    LOOK(1, 0, 0) LOOK(0, 1, 0) LOOK(1, 1, 0) LOOK(2, 1, 0) LOOK(1, 2, 0)
    LOOK(0, 0, 1) LOOK(1, 0, 1) LOOK(2, 0, 1) LOOK(0, 1, 1) LOOK(2, 1, 1) LOOK(0, 2, 1) LOOK(1, 2, 1) LOOK(2, 2, 1)
    LOOK(1, 0, 2) LOOK(0, 1, 2) LOOK(1, 1, 2) LOOK(2, 1, 2) LOOK(1, 2, 2)
    return (set & s->there) | 1u << CUBES_CENTER;
}

uint32_t cubes_corners_below(const cubes *c, uint32_t v, const cubes_steps *s) {
    uint64_t own = cubes_order(c, v);
    uint32_t set = 0;
    LOOK(0, 0, 0) LOOK(2, 0, 0) LOOK(0, 2, 0) LOOK(2, 2, 0) LOOK(0, 0, 2) LOOK(2, 0, 2) LOOK(0, 2, 2) LOOK(2, 2, 2)
    return set & s->there;
}
// clang-format on

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
    uint32_t below = cubes_below(c, v, &s) | cubes_corners_below(c, v, &s);
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
