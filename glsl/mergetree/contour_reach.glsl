// reach = of each node the number of its branch in the tour, and the first number behind the branches that begin below the node.
// tour(e).y: how many branches there are from a stop on.
#include "mergetree/contour_turned.glsl"

void kernel(uint group) {
    uint t = group * LOCAL + gl_LocalInvocationIndex;
    if (t >= count) return;
    uvec4 own = items(turned(t));
    uint number = branches - tour(row(own.y)).y, beyond = number + 1u, f = before(t) + forks(t);
    if (f > 0u && items(turned(fork(f - 1u))).y == own.y) beyond = branches - tour(branches + f - 1u).y;
    reach_store(own.z, 0u, uvec2(number, beyond));
}
