// Puts pairs of equal dissimilarity, of which there are at most FEW, in order of their keys. An invocation takes those that
// begin with its pair.
const uint FEW = 32u;

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= n) return;
    uint tie = items_load(e).x;
    if (e > 0u && items_load(e - 1u).x == tie) return;
    for (uint k = e + 1u; k < min(n, e + FEW); k++) {
        uvec4 item = items_load(k);
        if (item.x != tie) return;
        uint at = k;
        for (uint back = 0u; back < FEW && at > e && items_load(at - 1u).y > item.y; back++, at--)
            items_store(at, items_load(at - 1u));
        items_store(at, item);
    }
}
