// The first row of each node. Nodes have as many rows as children in the split tree, by vertex.
//   STEP 0: rows gets how many, by vertex
//   STEP 1: first gets (the sum before, 0); start: rows, scanned
void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= count) return;
#if STEP == 0
    rows_store(by_vertex(k), split(k).y);
#else
    first_store(k, 0u, uvec2(start(by_vertex(k)), 0u));
#endif
}
