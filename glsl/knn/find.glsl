// The points nearest to each of a block of 128, of columns column_first … column_end - 1, in tiles of 128 × 128
// pairs, 8 × 8 an invocation; nothing but each point's candidates leaves the tile.
//   MANHATTAN 0: sums of squares; 1: of magnitudes   CAPACITY 256, 512: room for a point's candidates
//   SLICE 1 … 16: columns of the data that are taken at a time
//   SHARED 1: a slice of both sides goes to shared memory; 0: each invocation fetches for itself
//   ACROSS 1: the rows are queries, and only points with another label than theirs count
//
// points: element q has points 4q … 4q + 3, a texel for each column of the data (src/knn/points.c).
// ACROSS: chosen: the queries likewise; query: (point, its label); labels: element q has those of four points.
// list: of each point the candidates so far (bits of the sum, index) in no order. A sum below the point's limit
// is appended; when another tile might not fit, a sweep keeps the `keep` least by (sum, index), in order, and
// the last of them is the new limit. Tiles come in ascending order: what equals the limit comes too late.
#if SLICE < 1 || SLICE > 16
#error SLICE is 1 to 16
#endif

#define TILE 128u
#define STRIDE 33u // vec4s from one column of the data to the next: one spare, against conflicts
#define SIDE (uint(SLICE) * STRIDE)
#define TEAMS (2048u / uint(CAPACITY)) // points that a sweep handles at a time
#define TEAM (LOCAL / TEAMS)
#define OWN (uint(CAPACITY) / TEAM)    // candidates an invocation ranks: 8

// A slice of the rows, then of the columns; or the candidates of TEAMS points, two each.
shared uvec4 tile[max(1024u, 2u * SIDE)];
shared uint counts[TILE];
shared float limits[TILE];
shared uint full;
#if ACROSS
shared uint own_label[TILE];
#define ROWS(q, c) chosen(q, c)
#else
#define ROWS(q, c) points(q, c)
#endif

void meet() {
    memoryBarrierShared();
    barrier();
}

// ---- sums --------------------------------------------------------------------------------------------

// Row 4 · ty + r (r < 4), or 64 + 4 · ty + r - 4, with columns 4 · tx + 0 … 3 and 64 + 4 · tx + 0 … 3.
vec4 sum[16]; // 2 · r, and 2 · r + 1

#if SHARED
// Loads column `at` of the data, and on, of TILE points from quad `from` into tile[side …].
void load_one(uint i, uint at, uint from, uint side) {
    if (i >= uint(SLICE) * TILE / 4u) return;
    uint s = i % uint(SLICE), q = i / uint(SLICE);
    vec4 four = side == 0u ? ROWS(min(from + q, (row_end - 1u) / 4u), at + s) : points(min(from + q, (n - 1u) / 4u), at + s);
    tile[side + s * STRIDE + q] = floatBitsToUint(four);
}

void load(uint at, uint from, uint side) {
    load_one(gl_LocalInvocationIndex, at, from, side);
#if SLICE > 8
    load_one(gl_LocalInvocationIndex + LOCAL, at, from, side);
#endif
}
#define ROW_QUAD(q, s) uintBitsToFloat(tile[(s) * STRIDE + q])
#define COLUMN_QUAD(q, s) uintBitsToFloat(tile[SIDE + (s) * STRIDE + q])
#else
#define ROW_QUAD(q, s) ROWS(q, at + s)
#define COLUMN_QUAD(q, s) points(q, at + s)
#endif

#if MANHATTAN
#define ADD(to, x, y) to += abs((x) - (y));
#else
#define ADD(to, x, y) { vec4 d_ = (x) - (y); to += d_ * d_; }
#endif
#define ROW(r, x) ADD(sum[2 * (r)], x, b0) ADD(sum[2 * (r) + 1], x, b1)
#define STEP(s) { \
    vec4 a0 = ROW_QUAD(rows.x, s), a1 = ROW_QUAD(rows.y, s); \
    vec4 b0 = COLUMN_QUAD(columns.x, s), b1 = COLUMN_QUAD(columns.y, s); \
    ROW(0, a0.x) ROW(1, a0.y) ROW(2, a0.z) ROW(3, a0.w) ROW(4, a1.x) ROW(5, a1.y) ROW(6, a1.z) ROW(7, a1.w) }

