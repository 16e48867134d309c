// Who ends at each edge of a round: the younger one of the elders of what it joins. parent: the older one.
#include "tree/older.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint rank = chains(first + e).z;
    uvec4 one = brought(e), now = along(e);
    uint falls = one.w;
    if (falls == 0xffffffffu) {
        uvec4 other = along(max(e, 1u) - 1u);
        falls = is_older(one, other) ? other.z : one.z;
    }
    elder_store(rank, 0u, now);
    fallen_store(rank, 0u, falls);
    parent_store(rank, 0u, now.z);
    end_store(falls, 0u, rank);
}
