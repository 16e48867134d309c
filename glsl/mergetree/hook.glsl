// The elder rule on lowest edges. If the lowest edge of a component leads to an older component, the component ends
// there: below that edge it touches no other component. It hooks to the older one; if several such edges lie at one
// vertex, any of them will do. Hooks lead to ever older components, so they close no circle; and from hook to hook the
// lowest edges do not rise. Components outside of a slab come after its minima; when they begin is not known, so they
// count as young.
#include "mergetree/ended.glsl"

bool older(uint c, uint d) {
    if (c >= minima || d >= minima) return c < minima;
    uint a = minimum(c), b = minimum(d);
    return lower(key(a), a, key(b), b);
}

void hook(uint c, uint to) {
    if (depth_load(c) == SEEN) return;
    label_store(c, to);
    depth_store(c, ENDED | round);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec4 edge = edges(e);
    bool a = best_key(edge.z) == edge.y && best_at(edge.z) == edge.x;
    bool b = best_key(edge.w) == edge.y && best_at(edge.w) == edge.x;
    if (!a && !b) return;
    bool first = older(edge.z, edge.w);
    if (a && !first) hook(edge.z, edge.w);
    if (b && first) hook(edge.w, edge.z);
}
