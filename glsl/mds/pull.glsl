// What all others say of a point: a group takes one. The slope of half of Σw(d - d̂)², that of half of Σwd², and both sums.
#include "lib/barrier.glsl"

const float NONE = 3e38;
shared vec4 parts[3 * LOCAL];

void kernel(uint group) {
    uint k = gl_LocalInvocationIndex;
    vec4 slope = vec4(0), square = vec4(0), own = place_in(group);
    vec2 sum = vec2(0);
    for (uint j = k; j < n; j += LOCAL) {
        float wanted = fitted(group, j);
        if (!(wanted < NONE)) continue;
        vec4 apart = own - place_in(j);
        float d = length(apart), off = d - wanted;
#if WEIGHTED
        float weight = weights(group, j);
#else
        const float weight = 1.0;
#endif
        if (d > 0.0) slope += weight * off / d * apart;
        square += weight * apart;
        sum += weight * vec2(off * off, d * d);
    }
    parts[k] = slope;
    parts[LOCAL + k] = square;
    parts[2 * LOCAL + k] = vec4(sum, 0, 0);
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        group_barrier();
        if (k < width)
            for (uint v = 0u; v < 3u; v++) parts[v * LOCAL + k] += parts[v * LOCAL + k + width];
    }
    group_barrier();
    if (k < 3u) pulls_store(group, k, parts[k * LOCAL]);
}
