// Writes down the lower star of each vertex: a bit for each direction that has an edge, a square or a cube in it, and where the
// vertex is at an end of the grid (star.glsl). The flow looks at a vertex often, and reads this in place of 27 keys. An
// invocation takes RUN vertices of a column in y.
#include "field/order.glsl"
#include "field/column.glsl"
#include "cubical/directions.glsl"
#include "cubical/star.glsl"

// The cells of the lower star whose vertices are the set `below`. Beyond an end of the grid there are none, because the edge
// there leads to the vertex itself (field/beside.glsl).
uint star_of(uint below) {
    uint star = below;
#define WITHOUT(i, j, dx, dy, dz) \
    star &= (below & bit_of(step_of(i))) != 0u && (below & bit_of(step_of(j))) != 0u ? ~0u : ~BIT(dx, dy, dz);
    SQUARES(WITHOUT)
    for (uint i = 0u; i < 8u; i++) {
        uint corners = 1u << 13;
        corners |= (i & 1u) != 0u ? corners << 1 : corners >> 1;
        corners |= (i & 2u) != 0u ? corners << 3 : corners >> 3;
        corners |= (i & 4u) != 0u ? corners << 9 : corners >> 9;
        star &= ((below | 1u << 13) & corners) == corners ? ~0u : ~cube_bit(i);
    }
    return star;
}

uint ends_at(uint x, uint y, uint z) {
    return (z == 0u ? 1u << 27 : 0u) | (y == 0u ? 1u << 28 : 0u) | (x == 0u ? 1u << 29 : 0u) |
           (x + 1u == nx ? 1u << 30 : 0u) | (y + 1u == ny ? 1u << 31 : 0u) | (z + 1u == nz ? 1u << 13 : 0u);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, runs = (ny + RUN - 1u) / RUN;
    uint rest = e / nx, x = e - rest * nx, y = rest % runs * RUN, z = rest / runs;
    if (z >= nz) return;
    begin_column(x, y, z);
    uint start = xs[1] + y * nx + zs[1], end = min(RUN, ny - y) + 2u;
    for (uint row = 0u; row < end; row++) {
        next_row(row);
        if (row < 2u) continue;
        uint step = row - 2u, own = k[CELL(0, 0, 0)], here = PLACE(0, 0, 0), below = 0u;
#define BEFORE(dx, dy, dz) \
    below |= lower(k[CELL(dx, dy, dz)], PLACE(dx, dy, dz), own, here) ? 1u << CELL(dx, dy, dz) : 0u;
#define DESCEND(dx, dz) BEFORE(dx, -1, dz) BEFORE(dx, 0, dz) BEFORE(dx, 1, dz)
        ROW(DESCEND)
        star_store(start + nx * step, 0u, star_of(below) | ends_at(x, y + step, z));
    }
}
