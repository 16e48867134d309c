// The merge above each node: points, then merges. That of the last merge is itself.
void kernel(uint group) {
    uint rank = group * LOCAL + gl_LocalInvocationIndex;
    if (rank >= count) return;
    up_store(child(rank, 0u), 0u, rank);
    up_store(child(rank, 1u), 0u, rank);
    if (rank + 1u == count) up_store(n + rank, 0u, rank);
}
