// What keys, sorted by their bits from `shift` on, leave open.
//   STEP  0: close = 1 where the next key is so close, in these bits, that the order of the radii is in doubt
//         1: fresh = 1 where a radius is not that of the item before
#if STEP == 0
uint low_word(uvec2 a) { return shift == 0u ? a.x : a.x >> shift | a.y << (32u - shift); } // shift < 32

void kernel(uint i) {
    uvec2 a = item(i).yx, b = item(min(i + 1u, n - 1u)).yx;
    a = uvec2(low_word(a), a.y >> shift);
    b = uvec2(low_word(b), b.y >> shift);
    uint borrow, low = usubBorrow(b.x, a.x, borrow), high = b.y - a.y - borrow;
    close = i + 1u < n && high == 0u && low <= 1u ? 1u : 0u;
}
#else
void kernel(uint i) { fresh = i > 0u && same(i - 1u) != 0u ? 0u : 1u; }
#endif
