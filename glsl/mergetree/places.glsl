// Branches get the numbers of their places in the list: place is that of each old number, minimum the vertex of each place.
void kernel(uint group) {
    uint p = group * LOCAL + gl_LocalInvocationIndex;
    if (p >= n) return;
    uint v = ends(p).w;
    place_store(basin(v) ^ 0x80000000u, 0u, p);
    minimum_store(p, 0u, v);
}
