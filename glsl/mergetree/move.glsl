// Appends the edges of this piece that are kept to those kept before, from `first` on.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e < count) edges_store(first + e, rest(e));
}
