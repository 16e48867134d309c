// The minima of some components.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e < count) found_store(e, minimum(ids(e)));
}
