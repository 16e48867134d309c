// Brings the numbers of blocks to the pairs in them, in both rows of a matrix. An invocation takes a pair.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= n) return;
    uint low = 0u, high = count; // the block begins at or before e; it ends behind it
    for (uint turn = 0u; turn < 32u && high - low > 1u; turn++) {
        uint middle = (low + high) / 2u;
        if (begins(middle) <= e) low = middle;
        else high = middle;
    }
    uvec2 pair = items(e).zw;
    fitted_store(pair.x, pair.y, values(low));
    fitted_store(pair.y, pair.x, values(low));
}
