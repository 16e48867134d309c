// A tile: sums of the differences of 128 rows and 128 columns, 8 × 8 pairs an invocation.
//   POWER: which powers of differences are added; 0: the greatest difference is taken; -1: squares, from products: a square of
//     lengths each and twice the product of both, x·x + y·y - 2 x·y (src/neighbors/certify.c bounds what that rounds)
//   SLICE 1 … 16: columns of the data that are taken at a time
//   SHARED 1: a slice of both sides goes to shared memory; 0: each invocation fetches for itself
// points: element q has points 4q … 4q + 3, a texel for each column of the data and, with products, then the squares of
// their lengths (src/neighbors/points.c). ROWS(q, c), COLUMNS(q, c): texel c of quad q of the rows, of the columns, from where the
// including shader has them.
#include "lib/barrier.glsl"

#define TILE 128u
#define STRIDE 33u // vec4s from one column of the data to the next: one spare, against conflicts
#define SIDE (uint(SLICE) * STRIDE)
// A slice is put into one of two buffers while the one before it, in the other, may still be read.
#if SLICE > 8
#define BUFFERS 1u // there is no room for two
#else
#define BUFFERS 2u
#endif

// A slice of the rows, then of the columns; or what sweep.glsl puts there.
shared uvec4 tile[max(1024u, BUFFERS * 2u * SIDE)];

// Row 4 · ty + r (r < 4), or 64 + 4 · ty + r - 4, with columns 4 · tx + 0 … 3 and 64 + 4 · tx + 0 … 3.
vec4 sum[16]; // 2 · r, and 2 · r + 1

void begin_sums() {
    for (int i = 0; i < 16; i++) sum[i] = vec4(0);
}

// The invocation's tx and ty.
uvec2 seat() { return uvec2(gl_LocalInvocationIndex % 16u, gl_LocalInvocationIndex / 16u); }

// Which row of the tile is row i of quarter ty; which column is column i of quarter tx.
uint place(uint quarter, uint i) { return 4u * quarter + (i & 3u) + 64u * (i >> 2); }

#if SHARED
#define LOADS ((SLICE + 7) / 8) // of an invocation, of each side: 256 texels at a time

vec4 next[2 * LOADS]; // on its way to tile: of the rows, then of the columns

// Fetches columns at, at + 1, … of the data for 128 points each from quads row and column.
void fetch(uint at, uint row, uint column) {
    for (uint k = 0u; k < uint(LOADS); k++) {
        uint i = gl_LocalInvocationIndex + LOCAL * k, s = at + i % uint(SLICE), q = i / uint(SLICE);
        next[2u * k] = ROWS(min(row + q, (row_end - 1u) / 4u), s);
        next[2u * k + 1u] = COLUMNS(min(column + q, (n - 1u) / 4u), s);
    }
}

// Puts it into tile[to …].
void put(uint to) {
    for (uint k = 0u; k < uint(LOADS); k++) {
        uint i = gl_LocalInvocationIndex + LOCAL * k, place = to + i % uint(SLICE) * STRIDE + i / uint(SLICE);
        if (i >= uint(SLICE) * TILE / 4u) return;
        tile[place] = floatBitsToUint(next[2u * k]);
        tile[SIDE + place] = floatBitsToUint(next[2u * k + 1u]);
    }
}
// clang-format off
#define ROW_QUAD(q, s) uintBitsToFloat(tile[at + (s) * STRIDE + q])
#define COLUMN_QUAD(q, s) uintBitsToFloat(tile[at + SIDE + (s) * STRIDE + q])
#else
#define ROW_QUAD(q, s) ROWS(q, at + s)
#define COLUMN_QUAD(q, s) COLUMNS(q, at + s)
#endif

#if POWER == -1
// No compiler fuses what `precise` numbers are made of (squares, below), which takes nearly twice as long.
#define ADD(to, x, y) to = fma(vec4(x), y, to);
#elif POWER == 0
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

// Adds SLICE columns of the data to sum. rows, columns: which quads, of the tile, where the slice is at tile[at …]; or of
// all points, and the columns at, at + 1, … In turns of four columns, products take 3 % longer than written out, and compile
// in two thirds of the time; other sums take less in turns (NVIDIA H200). Turns of software renderers count against
// GPU_TURNS: these have none here.
#if SHARED
#if POWER == -1 && SLICE % 4 == 0
#define TURN 4u
#define STEPS(s) STEP(s) STEP(s + 1u) STEP(s + 2u) STEP(s + 3u)
#elif SLICE % 2 == 0
#define TURN 2u
#define STEPS(s) STEP(s) STEP(s + 1u)
#else
#define TURN 1u
#define STEPS(s) STEP(s)
#endif
void add_slice(uvec2 rows, uvec2 columns, uint at) {
    // The end is no constant, because compilers write such turns out.
    for (uint s = 0u; s < (slices != 0u ? uint(SLICE) : 0u); s += TURN) { STEPS(s) }
}
#else
void add_slice(uvec2 rows, uvec2 columns, uint at) {
#repeat SLICE STEP(@u)
}
#endif

#if POWER == -1
// The square of the distance, from those of the lengths, x and y, and the product. Where all three are whole numbers below
// 2^24, of some unit, each step is exact if it is done in this order.
vec4 squares(float x, vec4 y, vec4 product) {
    precise vec4 less = x - 2.0 * product;
    precise vec4 all = less + y;
    return max(all, 0.0);
}

#define FINISH(r, x)                             \
    sum[2 * (r)] = squares(x, b0, sum[2 * (r)]); \
    sum[2 * (r) + 1] = squares(x, b1, sum[2 * (r) + 1]);

// Makes sums of products sums of squares. rows, columns: which quads of all points.
void finish(uvec2 rows, uvec2 columns) {
    uint at = slices * uint(SLICE);
    vec4 a0 = ROWS(rows.x, at), a1 = ROWS(rows.y, at), b0 = COLUMNS(columns.x, at), b1 = COLUMNS(columns.y, at);
    FINISH(0, a0.x)
    FINISH(1, a0.y) FINISH(2, a0.z) FINISH(3, a0.w) FINISH(4, a1.x) FINISH(5, a1.y) FINISH(6, a1.z) FINISH(7, a1.w)
}
#else
void finish(uvec2 rows, uvec2 columns) {}
#endif

void add_up(uint row, uint column, uint tx, uint ty) {
    begin_sums();
    uvec2 own_rows = min(uvec2(ty, ty + 16u) + row / 4u, uvec2((row_end - 1u) / 4u));
    uvec2 own_columns = min(uvec2(tx, tx + 16u) + column / 4u, uvec2((n - 1u) / 4u));
#if SHARED
    uint side_at = 0u;
    fetch(0u, row / 4u, column / 4u);
    for (uint slice = 1u; slice <= slices; slice++) {
        put(side_at);
        group_barrier();
        if (slice < slices) fetch(slice * uint(SLICE), row / 4u, column / 4u);
        add_slice(uvec2(ty, ty + 16u), uvec2(tx, tx + 16u), side_at);
        side_at = (BUFFERS - 1u) * 2u * SIDE - side_at;
        if (BUFFERS == 1u) group_barrier();
    }
#else
    for (uint slice = 0u; slice < slices; slice++) add_slice(own_rows, own_columns, slice * uint(SLICE));
#endif
    finish(own_rows, own_columns);
}
