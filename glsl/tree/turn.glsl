// Items with their first two words behind the others.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e < count) turned_store(e, 0u, items(e).zwxy);
}
