// Writes the rank of each face, and the first item of each rank: before(i) + begins(i) is the number of different radii
// up to item i.
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= n) return;
    uvec4 it = item(i);
    uint r = before(i) + begins(i);
    rank_store(it.z, 0u, r);
    if (begins(i) != 0u) radius_store(r - 1u, 0u, it);
}
