// The points in the order of the tree, as src/index/textures.c lays them out.
#include "index/coordinate.glsl"

uvec2 words_of(uint point, uint column) {
    return column < columns ? coordinate(point, column) : uvec2(column == columns ? point : 0u, 0u);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uint point = order(e);
    for (uint t = 0u; 2u * t <= columns; t++)
        rows_store(e, t, uvec4(words_of(point, 2u * t), words_of(point, 2u * t + 1u)));
}
