// Pairs of vertices become pairs of the field: {vertex, key, key, vertex} of birth and death. Those of one key are dropped: all
// their bits are set, so that a sort has them last. nx, ny, nz, outside: of the reversed side.
// unused: of that side (reverse.glsl). vertices: of what the pairs are of.
//   turned: the pairs are of that side, whose vertices come from the last to the first: what is born there dies in the field. A
//           pair that has no end, or begins in the outside, is one of `others`, as it is.
//   counts: each end is a square that a cube ends: of the field if they are turned, else of the reversed side (ended: a byte each)
// state: how many are kept; how many others there are; how many pairs end before they begin, or outside.
#include "field/order.glsl"
#define RESERVE state_atomic_add
#include "lib/reserve.glsl"

const uint OTHERS = 64u;

uvec3 pad() { return uvec3(outside, outside >> 1, outside >> 2) & 1u; }
uvec3 place(uint v, uvec3 size) { return uvec3(v % size.x, v / size.x % size.y, v / size.x / size.y); }
uint at(uvec3 p, uvec3 size) { return (p.z * size.y + p.y) * size.x + p.x; }

// The vertex of the field that v of the side is; NONE: of the outside.
uint vertex_of(uint v) {
    uvec3 size = uvec3(nx, ny, nz), own = size - 2u * pad(), p = place(v, size) - pad();
    return all(lessThan(p, own)) ? at(own - 1u - p, own) : NONE; // p wraps below 0, too
}

uint side_of(uint v) {
    uvec3 size = uvec3(nx, ny, nz), own = size - 2u * pad();
    return at(own - 1u - place(v, own) + pad(), size);
}

// The key in the field of a key of the side.
uint key_of(uint k) { return ~(k - (unused != 0u && k <= unused ? 1u : 0u)); }

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    bool there = e < count, other = false, wrong = false;
    uvec4 p = there ? pairs_load(e, 0u) : uvec4(NONE);
    uint square = NONE;
    bool ends = p.w != NONE, drops = !there || (ends && p.y == p.z);
    if (there) wrong = p.x >= vertices || (ends && (p.w >= vertices || lower(p.z, p.w, p.y, p.x)));
    if (there && turned != 0u) {
        uint birth = vertex_of(p.x), death = ends ? vertex_of(p.w) : NONE;
        other = !ends || birth == NONE;
        wrong = wrong || (!other && death == NONE);
        if (other) {
            uint to = state_atomic_add(1u, 1u);
            if (to < OTHERS) others_store(to, 0u, p.xw);
        } else square = death;
        p = uvec4(death, key_of(p.z), key_of(p.y), birth);
    } else if (there && ends) square = counts != 0u ? side_of(p.w) : 0u;
    if (wrong) state_atomic_add(2u, 1u);
    else if (there && counts != 0u && square != NONE) ended_atomic_add(square >> 2, 1u << 8u * (square & 3u));
    drops = drops || other;
    reserve(drops ? 0u : 1u, 0u);
    if (there) pairs_store(e, 0u, drops ? uvec4(NONE) : p);
}
