// The keys around the vertices of a column in y. From one vertex to the next an invocation loads only the keys that are
// new. Vertices before order_start come after all others in the order.
#include "field/beside.glsl"

const uint RUN = 16u; // vertices of a column that an invocation takes

uint k[27], first_y; // keys around the vertex
uvec3 xs, ys, zs;    // what coordinates add to an index
uvec3 order_zs;      // zs for indices counted from order_start, as they are ordered

#define CELL(dx, dy, dz) (13 + (dx) + 3 * (dy) + 9 * (dz))
#define INDEX(dx, dy, dz) (xs[1 + (dx)] + ys[1 + (dy)] + zs[1 + (dz)])
#define PLACE(dx, dy, dz) (xs[1 + (dx)] + ys[1 + (dy)] + order_zs[1 + (dz)])

// clang-format off
#define LOAD(dx, dz) k[CELL(dx, 1, dz)] = key(INDEX(dx, 1, dz));
#define SHIFT(dx, dz)                                                                                \
    k[CELL(dx, -1, dz)] = k[CELL(dx, 0, dz)];                                                        \
    k[CELL(dx, 0, dz)] = k[CELL(dx, 1, dz)];
#define ROW(LOOK) \
    LOOK(-1, -1) LOOK(0, -1) LOOK(1, -1) LOOK(-1, 0) LOOK(0, 0) LOOK(1, 0) LOOK(-1, 1) LOOK(0, 1) LOOK(1, 1)
// clang-format on

// The rows of a column are loaded one after the other: the one before it, those of its vertices, the one behind it. Each is
// loaded in one place, because compilers write calls out.
void begin_column(uint x, uint y, uint z) {
    xs = beside(x, nx, 1u, 1u);
    ys = uvec3(0u);
    zs = beside(z, nz, 4u, nx * ny);
    order_zs = zs - order_start;
    first_y = y;
}

// Loads row `row`, 0 for the one before the column. Two rows later the keys are those around vertex row - 2.
void next_row(uint row) {
    bool around = (periodic & 2u) != 0u;
    uint y = first_y + row;
    y = y == 0u ? around ? ny : 1u : y <= ny ? y : around ? 1u : ny; // one more than the coordinate
    ROW(SHIFT)
    ys = uvec3(ys.yz, (y - 1u) * nx);
    ROW(LOAD)
}
