// Marks the vertices where branches of a tree begin and end: branch = (birth, death), the latter all bits if it does not end.
void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
    uvec2 own = branch(k);
    number_store(own.x, 1u);
    if (own.y != 0xffffffffu) number_store(own.y, 1u);
}
