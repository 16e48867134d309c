// Puts the edges that were kept behind those kept before.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e < count) edges_store(first + e, rest(e));
}
