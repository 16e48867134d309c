// What the columns of rips/short.glsl end with: (index high, index low, diameter) of the pivot, and the number of its record, or
// ZERO, or LEFT with a record. An invocation takes one column of simplices of vertices - 1 vertices.
#include "rips/index.glsl"
#define BITS vertex_bits
#include "rips/packed.glsl"

void kernel(uint group) {
    uint column = group * LOCAL + gl_LocalInvocationIndex;
    if (column >= count) return;
    uint of = last(column, 0u);
    uvec4 end = uvec4(0u, 0u, 0u, of);
    if (of < most_records) {
        uvec4 pivot = records(of, 0u);
        for (uint k = 0u; k < vertices; k++)
            end.xy = add64(end.xy, binomial((vertices - k) * (n + 1u) + vertex(pivot, k)));
        end.z = pivot.w;
    }
    columns_store(column, 0u, end);
}
