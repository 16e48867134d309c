// As knn/spans, for queries: the rows are those of `chosen`, and only points with another label than the query are
// candidates.
// chosen: the queries' coordinates, laid out as those of points; query: (point, its label); labels: element q has those of
// points 4q … 4q + 3.
#define SIDES 1
#define ROWS(q, c) chosen(q, c)
#include "knn/tile.glsl"
#include "knn/lists.glsl"
shared uint own_label[TILE];

bool is_own(uint own, uint index) { return false; } // a point has its own label
int limit_of(uint i) { return limits[i]; }

#define ROW_OTHER(r) (others(own_label[place(ty, uint(r))], l0, l1) << (8u * (uint(r) & 3u)))

uint others(uint label, uvec4 l0, uvec4 l1) {
    bvec4 a = notEqual(l0, uvec4(label)), b = notEqual(l1, uvec4(label));
    return uint(a.x) | uint(a.y) << 1 | uint(a.z) << 2 | uint(a.w) << 3 | uint(b.x) << 4 | uint(b.y) << 5 |
           uint(b.z) << 6 | uint(b.w) << 7;
}

uvec2 admitted(uint column, uint tx, uint ty) {
    uint last = (n - 1u) / 4u;
    uvec4 l0 = labels(min(column / 4u + tx, last)), l1 = labels(min(column / 4u + tx + 16u, last));
    uvec2 bits = uvec2(0u);
#repeat 4 bits.x |= ROW_OTHER(@);
#repeat 4 bits.y |= ROW_OTHER(@+4);
    return bits;
}

#include "knn/candidates.glsl"
#include "knn/sweep.glsl"
#include "knn/columns.glsl"

void kernel(uint group) {
    uint own = group * TILE + gl_LocalInvocationIndex;
    if (gl_LocalInvocationIndex < TILE)
        own_label[gl_LocalInvocationIndex] = row_first + own < row_end ? query(own).y : 0u;
    go_through_columns(group);
}