// Unrolled by hand: a loop would count against GPU_TURNS.
// rows, columns: which quads, of the tile or of all points.
void add_slice(uvec2 rows, uvec2 columns, uint at) {
    STEP(0u)
#if SLICE > 1
    STEP(1u)
#endif
#if SLICE > 2
    STEP(2u)
#endif
#if SLICE > 3
    STEP(3u)
#endif
#if SLICE > 4
    STEP(4u)
#endif
#if SLICE > 5
    STEP(5u)
#endif
#if SLICE > 6
    STEP(6u)
#endif
#if SLICE > 7
    STEP(7u)
#endif
#if SLICE > 8
    STEP(8u)
#endif
#if SLICE > 9
    STEP(9u)
#endif
#if SLICE > 10
    STEP(10u)
#endif
#if SLICE > 11
    STEP(11u)
#endif
#if SLICE > 12
    STEP(12u)
#endif
#if SLICE > 13
    STEP(13u)
#endif
#if SLICE > 14
    STEP(14u)
#endif
#if SLICE > 15
    STEP(15u)
#endif
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
        meet();
#endif
        add_slice(rows, columns, at);
#if SHARED
        meet();
#endif
    }
}

// ---- candidates --------------------------------------------------------------------------------------

void offer(uint own, uint row, uint column, float value) {
    if (!(value < limits[row]) || column >= column_end) return;
#if !ACROSS
    if (column == row_first + own + row) return;
#endif
    uint slot = atomicAdd(counts[row], 1u);
    if (slot >= uint(CAPACITY) - TILE) full = 1u;
    list_store(own + row, slot, uvec2(floatBitsToUint(value), column));
}

uint place(uint quarter, uint i) { return 4u * quarter + (i & 3u) + 64u * (i >> 2); }

// sum at bit 8 · r + c, by constant indices only: sum stays in registers.
float pick(uint b) {
    vec4 four = sum[0];
    for (int i = 1; i < 16; i++) four = uint(i) == b >> 2 ? sum[i] : four;
    vec2 two = (b & 2u) == 0u ? four.xy : four.zw;
    return (b & 1u) == 0u ? two.x : two.y;
}

// Which of row r's sums lie below its limit (ACROSS: and are of other components), as eight bits.
#if ACROSS
#define OTHER(l) && (l) != label
#define LABEL(r) uint label = own_label[place(ty, uint(r))];
#else
#define OTHER(l)
#define LABEL(r)
#endif
#define BIT(sum_, l, i) ((sum_) < limit OTHER(l) ? 1u << (i) : 0u)
#define FOUR(v, l, i) (BIT(v.x, l.x, i) | BIT(v.y, l.y, i + 1) | BIT(v.z, l.z, i + 2) | BIT(v.w, l.w, i + 3))
#define PASSES(into, r) { float limit = limits[place(ty, uint(r))]; LABEL(r) \
    into |= (FOUR(sum[2 * (r)], near, 0) | FOUR(sum[2 * (r) + 1], far, 4)) << (8u * (uint(r) & 3u)); }

// One offer a turn: where a branch only masks (llvmpipe), offers that are not made cost nothing.
void select(uint own, uint columns, uint tx, uint ty) {
    uint low = 0u, high = 0u;
#if ACROSS
    uint last = (n - 1u) / 4u;
    uvec4 near = labels(min(columns / 4u + tx, last)), far = labels(min(columns / 4u + tx + 16u, last));
#endif
    PASSES(low, 0) PASSES(low, 1) PASSES(low, 2) PASSES(low, 3)
    PASSES(high, 4) PASSES(high, 5) PASSES(high, 6) PASSES(high, 7)
    while ((low | high) != 0u) {
        uint b = low != 0u ? uint(findLSB(low)) : 32u + uint(findLSB(high));
        offer(own, place(ty, b >> 3), columns + place(tx, b & 7u), pick(b));
        if (low != 0u) low &= low - 1u;
        else high &= high - 1u;
    }
}

