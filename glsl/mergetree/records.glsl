// The list of branches, as glshape_branch has them: {birth, death, parent, -}, then both values as doubles, the low word first.
// ends, parent: as tree_elders has them.
#include "field/value.glsl"

void kernel(uint group) {
    uint p = group * LOCAL + gl_LocalInvocationIndex;
    if (p >= n) return;
    uvec4 own = ends(p);
    bool falls = p >= essential;
    uint to = falls ? birth(parent(n - 1u - p)).y : own.w;
    records_store(p, 0u, uvec4(own.w, falls ? ~own.y : 0xffffffffu, to, 0u));
    records_store(p, 1u, uvec4(value_of(own.z), falls ? value_of(~own.x) : uvec2(0u, 0x7ff00000u)));
}
