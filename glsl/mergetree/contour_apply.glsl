// What threads have found of the nodes that were left: node = (edges, other end of the arc, -), by places in the list.
const uint NONE = 0xffffffffu;

uint node_of(uint place) { return place == NONE ? NONE : list(place); }

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint k = list(i);
    uvec4 own = node(i);
    low_edge_store(k, node_of(own.x));
    high_edge_store(k, node_of(own.y));
    toward_store(k, node_of(own.z));
}
