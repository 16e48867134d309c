// The keys of a field in reversed order, with the outside around it, whose key is 0. nx, ny, nz: of the reversed field;
// outside: a bit for x, y, z: whether there is an outside at either end. key: of the field, backwards. Keys below `unused`
// become greater by 1, so that none is 0.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= nx * ny * nz) return;
    uvec3 pad = uvec3(outside, outside >> 1, outside >> 2) & 1u, size = uvec3(nx, ny, nz) - 2u * pad;
    uint row = e / nx, z = row / ny;
    uvec3 p = uvec3(e - row * nx, row - z * ny, z) - pad, back = size - 1u - p;
    bool inside = all(lessThan(p, size)); // p wraps below 0, too
    uint k = inside ? ~key((back.z * size.y + back.y) * size.x + back.x) : 0u;
    reversed_store(e, 0u, inside && k < unused ? k + 1u : k);
}
