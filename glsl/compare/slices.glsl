// Adds to the sum of each two diagrams what they differ by on some lines. A diagram is on a line a list of steps, in order:
// its points step up, their places on the diagonal down, and the two differ by the area between their stairs. A step is its
// place on the line, times two, and 1 if it goes down.
//   first      where a diagram's steps begin on a line; lines begin at `origin`, one after the other `stride` farther
//   sum        of two diagrams, low word first; those of a group are i and j in a tile of 16 by 16 below the diagonal, of
//              which the first group takes tile `from`
uint row_of(uint tile) {
    uint row = uint((sqrt(8.0 * float(tile) + 1.0) - 1.0) * 0.5);
    if (row * (row + 1u) / 2u > tile) row--;
    if ((row + 1u) * (row + 2u) / 2u <= tile) row++;
    return row;
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, tile = from + group, row = row_of(tile), column = tile - row * (row + 1u) / 2u;
    uint i = row * 16u + me / 16u, j = column * 16u + me % 16u;
    if (i >= n || j >= i) return;
    uint e = group * 256u + me;
    uvec2 total = begun != 0u ? sum_load(e) : uvec2(0u);
    uint begin_a = first(i), end_a = first(i + 1u), begin_b = first(j), end_b = first(j + 1u);
    for (uint line = 0u; line < lines; line++) {
        uint a = origin + begin_a + line * stride, b = origin + begin_b + line * stride;
        uint left_a = end_a - begin_a, left_b = end_b - begin_b;
        uint next_a = left_a > 0u ? steps(a) : 0xffffffffu, next_b = left_b > 0u ? steps(b) : 0xffffffffu;
        uint before = min(next_a, next_b) >> 1;
        int height = 0;
        while (left_a + left_b > 0u) {
            bool of_a = next_a <= next_b;
            uint now = of_a ? next_a : next_b, high, low, carry;
            umulExtended(uint(abs(height)), (now >> 1) - before, high, low);
            total.x = uaddCarry(total.x, low, carry);
            total.y += high + carry;
            before = now >> 1;
            height += of_a == ((now & 1u) == 0u) ? 1 : -1;
            if (of_a) next_a = --left_a > 0u ? steps(++a) : 0xffffffffu;
            else next_b = --left_b > 0u ? steps(++b) : 0xffffffffu;
        }
    }
    sum_store(e, total);
}
