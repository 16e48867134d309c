// Some points' texels in shared memory, four of each at a time; and sums of differences of 8 or 4 pairs with it.
// Port: given, RGBA32F, TEXELS texels a point (src/dist/points.c).
#include "lib/barrier.glsl"
#include "dist/metric.glsl"

#define WIDTH 4u
#define STRIDE (WIDTH + 1u) // one spare, against conflicts
shared vec4 tile[ROWS * STRIDE];
shared uint who[ROWS]; // the points

// Loads texels t … t + 3 of all points; behind the last there are zeros.
void load(uint t) {
    for (uint i = gl_LocalInvocationIndex; i < uint(ROWS) * WIDTH; i += LOCAL) {
        uint row = i / WIDTH, at = i % WIDTH;
        tile[row * STRIDE + at] = t + at < uint(TEXELS) ? given(who[row], t + at) : vec4(0);
    }
}
