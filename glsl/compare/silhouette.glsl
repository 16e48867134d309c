// Persistence silhouettes, not yet divided: of each diagram and sample the weighted sum of its pairs' tents. The sum is
// compensated.
//   first      where a diagram's pairs begin
//   pairs      low end, high end: two singles each
//   curves     samples of each diagram
#include "compare/tent.glsl"
#include "lib/add.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, diagram = e / samples;
    if (diagram >= diagrams) return;
    uint end = first(diagram + 1u);
    vec2 at = grid(e % samples);
    vec4 sum = vec4(0.0), low = sum;
    for (uint k = first(diagram); k < end; k++) {
        precise float term = weight(k) * tent(pairs(k), at);
        add(sum, low, vec4(term));
    }
    curves_store(e, sum.x + low.x);
}
