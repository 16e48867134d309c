// The points nearest to each of a block of 128, of columns column_first … column_end - 1, in tiles of 128 × 128
// pairs, 8 × 8 an invocation; nothing but each point's candidates leaves the tile.
//   BOTH 1: all points are rows and columns, and each tile is computed once, for its rows and its columns
//   MANHATTAN 0: sums of squares; 1: of magnitudes   CAPACITY 256, 512: room for a point's candidates
//   SLICE 1 … 16: columns of the data that are taken at a time
//   SHARED 1: a slice of both sides goes to shared memory; 0: each invocation fetches for itself
//   ACROSS 1: the rows are queries, and only points with another label than theirs count
//
// points: element q has points 4q … 4q + 3, a texel for each column of the data (src/knn/points.c).
// ACROSS: chosen: the queries likewise; query: (point, its label); labels: element q has those of four points.
// list: of each point the candidates so far (bits of the sum, index) in no order. A sum below the point's limit
// is appended; when a list has more than CROWD, so that another tile might not fit, a sweep keeps the `keep`
// least by (sum, index), in order, and the last of them is the new limit. Tiles come in ascending order: what
// equals the limit comes too late. (BOTH: in any order, so what equals it may pass where its index is less.)
// Sums are not negative, so that they are ordered as their bits are.
//
// BOTH is a tournament: in turn t meet the blocks i and j where i + j = t, or t plus the number of blocks, so
// that no block is in two tiles of a turn, and after all turns each has met each. One more turn sweeps.
#if SLICE < 1 || SLICE > 16
#error SLICE is 1 to 16
#endif

#define TILE 128u
#define STRIDE 33u // vec4s from one column of the data to the next: one spare, against conflicts
#define SIDE (uint(SLICE) * STRIDE)
#define TEAMS (2048u / uint(CAPACITY)) // points that a sweep handles at a time
#define TEAM (LOCAL / TEAMS)
#define CROWD (uint(CAPACITY) - TILE - 8u) // of CAPACITY 256: one tile is enough

// A slice of the rows, then of the columns; or the candidates of TEAMS points: see stage().
shared uvec4 tile[max(1024u, 2u * SIDE)];
shared uint counts[TILE << BOTH]; // of the rows, then of the columns
shared int limits[TILE << BOTH];
#if BOTH
shared int lenient[2u * TILE]; // 1: what equals the limit passes
#define LIMIT(i) (limits[i] + lenient[i])
#else
#define LIMIT(i) limits[i]
#endif
shared uint full, due_count;
shared uvec2 due[TILE << BOTH]; // places in counts, elements of list
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

// own: a point's element of list; at: its place in counts.
void offer(uint own, uint at, uint index, float value) {
    if (index >= column_end) return;
#if !ACROSS
    if (index == row_first + own) return;
#endif
    uint slot = atomicAdd(counts[at], 1u);
    if (slot >= CROWD) full = 1u;
    list_store(own, slot, uvec2(floatBitsToUint(value), index));
}

uint place(uint quarter, uint i) { return 4u * quarter + (i & 3u) + 64u * (i >> 2); }

// sum at bit 8 · r + c, by constant indices only: sum stays in registers.
float pick(uint b) {
    vec4 four = sum[0];
    for (int i = 1; i < 16; i++) four = uint(i) == b >> 2 ? sum[i] : four;
    vec2 two = (b & 2u) == 0u ? four.xy : four.zw;
    return (b & 1u) == 0u ? two.x : two.y;
}

// Which sums of row r lie below the limits (ACROSS: and are of other components), as eight bits.
#if ACROSS
#define OTHER(l) && (l) != label
#define LABEL(r) uint label = own_label[place(ty, uint(r))];
#else
#define OTHER(l)
#define LABEL(r)
#endif
#define BIT(sum_, limit, l, i) (floatBitsToInt(sum_) < (limit) OTHER(l) ? 1u << (i) : 0u)
#define FOUR(v, t, l, i) (BIT(v.x, t.x, l.x, i) | BIT(v.y, t.y, l.y, i + 1) | BIT(v.z, t.z, l.z, i + 2) | BIT(v.w, t.w, l.w, i + 3))
#define EIGHT(into, r, t0, t1) into |= (FOUR(sum[2 * (r)], t0, l0, 0) | FOUR(sum[2 * (r) + 1], t1, l1, 4)) << (8u * (uint(r) & 3u));
#define OF_ROW(into, r) { ivec4 limit = ivec4(LIMIT(place(ty, uint(r)))); LABEL(r) EIGHT(into, r, limit, limit) }
#define OF_COLUMNS(into, r) EIGHT(into, r, t0, t1)
#define LIMITS(i) ivec4(LIMIT(i), LIMIT(i + 1u), LIMIT(i + 2u), LIMIT(i + 3u))

