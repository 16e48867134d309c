// The list of arcs, as glshape_arc has them: {lower and upper vertex, regular vertices, -}, then both values as doubles, the low
// word first. items: as contour_arcs.glsl has them, in rows.
#include "field/value.glsl"

void kernel(uint group) {
    uint r = group * LOCAL + gl_LocalInvocationIndex;
    if (r >= count) return;
    uvec2 own = items(r).xy;
    records_store(r, 0u, uvec4(own, regular(r), 0u));
    records_store(r, 1u, uvec4(value_of(key(own.x)), value_of(key(own.y))));
}
