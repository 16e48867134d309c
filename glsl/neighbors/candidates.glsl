// The candidates of a tile's points: sums below a point's limit are appended to its list, in no order.
//   SIDES 1: rows have candidates; 2: columns too, their limits behind those of the rows
// list: the candidates so far of each point (bits of the sum, index). Sums are not negative, so that their order is that of
// their bits.
//
// The including shader defines
//   void offer(uint own, uint at, uint index, float value)   appends a candidate to the list of element `own`, unless it is
//                                                        none; at: the point's place in limits
//   int limit_of(uint i)                                 the limit of the point at place i
//   uvec2 admitted(uint column, uint tx, uint ty)        the pairs that may be candidates at all, as rows_below has them

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

#if SHARED
#define NONE_BELOW(r, l)                                                \
    !(any(lessThan(floatBitsToInt(sum[2 * (r)]), max(ivec4(l), t0))) || \
      any(lessThan(floatBitsToInt(sum[2 * (r) + 1]), max(ivec4(l), t1))))
#define FIND(r) hits |= NONE_BELOW(r, limit_of(place(ty, uint(r)))) ? 0u : 1u << uint(r);
#define TAKE(r) \
    if (uint(r) == hit) low = sum[2 * (r)], high = sum[2 * (r) + 1];

// bits: those of the eight sums of a row below its limit and, in the next eight bits, those below the limits of their columns.
void offer_row(uint row, uint column, uint r, uint tx, vec4 low, vec4 high, uint bits) {
    while (bits != 0u) {
        uint b = uint(findLSB(bits)), c = place(tx, b & 7u);
        vec4 four = (b & 4u) == 0u ? low : high;
        vec2 two = (b & 2u) == 0u ? four.xy : four.zw;
        float value = (b & 1u) == 0u ? two.x : two.y;
        bool back = b >= 8u;
        offer(back ? column + c : row + r, back ? TILE + c : r, back ? row + r : column + c, value);
        bits &= bits - 1u;
    }
}

void select(uint row, uint column, bool two, uint tx, uint ty) {
    uvec2 may = admitted(column, tx, ty);
    uint mask = two ? 0xffffu : 0xffu, at = TILE + 4u * tx;
#if SIDES == 2
    ivec4 t0 = ivec4(limit_of(at), limit_of(at + 1u), limit_of(at + 2u), limit_of(at + 3u));
    ivec4 t1 = ivec4(limit_of(at + 64u), limit_of(at + 65u), limit_of(at + 66u), limit_of(at + 67u));
#else
    ivec4 t0 = ivec4(-1), t1 = ivec4(-1);
#endif
    uint hits = 0u;
#repeat 8 FIND(@)
    // The rows that have any in a loop, because compilers write calls out.
    for (; hits != 0u; hits &= hits - 1u) {
        uint hit = uint(findLSB(hits)), r = place(ty, hit);
        int l = limit_of(r);
        vec4 low = vec4(0), high = low; // by constant indices only: sum stays in registers
#repeat 8 TAKE(@)
        ivec4 a = floatBitsToInt(low), b = floatBitsToInt(high);
        uint bits = bits_of(lessThan(a, ivec4(l))) | bits_of(lessThan(b, ivec4(l))) << 4;
#if SIDES == 2
        bits |= bits_of(lessThan(a, t0)) << 8 | bits_of(lessThan(b, t1)) << 12;
#endif
        uint row_may = (hit < 4u ? may.x : may.y) >> 8u * (hit & 3u) & 0xffu;
        offer_row(row, column, r, tx, low, high, bits & mask & row_may * 0x101u);
    }
}
#else
// Offers the rows, and with `two` the columns, the sums below their limits. A loop turn makes one offer: so an offer that
// is not made costs nothing, even where a branch only masks its instructions (llvmpipe). row: the tile's first element of
// list; column: its first point.
void select(uint row, uint column, bool two, uint tx, uint ty) {
    uvec2 may = admitted(column, tx, ty);
    uvec4 bits = uvec4(rows_below(ty) & may, 0u, 0u);
#if SIDES == 2
    if (two) bits.zw = columns_below(tx) & may;
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
#endif