uvec2 rows_that_pass(uint column, uint tx, uint ty) {
    uvec2 bits = uvec2(0u);
#if ACROSS
    uint last = (n - 1u) / 4u;
    uvec4 l0 = labels(min(column / 4u + tx, last)), l1 = labels(min(column / 4u + tx + 16u, last));
#endif
    OF_ROW(bits.x, 0) OF_ROW(bits.x, 1) OF_ROW(bits.x, 2) OF_ROW(bits.x, 3)
    OF_ROW(bits.y, 4) OF_ROW(bits.y, 5) OF_ROW(bits.y, 6) OF_ROW(bits.y, 7)
    return bits;
}

#if BOTH
uvec2 columns_that_pass(uint tx) {
    uvec2 bits = uvec2(0u);
    uint mine = TILE + 4u * tx;
    ivec4 t0 = LIMITS(mine), t1 = LIMITS(mine + 64u);
    OF_COLUMNS(bits.x, 0) OF_COLUMNS(bits.x, 1) OF_COLUMNS(bits.x, 2) OF_COLUMNS(bits.x, 3)
    OF_COLUMNS(bits.y, 4) OF_COLUMNS(bits.y, 5) OF_COLUMNS(bits.y, 6) OF_COLUMNS(bits.y, 7)
    return bits;
}
#endif

// One offer a turn: where a branch only masks (llvmpipe), offers that are not made cost nothing.
// row: the tile's first element of list; column: its first point; two: the columns are offered the rows too.
void select(uint row, uint column, bool two, uint tx, uint ty) {
    uvec4 bits = uvec4(rows_that_pass(column, tx, ty), 0u, 0u);
#if BOTH
    if (two) bits.zw = columns_that_pass(tx);
#endif
    while (bits != uvec4(0u)) {
        bool back = (bits.x | bits.y) == 0u, upper = (back ? bits.z : bits.x) == 0u;
        uint word = back ? (upper ? bits.w : bits.z) : (upper ? bits.y : bits.x);
        uint b = uint(findLSB(word)) + (upper ? 32u : 0u), r = place(ty, b >> 3), c = place(tx, b & 7u);
        offer(back ? column + c : row + r, back ? TILE + c : r, back ? row + r : column + c, pick(b));
        word &= word - 1u;
        bits = uvec4(!back && !upper ? word : bits.x, !back && upper ? word : bits.y,
                     back && !upper ? word : bits.z, back && upper ? word : bits.w);
    }
}

// ---- sweeps ------------------------------------------------------------------------------------------

// tile: of each team the sums of its candidates, four a texel, then their points.
#define QUADS (uint(CAPACITY) / 4u)

void stage(uint own, uint team, uint i, uint used) {
    uvec2 x[4];
    for (uint k = 0u; k < 4u; k++) x[k] = i + k < used ? list_load(own, i + k) : uvec2(0x7fffffffu);
    tile[2u * team * QUADS + i / 4u] = uvec4(x[0].x, x[1].x, x[2].x, x[3].x);
    tile[(2u * team + 1u) * QUADS + i / 4u] = uvec4(x[0].y, x[1].y, x[2].y, x[3].y);
}

uint staged(uint half_, uint i) {
    uvec4 four = tile[half_ * QUADS + i / 4u];
    uvec2 two = (i & 2u) == 0u ? four.xy : four.zw;
    return (i & 1u) == 0u ? two.x : two.y;
}

void keep_at(uint own, uint at, uint rank, uvec2 x) {
    if (rank >= keep) return;
    if (rank == keep - 1u) limits[at] = int(x.x);
    list_store(own, rank, x);
}

// How many of the team's candidates come before four of them; where sums are equal, points decide.
#define BEFORE(x) { rank += uvec4(lessThan(ivec4(x), ivec4(value))); same += uvec4(equal(uvec4(x), value)); }
#define TIED(x, y) rank += uvec4(equal(uvec4(x), value)) * uvec4(lessThan(ivec4(y), ivec4(index)));

uvec4 ranks_of(uint team, uvec4 value, uvec4 index, uint used) {
    uvec4 rank = uvec4(0u), same = uvec4(0u);
    uint from = 2u * team * QUADS, end = from + (used + 3u) / 4u;
    for (uint q = from; q < end; q++) {
        uvec4 x = tile[q];
        BEFORE(x.x) BEFORE(x.y) BEFORE(x.z) BEFORE(x.w)
    }
    bool tied = any(greaterThan(same, uvec4(1u)));
    for (uint q = from; tied && q < end; q++) {
        uvec4 x = tile[q], y = tile[q + QUADS];
        TIED(x.x, y.x) TIED(x.y, y.y) TIED(x.z, y.z) TIED(x.w, y.w)
    }
    return rank;
}

