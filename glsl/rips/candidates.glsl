// Counts the admissible points of each edge: near ones and far ones (rips/lune). A simplex that may be in no apparent pair
// has at least one that is far.
#include "rips/lune.glsl"

void kernel(uint group) {
    uvec2 ends = edges(group);
    uvec2 counts = find_lune(edge(ends.x, ends.y, edge_length(ends.x, ends.y)));
    if (gl_LocalInvocationIndex == 0u) found_store(group, 0u, counts);
}
