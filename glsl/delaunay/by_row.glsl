// Copies each point to the place of its row in the input.
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i < n) by_row_store(row(i), 0u, points(i));
}
