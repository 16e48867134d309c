// Products of the squares of rows of a matrix with a thin one, four columns a texel. A group takes four rows of `given`,
// from element `first` on, and one texel of the columns: invocations add up parts, which are then added in pairs. Sums
// go to elements from `to` on.
#include "lib/barrier.glsl"

shared vec4 parts[4 * LOCAL];

void kernel(uint group) {
    uint k = gl_LocalInvocationIndex, quad = group % quads, row = 4u * (group / quads);
    uvec4 i = first + min(row + uvec4(0, 1, 2, 3), uvec4(rows - 1u));
    vec4 sum[4];
    for (int r = 0; r < 4; r++) sum[r] = vec4(0);
    for (uint t = k; t < texels; t += LOCAL) {
        mat4 x = mat4(thin(4u * t, quad), thin(4u * t + 1u, quad), thin(4u * t + 2u, quad), thin(4u * t + 3u, quad));
        for (int r = 0; r < 4; r++) {
            vec4 d = given(i[r], t);
            sum[r] += x * (d * d);
        }
    }
    for (uint r = 0u; r < 4u; r++) parts[r * LOCAL + k] = sum[r];
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        group_barrier();
        for (uint r = 0u; r < 4u && k < width; r++) parts[r * LOCAL + k] += parts[r * LOCAL + k + width];
    }
    group_barrier();
    if (k < 4u && row + k < rows) sums_store(to + row + k, quad, parts[k * LOCAL]);
}
