// Points at the places of the rows that they come from.
void kernel(uint group) {
    uint i = group * LOCAL + gl_LocalInvocationIndex;
    if (i < n) by_row_store(row(i), 0u, points(i));
}