// Each of the team's candidates goes to its rank.
void rank_all(uint own, uint at, uint team, uint lane, uint used) {
    for (uint i = lane; i < used; i += 4u * TEAM) {
        uvec4 value, index;
        for (uint k = 0u; k < 4u; k++) {
            uint from = min(i + k * TEAM, uint(CAPACITY) - 1u);
            value[k] = staged(2u * team, from);
            index[k] = staged(2u * team + 1u, from);
        }
        uvec4 rank = ranks_of(team, value, index, used);
        for (uint k = 0u; k < 4u; k++)
            if (i + k * TEAM < used) keep_at(own, at, rank[k], uvec2(value[k], index[k]));
    }
}

// The points whose lists are to be swept, in `due`: those that may soon not have room for another tile, or all.
void choose(uvec2 own, bool last) {
    uint at = gl_LocalInvocationIndex, element = at < TILE ? own.x + at : own.y + at - TILE;
    if (at >= TILE << BOTH || (at >= TILE && own.x == own.y)) return; // a block with itself: once is enough
    if (last ? row_first + element < row_end : 2u * counts[at] > CROWD) due[atomicAdd(due_count, 1u)] = uvec2(at, element);
}

// Keeps the least of their candidates. own: elements of list of the first row and the first column.
void sweep(uvec2 own, bool last) {
    uint team = gl_LocalInvocationIndex / TEAM, lane = gl_LocalInvocationIndex % TEAM;
    choose(own, last);
    meet();
    for (uint first = 0u; first < due_count; first += TEAMS) {
        bool busy = first + team < due_count;
        uint at = due[min(first + team, due_count - 1u)].x, element = due[min(first + team, due_count - 1u)].y;
        uint used = busy ? counts[at] : 0u;
        for (uint i = 4u * lane; i < used; i += 4u * TEAM) stage(element, team, i, used);
        memoryBarrierImage();
        meet();
        rank_all(element, at, team, lane, used);
        memoryBarrierImage();
        meet();
        if (busy && lane == 0u) counts[at] = min(used, keep);
    }
    meet();
    if (gl_LocalInvocationIndex == 0u) due_count = 0u;
    meet(); // the last sweep may follow at once
}

// ---- all ---------------------------------------------------------------------------------------------

void begin(uint own, uint side, bool fresh) {
    uint me = gl_LocalInvocationIndex;
    if (me == 0u) full = due_count = 0u;
    if (me >= TILE) return;
    bool ours = row_first + own + me < row_end;
    uvec2 was = ours && !fresh ? progress_load(own + me) : uvec2(0u, 0x7f800000u);
    counts[side + me] = was.x;
    limits[side + me] = ours ? int(was.y) : -1;
#if ACROSS
    own_label[me] = ours ? query(own + me).y : 0u;
#endif
}

void end(uint own, uint side) {
    uint me = gl_LocalInvocationIndex;
    if (me < TILE && row_first + own + me < row_end)
        progress_store(own + me, uvec2(counts[side + me], uint(limits[side + me])));
}

// After a tile: whether there may not be room for another. All agree.
bool is_full() {
    memoryBarrierImage();
    meet();
    bool due = full != 0u;
    meet();
    if (due && gl_LocalInvocationIndex == 0u) full = 0u;
    return due;
}

#if BOTH
// Where the limit's own index is greater than all of the other block's, what equals it comes before it.
void be_lenient(uint own, uint side, uint other) {
    uint me = gl_LocalInvocationIndex;
    if (me >= TILE) return;
    int limit = limits[side + me];
    bool swept = limit >= 0 && limit != 0x7f800000;
    lenient[side + me] = swept && list_load(own + me, keep - 1u).y > other ? 1 : 0;
}

uvec2 blocks_of(uint group) {
    uint blocks = (n - 1u) / TILE + 1u, low = turn / 2u + 1u;
    if (turn == blocks) return uvec2(group);
    uint first = group < low ? group : turn + 1u + group - low;
    return uvec2(first, group < low ? turn - first : turn + blocks - first);
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, tx = me % 16u, ty = me / 16u;
    uvec2 of = blocks_of(group) * TILE;
    bool last = turn * TILE >= n, two = of.x != of.y;
    begin(of.x, 0u, turn == 0u);
    begin(of.y, TILE, turn == 0u);
    meet();
    be_lenient(of.x, 0u, of.y);
    be_lenient(of.y, TILE, of.x);
    meet();
    if (!last) {
        add_up(of.x, of.y, tx, ty);
        select(of.x, of.y, two, tx, ty);
    }
    if (is_full() || last) sweep(of, last);
    end(of.x, 0u);
    if (two) end(of.y, TILE);
}
#else
void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, tx = me % 16u, ty = me / 16u, own = group * TILE;
    begin(own, 0u, column_first == 0u);
    meet();
    for (uint column = column_first; column < column_end; column += TILE) {
        add_up(row_first + own, column, tx, ty);
        select(own, column, false, tx, ty);
        if (is_full()) sweep(uvec2(own), false);
    }
    if (last_span != 0u) sweep(uvec2(own), true);
    end(own, 0u);
}
#endif
