// The intervals of a dimension, as glshape_cubical_interval has them: {dimension, vertices of birth and death, -}, then both
// values as doubles, the low word first. pairs: {vertex, key, key, vertex} of birth and death, sorted by birth. A
// birth has a few intervals, which come by death.
#include "field/order.glsl"
#include "field/value.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, to = e;
    if (e >= count) return;
    uvec4 own = pairs(e);
    for (uint i = e; i > 0u; i--) {
        uvec4 other = pairs(i - 1u);
        if (other.xy != own.xy) break;
        if (lower(own.z, own.w, other.z, other.w)) to--;
    }
    for (uint i = e + 1u; i < count; i++) {
        uvec4 other = pairs(i);
        if (other.xy != own.xy) break;
        if (lower(other.z, other.w, own.z, own.w)) to++;
    }
    rows_store(to, 0u, uvec4(dimension, own.x, own.w, 0u));
    rows_store(to, 1u, uvec4(value_of(own.y), own.w == NONE ? uvec2(0u, 0x7ff00000u) : value_of(own.z)));
}
