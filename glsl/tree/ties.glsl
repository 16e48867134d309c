// Items that are sorted by their first words, in their order by all four. An item looks at those with the same first words; where
// these are more than MOST before it or behind it, counts[0] is raised, and nothing is right.
//   BY 0: x is the first word; 1: y is, then come x, z, w; 2: x and y are
#if BY < 0 || BY > 2
#error BY must be 0, 1 or 2
#endif
#define MOST 40u

uvec4 in_order(uvec4 item) { return BY == 1 ? item.yxzw : item; }

bool are_tied(uvec4 a, uvec4 b) { return a.x == b.x && (BY != 2 || a.y == b.y); }

bool comes_before(uvec4 a, uint a_at, uvec4 b, uint b_at) {
    if (a.y != b.y) return a.y < b.y;
    if (a.z != b.z) return a.z < b.z;
    return a.w != b.w ? a.w < b.w : a_at < b_at;
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 item = items(e), own = in_order(item), other;
    uint start = e, end = e + 1u, to = e;
    for (; start > 0u && e - start < MOST && are_tied(other = in_order(items(start - 1u)), own); start--)
        if (comes_before(own, e, other, start - 1u)) to--;
    for (; end < count && end - e < MOST && are_tied(other = in_order(items(end)), own); end++)
        if (comes_before(other, end, own, e)) to++;
    if (e - start == MOST || end - e == MOST) counts_atomic_max(0u, 1u);
    sorted_store(to, 0u, item);
}
