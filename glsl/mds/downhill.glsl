// What a place beside a layout has: its stress, and the slope of that.
#include "lib/barrier.glsl"

const float NONE = 3e38;

// Sums over the points, of each invocation, then of all in place 0: half the slope; of a matrix, which is its derivative
// without the curvature of distances, the diagonal; xy, xz, xw, yz; yw, zw; beside these the stress.
shared vec4 parts[4 * LOCAL];

void add_up() {
    uint k = gl_LocalInvocationIndex;
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        group_barrier();
        if (k < width)
            for (uint v = 0u; v < 4u; v++) parts[v * LOCAL + k] += parts[v * LOCAL + k + width];
    }
    group_barrier();
}

void look(uint row, vec4 y) {
    vec4 slope = vec4(0), diagonal = vec4(0), off = vec4(0), rest = vec4(0);
    for (uint t = gl_LocalInvocationIndex; t < texels; t += LOCAL) {
        vec4 delta = wanted(row, t);
#define LOOK_AT(c)                                                        \
    if (delta[c] < NONE) {                                                \
        vec4 apart = y - place_in(4u * t + uint(c));                      \
        float length = sqrt(dot(apart, apart)), more = length - delta[c]; \
        vec4 unit = length > 0.0 ? apart / length : vec4(0);              \
        slope += more * unit;                                             \
        diagonal += unit * unit;                                          \
        off += unit.xxxy * unit.yzwz;                                     \
        rest += vec4(unit.yz * unit.ww, more * more, 0);                  \
    }
#repeat 4 LOOK_AT(@)
    }
    uint k = gl_LocalInvocationIndex;
    parts[k] = slope;
    parts[LOCAL + k] = diagonal;
    parts[2 * LOCAL + k] = off;
    parts[3 * LOCAL + k] = rest;
    add_up();
}

// Minus the solution of matrix · step = slope, by Cholesky's method; 0: there is none. Coordinates from `dim` on stay 0.
vec4 solved() {
    vec4 d = parts[LOCAL] + vec4(greaterThanEqual(uvec4(0, 1, 2, 3), uvec4(dim))), o = parts[2 * LOCAL],
         p = parts[3 * LOCAL], b = -parts[0];
    if (!(d.x > 0.0)) return vec4(0);
    float xx = sqrt(d.x), xy = o.x / xx, xz = o.y / xx, xw = o.z / xx, yy = d.y - xy * xy;
    if (!(yy > 0.0)) return vec4(0);
    yy = sqrt(yy);
    float yz = (o.w - xy * xz) / yy, yw = (p.x - xy * xw) / yy, zz = d.z - xz * xz - yz * yz;
    if (!(zz > 0.0)) return vec4(0);
    zz = sqrt(zz);
    float zw = (p.y - xz * xw - yz * yw) / zz, ww = d.w - xw * xw - yw * yw - zw * zw;
    if (!(ww > 0.0)) return vec4(0);
    b.x /= xx;
    b.y = (b.y - xy * b.x) / yy;
    b.z = (b.z - xz * b.x - yz * b.y) / zz;
    b.w = (b.w - xw * b.x - yw * b.y - zw * b.z) / ww;
    b.z = (b.z - zw * b.w) / zz;
    b.y = (b.y - yz * b.z - yw * b.w) / yy;
    b.x = (b.x - xy * b.y - xz * b.z - xw * b.w) / xx;
    return b;
}