// ---- sweeps ------------------------------------------------------------------------------------------

uvec2 staged(uint team, uint i) {
    uvec4 two = tile[(team * uint(CAPACITY) + i) / 2u];
    return (i & 1u) == 0u ? two.xy : two.zw;
}

uint before(uvec2 a, uvec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y) ? 1u : 0u; }

void keep_at(uint own, uint row, uint rank, uvec2 x) {
    if (rank >= keep) return;
    if (rank == keep - 1u) limits[row] = uintBitsToFloat(x.x);
    list_store(own + row, rank, x);
}

// Each of the team's candidates goes to its rank.
void rank_all(uint own, uint row, uint team, uint lane, uint used) {
    uvec2 mine[OWN];
    uint rank[OWN];
    for (uint k = 0u; k < OWN; k++) {
        mine[k] = staged(team, lane + k * TEAM);
        rank[k] = 0u;
    }
    for (uint i = 0u; i < used; i += 2u) {
        uvec4 two = tile[(team * uint(CAPACITY) + i) / 2u];
        for (uint k = 0u; k < OWN; k++) rank[k] += before(two.xy, mine[k]) + before(two.zw, mine[k]);
    }
    for (uint k = 0u; k < OWN; k++)
        if (lane + k * TEAM < used) keep_at(own, row, rank[k], mine[k]);
}

// Of each point that may not have room for another tile (last: of each), keeps the least.
void sweep(uint own, bool last) {
    uint team = gl_LocalInvocationIndex / TEAM, lane = gl_LocalInvocationIndex % TEAM;
    for (uint first = 0u; first < TILE; first += TEAMS) {
        uint row = first + team, used = counts[row];
        bool due = last ? row_first + own + row < row_end : used > uint(CAPACITY) - TILE;
        for (uint i = 2u * lane; due && i < used; i += 2u * TEAM)
            tile[(team * uint(CAPACITY) + i) / 2u] =
                uvec4(list_load(own + row, i), i + 1u < used ? list_load(own + row, i + 1u) : uvec2(0xffffffffu));
        memoryBarrierImage();
        meet();
        if (due) rank_all(own, row, team, lane, used);
        memoryBarrierImage();
        meet();
        if (due && lane == 0u) counts[row] = min(used, keep);
    }
    if (gl_LocalInvocationIndex == 0u) full = 0u;
    meet();
}

// ---- all ---------------------------------------------------------------------------------------------

void begin_rows(uint own) {
    uint me = gl_LocalInvocationIndex;
    if (me == 0u) full = 0u;
    if (me < TILE) {
        bool ours = row_first + own + me < row_end;
        uvec2 was = ours && column_first != 0u ? progress_load(own + me) : uvec2(0u, 0x7f800000u);
        counts[me] = was.x;
        limits[me] = ours ? uintBitsToFloat(was.y) : -1.0;
#if ACROSS
        own_label[me] = ours ? query(own + me).y : 0u;
#endif
    }
    meet();
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, tx = me % 16u, ty = me / 16u, own = group * TILE;
    begin_rows(own);
    for (uint columns = column_first; columns < column_end; columns += TILE) {
        add_up(row_first + own, columns, tx, ty);
        select(own, columns, tx, ty);
        memoryBarrierImage();
        meet();
        bool due = full != 0u;
        meet();
        if (due) sweep(own, false);
    }
    if (last_span != 0u) sweep(own, true);
    if (me < TILE && row_first + own + me < row_end)
        progress_store(own + me, uvec2(counts[me], floatBitsToUint(limits[me])));
}
