// How many simplices of each edge have to be looked at: EXTRA points out of its lune, at least one of them far
// (rips/lune). Written: near and far points of edge `group`.
#include "rips/lune.glsl"

void kernel(uint group) {
    uvec2 ends = edges(group);
    uvec2 counts = lune_find(edge(ends.x, ends.y, gap(ends.x, ends.y)));
    if (gl_LocalInvocationIndex == 0u) found_store(group, 0u, counts);
}
