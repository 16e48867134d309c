// holders: of each point, the merge where it leaves; of: of each merge, its cluster.
// marks: of each cluster, {the chosen one that it is in, the label of that, 1 if it is a leaf, 0}; all bits set: none.
// until_low, until_high: from which lambda on points are in the root, if it is chosen.
#include "hdbscan/double.glsl"

// Whether a point that leaves at lambda is in the chosen cluster, if there is one.
bool is_member(uint chosen, uvec2 lambda) {
    return chosen != 0xffffffffu && (chosen != 0u || !is_less(lambda, uvec2(until_low, until_high)));
}
