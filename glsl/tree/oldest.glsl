// The oldest component at the vertex of each edge, among edges that lie at one: its elder, or while that ends at an edge at the same
// vertex, the elder there. At most 64 steps a run; counts[0] is raised if one is not there: what parent holds by then is on
// the way.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 at = items(e).xy;
    uint who = parent_load(e, 0u), next = end(who), turn = 0u;
    for (; turn < 64u && next != 0xffffffffu && items(next).xy == at; turn++) {
        who = parent_load(next, 0u);
        next = end(who);
    }
    if (turn != 0u) parent_store(e, 0u, who);
    if (turn == 64u) counts_atomic_max(0u, 1u);
}
