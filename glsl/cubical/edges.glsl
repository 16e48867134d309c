// Lists the critical edges: those that lower stars leave. An edge belongs to its greater vertex v and has the direction
// from there to its lower neighbor. The edges of v and the squares of its lower star are a graph, of squares between edges.
// The first edge of v, by direction, is paired with v; the first edges of other components of the graph are critical, and
// every other edge is paired with a square (cubical/flow.c). {v, 0, set of the critical edges, first edge of all} is listed
// if the set is not empty; state[0] counts these vertices, also those that there is no room for. They come in no order.
//
// An invocation goes along RUN vertices of a column in y. It takes the planes lo <= z < hi.
#include "field/order.glsl"
#include "field/column.glsl"
#include "cubical/directions.glsl"

// Returns the edges that are left of the lower star of the vertex whose lower neighbors are the set `below`, and which is
// the first edge; 0: none is left.
uint left_of(uint below) {
    uint edges = 0u, a[6] = uint[6](1u, 2u, 4u, 8u, 16u, 32u); // edges in the component of each, as far as known
#define EDGE(i, dx, dy, dz) edges |= (below & BIT(dx, dy, dz)) != 0u ? 1u << i : 0u;
    DIRECTIONS(EDGE)
    uint left = edges & (edges - 1u);
#define SQUARE(i, j, dx, dy, dz)                                       \
    {                                                                  \
        const uint both = 1u << i | 1u << j;                           \
        if ((edges & both) == both && (below & BIT(dx, dy, dz)) != 0u) \
            a[i] |= 1u << j, a[j] |= 1u << i, left &= ~(1u << i);      \
    }
    SQUARES(SQUARE)
    if (left == 0u) return 0u;
#define THROUGH(i, k) a[i] |= (a[i] & 1u << k) != 0u ? a[k] : 0u;
#define CLOSE(k) THROUGH(0, k) THROUGH(1, k) THROUGH(2, k) THROUGH(3, k) THROUGH(4, k) THROUGH(5, k)
    CLOSE(0) CLOSE(1) CLOSE(2) CLOSE(3) CLOSE(4) CLOSE(5);
#define DROP(i, dx, dy, dz) left &= (a[i] & (1u << i) - 1u) != 0u ? ~(1u << i) : ~0u;
    DIRECTIONS(DROP);
    return left == 0u ? 0u : left | uint(findLSB(edges)) << 8;
}

// The ends of the loops are no constants: so compilers do not unroll them. Unrolled, NVIDIA's takes seconds.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, runs = (ny + RUN - 1u) / RUN;
    uint rest = e / nx, x = e - rest * nx, y = rest % runs * RUN, z = lo + rest / runs;
    uint found = 0u, lefts[RUN / 2u]; // vertices with edges, as bits; what is left of them, two a word
    if (z >= hi) return;
    begin_column(x, y, z);
    uint start = xs[1] + y * nx + zs[1], end = min(RUN, ny - y) + 2u;
    for (uint row = 0u; row < end; row++) {
        next_row(row);
        if (row < 2u) continue;
        uint step = row - 2u;
        uint own = k[CELL(0, 0, 0)], here = PLACE(0, 0, 0), below = 0u;
#define DESCEND(dx, dy, dz) below |= lower(k[CELL(dx, dy, dz)], PLACE(dx, dy, dz), own, here) ? BIT(dx, dy, dz) : 0u;
        STAR(DESCEND)
        uint left = left_of(below & in_grid(x, y + step, z)), odd = step & 1u;
        lefts[step >> 1] = odd == 0u ? left : lefts[step >> 1] | left << 16;
        found |= left != 0u ? 1u << step : 0u;
    }
    uint at = state_atomic_add(0u, uint(bitCount(found)));
    for (; found != 0u && at < room; found &= found - 1u) {
        uint step = uint(findLSB(found));
        uint left = lefts[step >> 1] >> 16u * (step & 1u);
        left_store(at++, 0u, uvec4(start + nx * step, 0u, left & 63u, left >> 8 & 7u));
    }
}
