// Every vertex learns the new number of its minimum.
void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v < n) basin_store(v, 0u, place(basin_load(v, 0u) ^ 0x80000000u) | 0x80000000u);
}
