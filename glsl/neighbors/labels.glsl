// The pairs whose labels differ. The including shader has those of the rows, own_label; labels: element q has those of points
// 4q … 4q + 3.
#define ROW_OTHER(r) (others(own_label[place(ty, uint(r))], l0, l1) << (8u * (uint(r) & 3u)))

uint others(uint label, uvec4 l0, uvec4 l1) {
    bvec4 a = notEqual(l0, uvec4(label)), b = notEqual(l1, uvec4(label));
    return uint(a.x) | uint(a.y) << 1 | uint(a.z) << 2 | uint(a.w) << 3 | uint(b.x) << 4 | uint(b.y) << 5 |
           uint(b.z) << 6 | uint(b.w) << 7;
}

uvec2 admitted(uint column, uint tx, uint ty) {
    uint last = (n - 1u) / 4u;
    uvec4 l0 = labels(min(column / 4u + tx, last)), l1 = labels(min(column / 4u + tx + 16u, last));
    uvec2 bits = uvec2(0u);
#repeat 4 bits.x |= ROW_OTHER(@);
#repeat 4 bits.y |= ROW_OTHER(@+4);
    return bits;
}
