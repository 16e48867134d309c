// Finds the branch that each vertex lies on: the first ancestor of its minimum's branch that ends after the vertex.
#define LOAD_BRANCH branch
#include "mergetree/climb.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    basin_store(v, name(climb(basin_load(v) ^ 0x80000000u, key(v), v)));
}
