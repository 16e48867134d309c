// As neighbors/spans, for queries: the rows are those of `chosen`, and only points with another label than the query are
// candidates.
//   CORES 1: sums become mutual reachabilities: the greatest of the sum and of the core distances of both ends
// chosen: the queries' coordinates, laid out as those of points; query: (point, its label); labels: element q has those of
// points 4q … 4q + 3 and, in a second texel, the bits of their core distances.
#define SIDES 1
#define ROWS(q, c) chosen(q, c)
#define COLUMNS(q, c) points(q - page, c)
#include "neighbors/tile.glsl"
#include "neighbors/lists.glsl"
shared uint own_label[TILE];

bool is_own(uint own, uint index) { return false; } // a point has its own label

#include "neighbors/labels.glsl"

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

int limit_of(uint i);
void offer(uint own, uint at, uint index, float value);
#include "neighbors/candidates.glsl"
#include "neighbors/sweep.glsl"
#include "neighbors/columns.glsl"

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, own = group * TILE + me;
    uvec2 mine = row_first + own < row_end ? query(own) : uvec2(0u);
    if (me < TILE) own_label[me] = mine.y;
#if CORES
    if (me < TILE) own_core[me] = cores(mine.x / 4u)[mine.x & 3u];
#endif
    go_through_columns(group);
}
