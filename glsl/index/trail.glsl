// The way of a walk through the tree. The including shader defines REAL, the type of bounds, and
//   REAL bound_of(uint node)                  what no point below the node is nearer than
//   bool is_wanted(uint node, REAL bound)     whether the node may have a point that is looked for
//   void look_at(uint position)               looks at a point
// and includes index/leaf.glsl.

// Walks on from (node, trail) for some turns. Returns the node to visit next, and its trail; node 0: it is done. It does
// not stop on the way up, which is at most as long as the tree is deep: so no node is visited twice.
uvec2 walk(uvec2 place, int turns) {
    uint node = place.x, trail = place.y;
    bool up = false;
    while (node != 0u && (turns > 0 || up)) {
        turns--;
        if (up) { // to the last node whose other half is still to be visited
            uint shift = uint(max(findLSB(trail), 0));
            node = trail == 0u ? 0u : (node >> shift) ^ 1u;
            trail = trail == 0u ? 0u : (trail >> shift) ^ 1u;
            up = node != 0u && !is_wanted(node, bound_of(node));
        } else if (node >= leaves) {
            uint at = leaf_start(node - leaves), end = leaf_start(node - leaves + 1u);
            turns -= int(end - at);
            for (; at < end; at++) look_at(at);
            up = true;
        } else {
            uint a = 2u * node;
            REAL first = bound_of(a), second = bound_of(a + 1u);
            bool go_first = is_wanted(a, first), go_second = is_wanted(a + 1u, second);
            bool near_second = go_second && !(go_first && first <= second);
            up = !go_first && !go_second;
            node = up ? node : a + uint(near_second);
            trail = up ? trail : trail << 1u | uint(go_first && go_second);
        }
    }
    return uvec2(node, trail);
}
