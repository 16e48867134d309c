// Rows of the linkage matrix, as doubles of two words, the low one first: the clusters that are joined, the smaller first, the
// height and the size; and the ends of the edges. counts[0] is raised for a row that cannot be.
#include "lib/as_double.glsl"

// The height of a key (tree_height_of).
uvec2 height_of(uvec2 key) { return (key.x & 0x80000000u) != 0u ? uvec2(key.y, key.x ^ 0x80000000u) : ~key.yx; }

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 item = items(e);
    uint a = min(child(e, 0u), child(e, 1u)), b = max(child(e, 0u), child(e, 1u));
    if (a == b || b >= n + e || size(e) > n) counts_atomic_max(0u, 1u);
    rows_store(e, 0u, uvec4(as_double(a), as_double(b)));
    rows_store(e, 1u, uvec4(height_of(item.xy), as_double(size(e))));
    ends_store(e, 0u, item.zw);
}
