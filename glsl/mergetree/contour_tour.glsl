// A tour around the tree of branches, in which a branch comes before those that end on it, and these in the order of the slots
// where they end. Its stops are the branches of the list and, behind these, the forks: slots where branches end, which are
// left once all that end there are done. tour = the next stop, all bits behind the last one, and 1 for a branch.
// fork: the slots of the forks, turned; before: of each slot, turned, how many of these are before it.
#include "mergetree/contour_turned.glsl"

const uint NONE = 0xffffffffu;

// From branch j, which begins at node `from`: f is the next fork, of this branch or another.
uint next_stop(uint j, uint from, uint f) {
    if (f < forks) {
        uvec4 at = items(turned(fork(f)));
        if (at.y == from) return head(at.z);
    }
    uint beside = next(j), to = ends(j).y;
    if (beside != NONE) return beside;
    return to == count ? NONE : branches + before(turned(slot(to)));
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= branches + forks) return;
    if (e < branches) {
        uint from = ends(e).x;
        tour_store(e, 0u, uvec2(next_stop(e, from, before(turned(slot(from)))), 1u));
    } else {
        uint from = items(turned(fork(e - branches))).y;
        tour_store(e, 0u, uvec2(next_stop(row(from), from, e - branches + 1u), 0u));
    }
}
