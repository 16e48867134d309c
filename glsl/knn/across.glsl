// As knn/spans, for queries: the rows are those of `chosen`, and only points with another label than the query are
// candidates.
//   CORES 1: sums become mutual reachabilities: the greatest of the sum and of the core distances of both ends
// chosen: the queries' coordinates, laid out as those of points; query: (point, its label); labels: element q has those of
// points 4q … 4q + 3 and, in a second texel, the bits of their core distances.
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

#if CORES
shared float own_core[TILE];

#define RAISE(r)                                                             \
    sum[2 * (r)] = max(sum[2 * (r)], max(c0, own_core[place(ty, uint(r))])); \
    sum[2 * (r) + 1] = max(sum[2 * (r) + 1], max(c1, own_core[place(ty, uint(r))]));

vec4 cores(uint q) { return uintBitsToFloat(labels(min(q, (n - 1u) / 4u), 1u)); }

void raise(uint column, uint tx, uint ty) {
    vec4 c0 = cores(column / 4u + tx), c1 = cores(column / 4u + tx + 16u);
#repeat 8 RAISE(@)
}
#else
void raise(uint column, uint tx, uint ty) {}
#endif

#include "knn/candidates.glsl"
#include "knn/sweep.glsl"
#include "knn/columns.glsl"

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, own = group * TILE + me;
    uvec2 mine = row_first + own < row_end ? query(own) : uvec2(0u);
    if (me < TILE) own_label[me] = mine.y;
#if CORES
    if (me < TILE) own_core[me] = cores(mine.x / 4u)[mine.x & 3u];
#endif
    go_through_columns(group);
}
