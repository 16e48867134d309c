// Moves what each vertex refers to into its own record: those from n on are free again.
void kernel(uint group) {
    uint u = group * LOCAL + gl_LocalInvocationIndex;
    if (u >= n) return;
    uint r = record_load(u);
    if (r == u) return;
    saddle_store(u, saddle_load(r));
    other_store(u, other_load(r));
    record_store(u, u);
}
