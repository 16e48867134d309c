// close(i) = 1 where the keys of items i and i + 1 are too close to order their radii: they differ by at most 1 in the
// bits from `shift` on. Items are sorted by these bits.
uint low_word(uvec2 a) { return shift == 0u ? a.x : a.x >> shift | a.y << (32u - shift); } // shift < 32

void kernel(uint i) {
    uvec2 a = item(i).yx, b = item(min(i + 1u, n - 1u)).yx;
    a = uvec2(low_word(a), a.y >> shift);
    b = uvec2(low_word(b), b.y >> shift);
    uint borrow, low = usubBorrow(b.x, a.x, borrow), high = b.y - a.y - borrow;
    close = i + 1u < n && high == 0u && low <= 1u ? 1u : 0u;
}
