// Sorts the triangles of each first corner by their second one. If there are more than `most`, only counts that corner
// in too_long.
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint begin = first(v), end = begin + count(v);
    if (end - begin > most) {
        too_long_atomic_add(0u, 1u);
        return;
    }
    for (uint i = begin + 1u; i < end; i++) {
        uvec2 x = triangle_load(i);
        uint j = i;
        for (; j > begin; j--) {
            uvec2 y = triangle_load(j - 1u);
            if (y.x < x.x) break;
            triangle_store(j, y);
        }
        triangle_store(j, x);
    }
}
