// Copies the rows of the queries in a list, side by side.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    for (uint t = 0u; t < texels; t++) picked_store(e, t, queries(list(e), t));
}
