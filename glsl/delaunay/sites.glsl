// The points in order. A point that equals one before it in the input is no site: `same` names the first such point.
#include "delaunay/fixed.glsl"
#include "delaunay/counters.glsl"

bool key_less(uvec2 a, uvec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

uint first_with(uvec2 key, uint end) {
    uint low = 0u, high = end;
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (key_less(items(middle).xy, key)) low = middle + 1u;
        else high = middle;
    }
    return low;
}

// Points of one key are in order of their rows.
uint first_equal(uint e, uvec4 item, uvec4 bits) {
    uint from = first_with(item.xy, e), end = min(e, from + MOST_ALIKE);
    for (uint other = from; other < end; other++) {
        uint r = items(other).z;
        if (points(r) == bits) return r;
    }
    counters_atomic_add(ALIKE, 1u);
    if (end < e) counters_atomic_add(CROWDED, 1u);
    return item.z;
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= n) return;
    uvec4 item = items(e), bits = points(item.z);
    uint first = item.z;
    if (e > 0u && items(e - 1u).xy == item.xy) first = first_equal(e, item, bits);
    if (first != item.z) counters_atomic_add(COPIES, 1u);
    same_store(item.z, first);
    row_store(e, item.z);
    site_store(e, first == item.z ? fixed_point(bits) : uvec4(NO_SITE));
}
