// Every vertex points to the lowest of its lower neighbors. A vertex without lower neighbors is a minimum and takes the
// next number; state[0] counts the minima. A vertex is a candidate for a saddle if lower vertices around it do not
// connect all its lower neighbors; state[1] counts the candidates, also those that there is no room for. Numbers and
// places depend on the order of the invocations; no result depends on them.
//
// An invocation goes along RUN vertices of a column in y. From one vertex to the next it loads only the keys that are new,
// and it adds what it has found to the counters once. It takes the planes lo <= z < hi. Vertices before order_start come
// after all others in the order.
#include "mergetree/grid.glsl"
#include "mergetree/around.glsl"

const uint RUN = 16u;

uint k[27], xs[3], ys[3], zs[3]; // keys around the vertex; what coordinates add to an index
uint order_zs[3];                // zs for indices counted from order_start, as they are ordered

#define CELL(dx, dy, dz) (13 + (dx) + 3 * (dy) + 9 * (dz))
#define INDEX(dx, dy, dz) (xs[1 + (dx)] + ys[1 + (dy)] + zs[1 + (dz)])
#define PLACE(dx, dy, dz) (xs[1 + (dx)] + ys[1 + (dy)] + order_zs[1 + (dz)])

// The coordinates before x, x itself and the one after it, times `stride`. Beyond an end that is not periodic the
// coordinate is x again. The cell there then stands for a vertex that another cell stands for, too, or for the vertex
// itself, and so connects nothing that is not connected anyway.
uint[3] beside(uint x, uint extent, uint bit, uint stride) {
    bool around = (periodic & bit) != 0u;
    uint before = x > 0u ? x - 1u : around ? extent - 1u : x;
    uint after = x + 1u < extent ? x + 1u : around ? 0u : x;
    return uint[3](before * stride, x * stride, after * stride);
}

// clang-format off
#define LOAD(dx, dy, dz) k[CELL(dx, dy, dz)] = key(INDEX(dx, dy, dz));
#define LOAD_ROW(dy)                                                                                 \
    LOAD(-1, dy, -1) LOAD(0, dy, -1) LOAD(1, dy, -1) LOAD(-1, dy, 0) LOAD(0, dy, 0) LOAD(1, dy, 0)   \
    LOAD(-1, dy, 1) LOAD(0, dy, 1) LOAD(1, dy, 1)
#define SHIFT(dx, dz)                                                                                \
    k[CELL(dx, -1, dz)] = k[CELL(dx, 0, dz)];                                                        \
    k[CELL(dx, 0, dz)] = k[CELL(dx, 1, dz)];
// clang-format on

// Stores where v points. Returns whether v is a minimum, and whether it is a candidate for a saddle.
bvec2 classify(uint v) {
    uint own = k[CELL(0, 0, 0)], here = v - order_start, least = own, to = here, below = 0u;
#define LOOK(dx, dy, dz)                                      \
    {                                                         \
        uint w = PLACE(dx, dy, dz), kw = k[CELL(dx, dy, dz)]; \
        bool less = lower(kw, w, least, to);                  \
        least = less ? kw : least;                            \
        to = less ? w : to;                                   \
    }
    ALL(LOOK)
    basin_store(v, to + order_start);
#define DESCEND(dx, dy, dz) below |= lower(k[CELL(dx, dy, dz)], PLACE(dx, dy, dz), own, here) ? BIT(dx, dy, dz) : 0u;
    AROUND(DESCEND)
    uint ends = below & neighbor_set(), one = ends & (0u - ends);
    return bvec2(to == here, (ends & ~reachable(one, below)) != 0u);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, runs = (ny + RUN - 1u) / RUN;
    uint rest = e / nx, y = rest % runs * RUN, z = lo + rest / runs, minima = 0u, saddles = 0u;
    if (z >= hi) return;
    xs = beside(e - rest * nx, nx, 1u, 1u);
    zs = beside(z, nz, 4u, nx * ny);
    order_zs = uint[3](zs[0] - order_start, zs[1] - order_start, zs[2] - order_start);
    uint start = xs[1] + nx * y + zs[1];
    for (uint step = 0u; step < RUN && y < ny; step++, y++) {
        ys = beside(y, ny, 2u, nx);
        if (step == 0u) {
            LOAD_ROW(-1)
            LOAD_ROW(0)
        }
        LOAD_ROW(1)
        bvec2 found = classify(INDEX(0, 0, 0));
        minima |= found.x ? 1u << step : 0u;
        saddles |= found.y ? 1u << step : 0u;
        // clang-format off
        SHIFT(-1, -1) SHIFT(0, -1) SHIFT(1, -1) SHIFT(-1, 0) SHIFT(0, 0) SHIFT(1, 0)
        SHIFT(-1, 1) SHIFT(0, 1) SHIFT(1, 1)
        // clang-format on
    }
    uint number = state_atomic_add(0u, uint(bitCount(minima)));
    for (; minima != 0u; minima &= minima - 1u) basin_store(start + nx * uint(findLSB(minima)), ARRIVED | number++);
    uint at = state_atomic_add(1u, uint(bitCount(saddles)));
    for (; saddles != 0u && at < room; saddles &= saddles - 1u)
        candidates_store(at++, start + nx * uint(findLSB(saddles)));
}
