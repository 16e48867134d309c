// Rows of the linkage matrix: the key of the height, the ends of the edge; the clusters that it joins, the smaller first, and
// the size.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint a = child(e, 0u), b = child(e, 1u);
    rows_store(e, 0u, items(e));
    rows_store(e, 1u, uvec4(min(a, b), max(a, b), size(e), 0u));
}
