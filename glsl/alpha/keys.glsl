// The keys of radii: 4ρ² as a number of 10 bits of exponent and 54 of fraction, cut; before the cut its error is below
// 1/16 of the last bit. So if keys differ by 2 or more, radii differ in the same direction. 4ρ² of an edge is its
// squared length; of a triangle it is a²b²c² / Δ², Δ being twice the area. Items are the triangles, then the edges that
// are not attached.
//
// An edge is attached if the corner opposite it, in one of its triangles, lies inside the circle that the edge is the
// diameter of: there the triangle has an obtuse angle. (No other point can be inside if these corners are not.) The run
// over triangles marks attached edges; the run over edges comes after it.
#include "alpha/corners.glsl"
#include "exact/difference.glsl"
#include "exact/mantissa.glsl"

void kernel(uint group) {
    uint face = first + group * LOCAL + gl_LocalInvocationIndex;
    if (face >= end) return;
    bool edge = face < edges;
    if (edge && unattached_load(face) == 0u) return;
    uvec2 tips = ends(edge ? face : 0u);
    uvec3 corner = edge ? uvec3(tips, tips.x) : corners(face - edges);
    uint count = edge ? 1u : 3u;
    difference side[3];
    number x = number(uvec2(0u, 0x80000000u), 0);
    for (uint k = 0u; k < count; k++) {
        side[k] = difference_of(corner[k], corner[(k + 1u) % 3u]);
        x = product(x, number_of(dot_product(side[k], side[k])));
    }
    if (!edge) {
        limbs area = limbs_sub(limbs_mul(side[0].x, side[1].y), limbs_mul(side[0].y, side[1].x));
        number denominator = number_of(area);
        x = quotient(x, product(denominator, denominator));
        for (uint k = 0u; k < count; k++) // between sides k and k + 1 lies corner k + 1
            if (limbs_sign(dot_product(side[k], side[(k + 1u) % 3u])) > 0)
                unattached_store(triangle_edge(face - edges, (k + 1u) % 3u), 0u, 0u);
    }
    uvec2 m = uvec2(x.m.x << 1, x.m.y << 1 | x.m.x >> 31);
    uvec4 item = uvec4(uint(max(x.e, 0)) << 22 | m.y >> 10, m.y << 22 | m.x >> 10, face, 0u);
    item_store(edge ? triangles + place(face) : face - edges, 0u, item);
}
