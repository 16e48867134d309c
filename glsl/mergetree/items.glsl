// Branches as radix_item has them: {vertex, key} where one begins, {key, vertex} where it ends; all bits if it does not.
void kernel(uint group) {
    uint p = group * LOCAL + gl_LocalInvocationIndex;
    if (p >= n) return;
    uvec4 own = ends(p);
    items_store(p, 0u, uvec4(own.wz, ~own.xy));
}
