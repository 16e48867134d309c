// A tile: sums of the differences of 128 rows and 128 columns, 8 × 8 pairs an invocation.
//   POWER: which powers of differences are added; 0: the greatest difference is taken
//   SLICE 1 … 16: columns of the data that are taken at a time
//   SHARED 1: a slice of both sides goes to shared memory; 0: each invocation fetches for itself
// points: element q has points 4q … 4q + 3, a texel for each column of the data (src/knn/points.c). ROWS(q, c): the same of
// the rows, which the including shader defines.
#include "lib/barrier.glsl"

#define TILE 128u
#define STRIDE 33u // vec4s from one column of the data to the next: one spare, against conflicts
#define SIDE (uint(SLICE) * STRIDE)

// A slice of the rows, then of the columns; or what sweep.glsl puts there.
shared uvec4 tile[max(1024u, 2u * SIDE)];

// Row 4 · ty + r (r < 4), or 64 + 4 · ty + r - 4, with columns 4 · tx + 0 … 3 and 64 + 4 · tx + 0 … 3.
vec4 sum[16]; // 2 · r, and 2 · r + 1

// Which row of the tile is row i of quarter ty; which column is column i of quarter tx.
uint place(uint quarter, uint i) { return 4u * quarter + (i & 3u) + 64u * (i >> 2); }

#if SHARED
// Loads element i of a slice, columns at, at + 1, … of the data for TILE points from quad `from`, into tile[side …].
void load_one(uint i, uint at, uint from, uint side) {
    if (i >= uint(SLICE) * TILE / 4u) return;
    uint s = i % uint(SLICE), q = i / uint(SLICE);
    vec4 four =
        side == 0u ? ROWS(min(from + q, (row_end - 1u) / 4u), at + s) : points(min(from + q, (n - 1u) / 4u), at + s);
    tile[side + s * STRIDE + q] = floatBitsToUint(four);
}

void load(uint at, uint from, uint side) {
    load_one(gl_LocalInvocationIndex, at, from, side);
#if SLICE > 8
    load_one(gl_LocalInvocationIndex + LOCAL, at, from, side);
#endif
}
// clang-format off
#define ROW_QUAD(q, s) uintBitsToFloat(tile[(s) * STRIDE + q])
#define COLUMN_QUAD(q, s) uintBitsToFloat(tile[SIDE + (s) * STRIDE + q])
#else
#define ROW_QUAD(q, s) ROWS(q, at + s)
#define COLUMN_QUAD(q, s) points(q, at + s)
#endif

#if POWER == 0
#define ADD(to, x, y) to = max(to, abs((x) - (y)));
#elif POWER == 1
#define ADD(to, x, y) to += abs((x) - (y));
#elif POWER == 2
#define ADD(to, x, y) { vec4 d_ = (x) - (y); to += d_ * d_; }
#else
#define ADD(to, x, y) to += power_of(abs((x) - (y)));
#define MULTIPLY(bit) if ((uint(POWER) >> (bit) & 1u) != 0u) product *= d; d *= d;
vec4 power_of(vec4 d) {
    vec4 product = vec4(1);
#repeat 7 MULTIPLY(@u)
    return product;
}
#endif
#define ROW(r, x) ADD(sum[2 * (r)], x, b0) ADD(sum[2 * (r) + 1], x, b1)
#define STEP(s) { \
    vec4 a0 = ROW_QUAD(rows.x, s), a1 = ROW_QUAD(rows.y, s); \
    vec4 b0 = COLUMN_QUAD(columns.x, s), b1 = COLUMN_QUAD(columns.y, s); \
    ROW(0, a0.x) ROW(1, a0.y) ROW(2, a0.z) ROW(3, a0.w) ROW(4, a1.x) ROW(5, a1.y) ROW(6, a1.z) ROW(7, a1.w) }
// clang-format on

// Adds the columns at, at + 1, … of the data, SLICE of them, to sum. It is no loop: turns would count against GPU_TURNS.
// rows, columns: which quads, of the tile or of all points.
void add_slice(uvec2 rows, uvec2 columns, uint at) {
#repeat SLICE STEP(@u)
}

void add_up(uint row, uint column, uint tx, uint ty) {
    for (int i = 0; i < 16; i++) sum[i] = vec4(0);
    uvec2 rows = uvec2(ty, ty + 16u), columns = uvec2(tx, tx + 16u);
#if !SHARED
    rows = min(rows + row / 4u, uvec2((row_end - 1u) / 4u));
    columns = min(columns + column / 4u, uvec2((n - 1u) / 4u));
#endif
    for (uint slice = 0u; slice < slices; slice++) {
        uint at = slice * uint(SLICE);
#if SHARED
        load(at, row / 4u, 0u);
        load(at, column / 4u, SIDE);
        group_barrier();
#endif
        add_slice(rows, columns, at);
#if SHARED
        group_barrier();
#endif
    }
}
