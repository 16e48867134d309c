// unattached = 1 where no corner opposite edge e lies inside the circle that e is the diameter of: where none sees e
// under an obtuse angle. (Of all points, the corners of the edge's triangles would be the first.)
#include "alpha/plane.glsl"

void kernel(uint e) {
    uint t = half_edge(e) / 3u, k = half_edge(e) % 3u, other = neighbour(t)[k], sides = other == HULL ? 1u : 2u;
    unattached = 1u;
    for (uint side = 0u; side < sides; side++) {
        uint u = side == 0u ? t : other;
        uvec4 corner = vertex(u), around = neighbour(u);
        if (side == 1u) k = around.x == t ? 0u : around.y == t ? 1u : 2u;
        span a = between(corner[k], corner[(k + 1u) % 3u]), b = between(corner[k], corner[(k + 2u) % 3u]);
        if (limbs_sign(inner(a, b)) < 0) unattached = 0u;
    }
}
