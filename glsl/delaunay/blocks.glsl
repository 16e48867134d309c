// A merger of two blocks, [start, middle) and [middle, …), and where it stands: state(start / 2) has the unused
// pairs of the left block, later of both; state(middle / 2) those of the right one, later (stage, and what that stage
// keeps). A stage that is not done goes on where it stands, with every sign that it has found: so each pass over a
// level gets at least one more sign for each group, and the level ends.
#define TANGENT 0u // two edges: of the left block's hull, clockwise, and of the right one's, counter-clockwise
#define ZIP 1u  // the base edge, from right to left
#define DONE 2u
#define NOTHING_KNOWN 63u // of the signs of a step of ZIP

uint start, middle;

// Whether the invocation has a merger.
bool locate_merger(uint group) {
    uint j = group * LOCAL + gl_LocalInvocationIndex;
    start = 2u * half_size * j;
    middle = start + half_size;
    return j < mergers;
}

// cost: mergers that are not done; of these, left uncertain; steps that were completed; signs found in integers.
void report(bool done, bool uncertain, uint steps, uint exact) {
    if (!done) cost_atomic_add(0u, 1u);
    if (uncertain) cost_atomic_add(1u, 1u);
    cost_atomic_add(2u, steps);
    if (exact > 0u) cost_atomic_add(3u, exact);
}
