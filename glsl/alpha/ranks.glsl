// The ranks of the faces: before(i) + begins(i) is the number of different radii up to item i.
//   STEP  0: writes the rank of each face, and the smallest face of each rank
//         1: writes that face, and its key: so the radius of a rank does not depend on the order of equal radii
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= n) return;
    uvec4 it = item(i);
    uint r = before(i) + begins(i);
#if STEP == 0
    rank_store(it.z, 0u, r);
    if (least_load(r - 1u) > it.z) least_atomic_min(r - 1u, it.z);
#else
    if (least(r - 1u) != it.z) return;
    radius_store(r - 1u, 0u, it.yx);
    chosen_store(r - 1u, 0u, it.z);
#endif
}
