// Persistence landscapes: the greatest tents at each sample of a diagram, in order. If two are equal, the later pair comes later.
//   first      where a diagram's pairs begin
//   pairs      low end, high end: two singles each
//   curves     levels of samples of each diagram
#include "compare/tent.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex, diagram = e / samples, j = e % samples;
    if (diagram >= diagrams) return;
    uint begin = first(diagram), end = first(diagram + 1u), before = begin;
    vec2 at = grid(j);
    float most = 8.0; // above all
    for (uint level = 0u; level < levels; level++) {
        float best = 0.0;
        uint which = end;
        for (uint k = begin; k < end; k++) {
            float t = tent(pairs(k), at);
            bool is_left = t < most || (t == most && k > before);
            if (is_left && t > best) best = t, which = k;
        }
        most = best;
        before = which;
        curves_store((diagram * levels + level) * samples + j, best);
    }
}
