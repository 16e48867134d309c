// The slots of nodes that lie side by side on their branches: at(slot) = (vertex, key), slot is that of a node. low and high
// are the first slot of a branch and the one behind its last, by the node where the branch begins.
void kernel(uint group) {
    uint s = group * LOCAL + gl_LocalInvocationIndex;
    if (s >= count) return;
    uvec4 own = items(s);
    at_store(s, 0u, own.wx);
    slot_store(own.z, s);
    if (s == 0u || items(s - 1u).y != own.y) low_store(own.y, s);
    if (s + 1u == count || items(s + 1u).y != own.y) high_store(own.y, s + 1u);
}
