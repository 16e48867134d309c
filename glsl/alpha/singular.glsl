// Lists the singular edges, and the singular points, of a shape.
//   FILL 0: flag(i) = 1 where edge i or, with points 1, point i is singular
//        1: writes the ends of edge i, or point i, at place(i)
// edge_ranks, low: as of alpha/intervals. A point that equals an earlier one has no edge.
const uint NONE = 0xffffffffu;

#if FILL == 0
bool is_singular(uint i) {
    if (points != 0u) return low(i) != NONE && low(i) > limit;
    uint own = edge_ranks(i, 0u);
    return own != 0u && own <= limit && edge_ranks(i, 1u) > limit;
}
#endif

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= n) return;
#if FILL == 0
    flag_store(i, 0u, is_singular(i) ? 1u : 0u);
#else
    if (flag(i) != 0u) listed_store(place(i), 0u, points != 0u ? uvec2(i, 0u) : ends(i));
#endif
}
