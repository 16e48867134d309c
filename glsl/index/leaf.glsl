// The first position of the points of a leaf, as index_leaf_start has it. firsts: of each bucket; each: leaves of a bucket,
// a power of two.
uint leaf_start(uint leaf) {
    uint shift = uint(findMSB(each)), bucket = leaf >> shift, from = firsts(bucket), high, low;
    umulExtended(leaf & (each - 1u), firsts(bucket + 1u) - from, high, low);
    return from + (shift == 0u ? low : low >> shift | high << (32u - shift));
}
