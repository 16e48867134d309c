// Items that are sorted by their first word, by all four. An item looks at those with its first word; where these are more
// than MOST before it or behind it, counts[0] is raised, and nothing is right.
#define MOST 40u

bool comes_before(uvec4 a, uint a_at, uvec4 b, uint b_at) {
    if (a.y != b.y) return a.y < b.y;
    if (a.z != b.z) return a.z < b.z;
    return a.w != b.w ? a.w < b.w : a_at < b_at;
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 own = items(e), other;
    uint start = e, end = e + 1u, to = e;
    for (; start > 0u && e - start < MOST && (other = items(start - 1u)).x == own.x; start--)
        if (comes_before(own, e, other, start - 1u)) to--;
    for (; end < count && end - e < MOST && (other = items(end)).x == own.x; end++)
        if (comes_before(other, end, own, e)) to++;
    if (e - start == MOST || end - e == MOST) counts_atomic_max(0u, 1u);
    sorted_store(to, 0u, own);
}
