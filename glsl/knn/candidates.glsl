// The candidates of a tile's points: sums below a point's limit are appended to its list, in no order.
//   CAPACITY 256, 512: room for a point's candidates
//   SIDES 1: rows have candidates; 2: columns too, their counts and limits behind those of the rows
// list: the candidates so far of each point (bits of the sum, index). When a list has more than CROWD of them, so that
// those of another tile might not fit, a sweep (sweep.glsl) keeps the `keep` least by (sum, index), in order; the sum of
// the last is the new limit. Sums are not negative, so that their order is that of their bits.
//
// The including shader defines
//   bool is_own(uint own, uint index)                    whether point `index` is the point of element `own` of list
//   int limit_of(uint i)                                 the limit of the point at place i of counts
//   uvec2 admitted(uint column, uint tx, uint ty)        the pairs that may be candidates at all, as pass_below has them
#define CROWD (uint(CAPACITY) - TILE - 8u) // of CAPACITY 256: one tile is enough

// Appends a candidate to a list. own: the point's element of list; at: its place in counts.
void offer(uint own, uint at, uint index, float value) {
    if (index >= column_end || is_own(own, index)) return;
    uint slot = atomicAdd(counts[at], 1u);
    if (slot >= CROWD) full = 1u;
    list_store(own, slot, uvec2(floatBitsToUint(value), index));
}

// sum at bit 8 · r + c, by constant indices only: sum stays in registers.
float pick(uint b) {
    vec4 four = sum[0];
    for (int i = 1; i < 16; i++) four = uint(i) == b >> 2 ? sum[i] : four;
    vec2 two = (b & 2u) == 0u ? four.xy : four.zw;
    return (b & 1u) == 0u ? two.x : two.y;
}

// Compares four or eight sums with their limits, into bits: of row r bits 8 · r … 8 · r + 7, four rows in 32 bits.
// clang-format off
#define FOUR_BELOW(v, limit) bits_of(lessThan(floatBitsToInt(v), limit))
#define EIGHT_BELOW(r, t0, t1) ((FOUR_BELOW(sum[2 * (r)], t0) | FOUR_BELOW(sum[2 * (r) + 1], t1) << 4) << (8u * (uint(r) & 3u)))
#define ROW_BELOW(r) EIGHT_BELOW(r, ivec4(limit_of(place(ty, uint(r)))), ivec4(limit_of(place(ty, uint(r)))))
// clang-format on

uint bits_of(bvec4 b) { return uint(b.x) | uint(b.y) << 1 | uint(b.z) << 2 | uint(b.w) << 3; }

// Which sums lie below the limits of their rows.
uvec2 rows_below(uint ty) {
    uvec2 bits = uvec2(0u);
#repeat 4 bits.x |= ROW_BELOW(@);
#repeat 4 bits.y |= ROW_BELOW(@+4);
    return bits;
}

#if SIDES == 2
// Which sums lie below the limits of their columns.
uvec2 columns_below(uint tx) {
    uvec2 bits = uvec2(0u);
    uint at = TILE + 4u * tx;
    ivec4 t0 = ivec4(limit_of(at), limit_of(at + 1u), limit_of(at + 2u), limit_of(at + 3u));
    ivec4 t1 = ivec4(limit_of(at + 64u), limit_of(at + 65u), limit_of(at + 66u), limit_of(at + 67u));
#repeat 4 bits.x |= EIGHT_BELOW(@, t0, t1);
#repeat 4 bits.y |= EIGHT_BELOW(@+4, t0, t1);
    return bits;
}
#endif

// Offers the rows, and with `two` the columns, the sums below their limits. A loop turn makes one offer: so an offer that
// is not made costs nothing, even where a branch only masks its instructions (llvmpipe). row: the tile's first element of
// list; column: its first point.
void select(uint row, uint column, bool two, uint tx, uint ty) {
    uvec4 bits = uvec4(rows_below(ty) & admitted(column, tx, ty), 0u, 0u);
#if SIDES == 2
    if (two) bits.zw = columns_below(tx);
#endif
    while (bits != uvec4(0u)) {
        bool back = (bits.x | bits.y) == 0u, upper = (back ? bits.z : bits.x) == 0u;
        uint word = back ? (upper ? bits.w : bits.z) : (upper ? bits.y : bits.x);
        uint b = uint(findLSB(word)) + (upper ? 32u : 0u), r = place(ty, b >> 3), c = place(tx, b & 7u);
        offer(back ? column + c : row + r, back ? TILE + c : r, back ? row + r : column + c, pick(b));
        word &= word - 1u;
        bits = uvec4(!back && !upper ? word : bits.x, !back && upper ? word : bits.y, back && !upper ? word : bits.z,
                     back && upper ? word : bits.w);
    }
}
