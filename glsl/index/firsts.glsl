// Where the items of each bucket begin, which are in the order of buckets; behind the last bucket: their number.
void kernel(uint group) {
    uint bucket = group * LOCAL + gl_LocalInvocationIndex, low = 0u, high = count;
    if (bucket >= buckets + 2u) return;
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (items(middle).y < bucket) low = middle + 1u;
        else high = middle;
    }
    firsts_store(bucket, 0u, low);
}
