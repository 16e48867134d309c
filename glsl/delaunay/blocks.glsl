// The state of a merger of two blocks, [start, middle) and [middle, …). Before the merger, state(start / 2) has the
// unused pairs of edges of the left block and state(middle / 2) those of the right one. From then on state(start / 2)
// has those of both, and state(middle / 2) has the stage and what the stage needs.
// A pass that does not finish a merger stores all signs that it has found. So the next pass continues there and finds
// at least one more sign in each group, and the level ends.
#define TANGENT 0u // keeps two edges: of the left block's hull, clockwise, and of the right one's, counter-clockwise
#define ZIP 1u     // keeps the base edge, from right to left
#define DONE 2u
#define NOTHING_KNOWN 63u // of the signs of a step of ZIP

uint start, middle;

// Sets start and middle. Returns false if the invocation has no merger.
bool locate_merger(uint group) {
    uint j = group * LOCAL + gl_LocalInvocationIndex;
    start = 2u * half_size * j;
    middle = start + half_size;
    return j < mergers;
}

// Adds to cost: mergers that are not done; of these, those that an uncertain sign stopped; steps completed; signs found
// in integers.
void report(bool done, bool uncertain, uint steps, uint exact) {
    if (!done) cost_atomic_add(0u, 1u);
    if (uncertain) cost_atomic_add(1u, 1u);
    cost_atomic_add(2u, steps);
    if (exact > 0u) cost_atomic_add(3u, exact);
}
