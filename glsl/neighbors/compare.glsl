// Compares the candidates of points in double, and orders them by (sum, index). An invocation has one candidate.
// Element `begin + i` of list is of point first + i. nearest, sums: its k first; least: of no point that is no candidate is the sum in float32 less than this.
#include "lib/barrier.glsl"
#include "lib/norm.glsl"
shared uvec3 order[LOCAL]; // of each candidate: high word of its sum, low word, index

double value(uint point, uint column) { return double(points(point / 4u, column)[point & 3u]); }

uvec2 sum_of(uint a, uint b) {
    double s = 0.0lf;
    for (uint c = 0u; c < columns; c++) {
        precise double d = value(a, c) - value(b, c);
        s = add(s, d);
    }
    return unpackDouble2x32(s);
}

bool is_before(uvec3 a, uvec3 b) {
    if (a.x != b.x) return a.x < b.x;
    return a.y != b.y ? a.y < b.y : a.z < b.z;
}

// The bits of the sum that a list ends with. INFINITY: all points are in it; NaN: it had no room.
uint end_of(uint row, uvec2 last) {
    if (progress(3u * row + 1u) == 0xffffffffu) return 0x7fc00000u;
    return keep <= progress(3u * row) ? last.x : 0x7f800000u;
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, rows = LOCAL / keep, lane = me % keep, row = group * rows + me / keep;
    bool ours = me / keep < rows && row < count, there = ours && lane < progress(3u * (begin + row));
    uvec2 candidate = there ? list(begin + row, lane) : uvec2(0xffffffffu), words = uvec2(0xffffffffu);
    if (there) words = sum_of(first + row, candidate.y);
    order[me] = uvec3(words.yx, candidate.y);
    group_barrier();
    if (!ours) return;
    uint from = me - lane, rank = 0u;
    for (uint i = from; i < from + keep; i++)
        rank += uint(is_before(order[i], order[me]) || (i < me && order[i] == order[me]));
    if (rank < k) {
        sums_store(row, rank, words);
        nearest_store(row, rank, candidate.y);
    }
    if (lane == keep - 1u) least_store(row, end_of(begin + row, candidate));
}
