// One digit of a stable radix sort. An invocation goes through `span` consecutive items with 256 counters of its own
// in shared memory; no invocation waits for another.
//   MOVE  0: counts[digit · parts + part] = how many items of the part have the digit
//         1: counts has been scanned: where the part's items of the digit go
#define DIGITS 256u
shared uint counter[DIGITS * LOCAL];

// A loop over all digits, 16 at a time. Compilers do not know that shift is below 64, and so do not write it out: that would
// take them ten times as long as all else.
#define EACH_DIGIT(d)                                                           \
    for (uint first_ = 0u; first_ < (shift < 64u ? DIGITS : 0u); first_ += 16u) \
        for (uint d = first_; d < first_ + 16u; d++)

uint digit(uvec4 item) { return (shift < 32u ? item.y >> shift : item.x >> (shift - 32u)) & (DIGITS - 1u); }

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, part = group * LOCAL + me;
    if (part >= parts) return;
    uint first = part * span, end = min(n, first + span);
    EACH_DIGIT(d)
#if MOVE
    counter[d * LOCAL + me] = counts(d * parts + part);
#else
    counter[d * LOCAL + me] = 0u;
#endif
    for (uint e = first; e < end; e++) {
        uvec4 item = items(e);
        uint at = digit(item) * LOCAL + me, place = counter[at];
        counter[at] = place + 1u;
#if MOVE
        moved_store(place, 0u, item);
#endif
    }
#if !MOVE
    EACH_DIGIT(d) counts_store(d * parts + part, 0u, counter[d * LOCAL + me]);
#endif
}
