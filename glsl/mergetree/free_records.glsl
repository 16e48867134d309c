// Moves the triplet of each vertex u into record u: the records from n on are then free.
void kernel(uint group) {
    uint u = group * LOCAL + gl_LocalInvocationIndex;
    if (u >= n) return;
    uint r = record_load(u);
    if (r == u) return;
    saddle_store(u, saddle_load(r));
    other_store(u, other_load(r));
    record_store(u, u);
}
