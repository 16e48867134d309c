// Doubles the paths of branches to their ancestors, {ancestor, how far up}; state[1] is raised if one went on. jump: 0, or how far
// up the paths are: branches whose depth has it as its lowest bit jump to the ancestor there.
#include "lib/raise.glsl"

// Returns true if the path went on.
bool go_on(uint p) {
    uvec2 own = up(p), far = up(own.x);
    uint deep = depth(p).y;
    next_store(p, 0u, uvec2(far.x, own.y + far.y));
    if (jump != 0u && (deep & (0u - deep)) == jump) {
        uvec4 to = branch_load(p, 0u);
        to.w = own.x;
        branch_store(p, 0u, to);
    }
    return far.y != 0u;
}

void kernel(uint group) {
    uint p = group * LOCAL + gl_LocalInvocationIndex;
    raise(p < n && go_on(p), 1u);
}
