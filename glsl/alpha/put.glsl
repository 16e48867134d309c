// Puts items back: moved has an item each, then its place and whether its radius equals that of the next one.
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i >= n) return;
    uvec4 to = moved(i, 1u);
    item_store(to.x, 0u, moved(i, 0u));
    tie_store(to.x, 0u, to.y);
}
