// rips/edges where the distances are lists: appends those of the edges at places first … first + count - 1 that are not the
// facet of an apparent pair to `columns`. An invocation goes through the shorter list of an edge's ends, from the greatest
// point down, until the other list has the point, too: that is the greatest of the lune. Most edges have one soon. Where there is
// none among the last MOST_STEPS points, the whole group goes on with the edge.
#include "lib/barrier.glsl"
#include "rips/lists.glsl"

#define MOST_STEPS 64u

shared uvec4 hard[LOCAL]; // the ends; where the shorter list starts, and where to go on
shared uint hard_count, greatest;

// Place k is of the list of one end. Returns true if the list of the other end has its point, which lies in the lune then.
bool is_common(uint k, uint other, float diameter) {
    return lengths(k) <= diameter && edge_length(other, neighbors(k)) <= diameter;
}

// Returns true if the edge and w, the greatest point of its lune, are an apparent pair.
bool is_apparent(uvec2 of, uint w, float diameter) {
    return (w > of.x || edge_length(of.y, w) != diameter) && (w > of.y || edge_length(of.x, w) != diameter);
}

void append(uvec2 of, float diameter) {
    uint at = found_atomic_add(0u, 1u), high, low;
    umulExtended(of.x, of.x - 1u, high, low);
    low = low >> 1 | high << 31;
    high >>= 1;
    uint sum = low + of.y;
    if (at < room) columns_store(at, 0u, uvec4(high + uint(sum < low), sum, floatBitsToUint(diameter), 0u));
}

// Looks at the edge at place k, and puts it aside if that takes long.
void look_at(uint k) {
    uvec2 of = ends_of(k);
    float diameter = lengths(k);
    if (of.x == of.y || !(diameter <= threshold)) return;
    uint from_a = start(of.x), end_a = start(of.x + 1u), from_b = start(of.y), end_b = start(of.y + 1u);
    bool shorter = end_a - from_a < end_b - from_b;
    uint from = shorter ? from_a : from_b, at = shorter ? end_a : end_b, other = shorter ? of.y : of.x;
    for (uint steps = 0u; at > from && steps < MOST_STEPS; steps++)
        if (is_common(--at, other, diameter)) {
            if (!is_apparent(of, neighbors(at), diameter)) append(of, diameter);
            return;
        }
    if (at == from) append(of, diameter);
    else hard[atomicAdd(hard_count, 1u)] = uvec4(of, from, at);
}

// The same with the whole group, for an edge that was put aside.
void look_again(uvec4 aside) {
    uint lane = gl_LocalInvocationIndex, at = aside.w;
    uvec2 of = aside.xy;
    float diameter = edge_length(of.x, of.y);
    uint other = aside.z == start(of.x) ? of.y : of.x;
    if (lane == 0u) greatest = 0u;
    group_barrier();
    for (uint w = 0u; w == 0u && at > aside.z; at -= min(at - aside.z, LOCAL)) {
        if (at - aside.z > lane && is_common(at - 1u - lane, other, diameter))
            atomicMax(greatest, neighbors(at - 1u - lane) + 1u);
        group_barrier();
        w = greatest;
        group_barrier();
    }
    if (lane == 0u && !(greatest > 0u && is_apparent(of, greatest - 1u, diameter))) append(of, diameter);
    group_barrier();
}

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (gl_LocalInvocationIndex == 0u) hard_count = 0u;
    group_barrier();
    if (k < count) look_at(first + k);
    group_barrier();
    for (uint i = 0u; i < hard_count; i++) look_again(hard[i]);
}
