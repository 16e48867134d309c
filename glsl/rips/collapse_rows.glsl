// Lists as rows of two matrices, infinite where there is no edge.
#include "rips/lists.glsl"

void kernel(uint group) {
    for (uint j = gl_LocalInvocationIndex; j < n; j += LOCAL) {
        float value = edge_length(group, j);
        own_store(group, j, value);
        now_store(group, j, value);
    }
}
