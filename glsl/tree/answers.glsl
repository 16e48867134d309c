// Gives points what searches have found: a candidate, or a sum that all their edges reach at least: the next after one
// whose low word has all bits, up to which there is none.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint v = asked(first + e), other = found(e);
    to_store(v, 0u, other);
    sum_store(v, 0u, other == 0xffffffffu ? uvec2(0u, min(sums(e).y + 1u, 0x7ff00000u)) : sums(e));
}
