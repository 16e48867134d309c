// Swaps cell i for 1000 + i where it holds an even i; then adds 1 to the last cell by a loop of swaps.
void kernel(uint group) {
    uint i = gl_LocalInvocationIndex;
    was_store(i, cell_cas(i, 2u * (i / 2u), 1000u + i));
    for (uint turn = 0u; turn < 50000u; turn++) {
        uint now = cell_load(LOCAL);
        if (cell_cas(LOCAL, now, now + 1u) == now) break;
    }
}
