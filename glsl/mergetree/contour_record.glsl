// The nodes that are left, as contour_node has them, numbered by their places in the list.
//   STEP 0: place gets them
//   STEP 1: children of both trees from bits 0 and 31 on, parents; no edges, no arc, the place
const uint NONE = 0xffffffffu;

#if STEP == 1
uint place_of(uint k) { return k == NONE ? NONE : place(k); }
#endif

void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= count) return;
    uint k = list(i);
#if STEP == 0
    place_store(k, i);
#else
    uint high = high_children(k);
    node_store(i, 0u,
               uvec4(low_children(k) | high << 31, high >> 1, place_of(low_parent(k)), place_of(high_parent(k))));
    node_store(i, 1u, uvec4(NONE, NONE, NONE, i));
#endif
}
