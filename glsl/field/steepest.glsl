// Every vertex points to the lowest of its lower neighbors. A vertex without lower neighbors is a minimum and takes the
// next number; state[0] counts the minima. A vertex is a candidate for a saddle if lower vertices around it do not
// connect all its lower neighbors; state[1] counts the candidates, also those that there is no room for. Numbers and
// places depend on the order of the invocations; no result depends on them.
//
// An invocation goes along RUN vertices of a column in y, and a group adds what it has found to the counters once. It takes
// the planes lo <= z < hi.
#include "field/grid.glsl"
#include "field/around.glsl"
#include "field/column.glsl"
#include "lib/reserve.glsl"

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
    uint rest = e / nx, y = rest % runs * RUN, z = lo + rest / runs, minima = 0u, saddles = 0u, start = 0u;
    if (z < hi) {
        begin_column(e - rest * nx, y, z);
        start = xs[1] + y * nx + zs[1];
        for (uint row = 0u, end = min(RUN, ny - y) + 2u; row < end; row++) {
            next_row(row);
            if (row < 2u) continue;
            bvec2 found = classify(INDEX(0, 0, 0));
            minima |= found.x ? 1u << row - 2u : 0u;
            saddles |= found.y ? 1u << row - 2u : 0u;
        }
    }
    uint number = reserve(uint(bitCount(minima)), 0u);
    for (; minima != 0u; minima &= minima - 1u) basin_store(start + nx * uint(findLSB(minima)), ARRIVED | number++);
    uint at = reserve(uint(bitCount(saddles)), 1u);
    for (; saddles != 0u && at < room; saddles &= saddles - 1u)
        candidates_store(at++, start + nx * uint(findLSB(saddles)));
}
