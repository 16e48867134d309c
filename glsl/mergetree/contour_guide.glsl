// Guides from nodes to arcs, as rows.glsl has them. edges: the node whose arc was made when the edge went; arc: as contour_ways.glsl has it.
const uint NONE = 0xffffffffu;

uvec2 arc_of(uint name) { return name == NONE ? uvec2(NONE, 0u) : arc(name); }

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    guide_store(k, 0u, uvec4(arc_of(low_edge(k)), below(k)));
    guide_store(k, 1u, uvec4(arc_of(high_edge(k)), above(k)));
}
