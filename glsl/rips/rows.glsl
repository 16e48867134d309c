// Lists as rows of a matrix, four distances a texel, as rips/matrix.glsl has it: infinite where there is no edge.
#include "rips/lists.glsl"

void kernel(uint group) {
    for (uint t = gl_LocalInvocationIndex; 4u * t < n; t += LOCAL) {
        vec4 row;
        for (uint k = 0u; k < 4u; k++) row[k] = 4u * t + k == group ? 0.0 : edge_length(group, 4u * t + k);
        dist_store(group, t, row);
    }
}
