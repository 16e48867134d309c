// Guides from nodes to arcs, as rows.glsl has them. node: as contour_arcs.glsl has it; arc: as contour_ways.glsl has it.
const uint NONE = 0xffffffffu;

uvec2 arc_of(uint name) { return name == NONE ? uvec2(NONE, 0u) : arc(name); }

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uvec4 own = node(k);
    guide_store(k, 0u, uvec4(arc_of(own.x), below(k)));
    guide_store(k, 1u, uvec4(arc_of(own.y), above(k)));
}
