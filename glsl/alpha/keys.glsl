// The keys of radii: 4ρ² as a number of 10 bits of exponent and 54 of fraction, cut; before the cut it is off by less
// than 1/16 of the last bit. Where keys differ by 2 or more, the radii differ as they do. Of an edge 4ρ² is the squared
// length, of a triangle a²b²c² / Δ², Δ twice the area. Items are the triangles, then the edges that are not attached.
#include "alpha/plane.glsl"
#include "alpha/mantissa.glsl"

void kernel(uint group) {
    uint face = group * LOCAL + gl_LocalInvocationIndex;
    if (face >= n || (face < edges && unattached(min(face, edges - 1u)) == 0u)) return;
    bool edge = face < edges;
    uvec2 end = ends(edge ? face : 0u);
    uvec4 corner = edge ? uvec4(end, end) : vertex(face - edges);
    uint sides = edge ? 1u : 3u;
    span side[3];
    number x = number(uvec2(0u, 0x80000000u), 0);
    for (uint k = 0u; k < sides; k++) {
        side[k] = between(corner[k], corner[(k + 1u) % 3u]);
        x = product(x, number_of(inner(side[k], side[k])));
    }
    if (!edge) {
        limbs area = limbs_sub(limbs_mul(side[0].x, side[1].y), limbs_mul(side[0].y, side[1].x));
        number under = number_of(area);
        x = quotient(x, product(under, under));
    }
    uvec2 m = uvec2(x.m.x << 1, x.m.y << 1 | x.m.x >> 31);
    uvec4 item = uvec4(uint(max(x.e, 0)) << 22 | m.y >> 10, m.y << 22 | m.x >> 10, face, 0u);
    item_store(edge ? n - edges + place(face) : face - edges, 0u, item);
}
