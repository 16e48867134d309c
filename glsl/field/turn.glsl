// The keys of a field from its other end: what comes last comes first, of values and of vertices.
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v < n) turned_store(v, ~key(n - 1u - v));
}
