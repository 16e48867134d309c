// Each component learns of some edges out of it: those between points that follow one another in the order of the index.
// Its least edge is none that is longer, so that no point searches without a limit.
//   POWER: as in lib/norm.glsl; CORES 1: sums become mutual reachabilities, as in index/across.glsl
// rows: as src/index/textures.c lays them out; best_high: of each component the high word of a sum.
#include "lib/norm.glsl"

double sum_of(uint v, uint w) {
    double s = 0.0lf;
    for (uint c = 0u; c < columns; c++) {
        uvec4 a = rows(v, c / 2u), b = rows(w, c / 2u);
        precise double d = packDouble2x32(c % 2u == 0u ? a.xy : a.zw) - packDouble2x32(c % 2u == 0u ? b.xy : b.zw);
        s = add(s, d);
    }
#if CORES
    s = max(s, max(packDouble2x32(cores(v)), packDouble2x32(cores(w))));
#endif
    return s;
}

void lower(uint component, uint high) {
    if (high < best_high_load(component)) best_high_atomic_min(component, high);
}

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v + 1u >= n) return;
    uint own = label(v), other = label(v + 1u);
    if (own == other) return;
    uint high = unpackDouble2x32(sum_of(v, v + 1u)).y;
    lower(own, high);
    lower(other, high);
}
