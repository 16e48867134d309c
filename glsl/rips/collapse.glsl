// A round of the edge collapse (rips/collapse.h), a group an edge. `lengths` are the edges' own values, `values` those that they
// have by now. The edges come in an order, the greatest value first; each has to see the new values of edges before it, and
// the own values of those after it. A round looks at all edges at once, with the values that there are. After k rounds at
// least the first k edges are right for good, and if a round changes nothing, all are: the same as one after the other.
// There are few rounds, because few edges matter to an edge.
//
// An edge is looked at again if an edge before it changed in the last round at one of its ends, or at two points of the
// shorter list of its ends. touched: for each point, one more than the bits of the greatest own value of an edge of the point that
// changed; a list for the last round, from `was` on, and one for this round, from `is` on.
#include "lib/barrier.glsl"
#include "rips/lists.glsl"

#define INFINITE 0x7f800000u
#define NONE 0xffffffffu

shared uint common_point[ROOM]; // neighbors of both ends, and from which value on
shared float common_from[ROOM];
shared uint common_count, touched_count;
shared uint dominating; // the number of a common neighbor
shared uint least;      // bits of a value

struct edge {
    uint a, b;
    float value; // its own
};

// What the edge e sees at place k, which is edge (i, j).
float seen_at(uint k, uint i, uint j, edge e) {
    float own = lengths(k);
    uint high = max(i, j), low = min(i, j);
    bool before = own > e.value || (own == e.value && (high < e.a || (high == e.a && low < e.b)));
    return before ? values_load(k) : own;
}

// The same of the edge (i, j), if there is one.
float seen(uint i, uint j, edge e) {
    uint end = start(i + 1u), k = find_place(start(i), end, j);
    return k < end && neighbors(k) == j ? seen_at(k, i, j, e) : uintBitsToFloat(INFINITE);
}

// Returns true if edges that matter to e may have changed in the last round. [from, end): the shorter list of e's ends.
bool may_change(edge e, uint from, uint end) {
    uint key = floatBitsToUint(e.value) + 1u;
    if (touched_load(was + e.a) >= key || touched_load(was + e.b) >= key) return true;
    for (uint k = from + gl_LocalInvocationIndex; k < end && touched_count < 2u; k += LOCAL)
        if (touched_load(was + neighbors(k)) >= key) atomicAdd(touched_count, 1u);
    group_barrier();
    return touched_count >= 2u;
}

// Lists the common neighbors of e's ends. [from, end): the list of `near`, one end; `far` is the other one.
void find_common(edge e, uint from, uint end, uint near, uint far) {
    for (uint k = from + gl_LocalInvocationIndex; k < end; k += LOCAL) {
        uint w = neighbors(k);
        float since = max(seen_at(k, near, w, e), seen(far, w, e));
        if (since <= threshold) {
            uint at = atomicAdd(common_count, 1u);
            if (at < uint(ROOM)) {
                common_point[at] = w;
                common_from[at] = since;
            }
        }
    }
}

// Sets `dominating` to a common neighbor at `value` that is near all others of them, if there is one. A lane asks first the
// one that refuted its candidate before.
void find_dominating(edge e, float value) {
    uint hint = 0u;
    for (uint i = gl_LocalInvocationIndex; i < common_count && dominating == NONE; i += LOCAL) {
        bool dominates = common_from[i] <= value;
        for (uint turn = 0u; turn < common_count && dominates; turn++) {
            uint j = hint + turn;
            j -= j < common_count ? 0u : common_count;
            if (j == i || common_from[j] > value) continue;
            dominates = seen(common_point[i], common_point[j], e) <= value;
            if (!dominates) hint = j;
        }
        if (dominates) atomicMin(dominating, i);
    }
}

// Sets `least` to the first value above `value` at which w, which dominates the edge there, does not.
void find_end(edge e, uint w, float value) {
    for (uint i = gl_LocalInvocationIndex; i < common_count; i += LOCAL)
        if (common_from[i] > value && !(seen(w, common_point[i], e) <= common_from[i]))
            atomicMin(least, floatBitsToUint(common_from[i]));
}

// The bits of the value at which the edge has to appear; INFINITE: it need not.
uint find_value(edge e) {
    uint bits = floatBitsToUint(e.value);
    for (uint step = 0u; step <= common_count && bits != INFINITE; step++) {
        if (gl_LocalInvocationIndex == 0u) {
            dominating = NONE;
            least = INFINITE;
        }
        group_barrier();
        find_dominating(e, uintBitsToFloat(bits));
        group_barrier();
        if (dominating == NONE) return bits;
        find_end(e, common_point[dominating], uintBitsToFloat(bits));
        group_barrier();
        bits = least;
        group_barrier();
    }
    return bits;
}

void kernel(uint group) {
    uvec4 item = edges(group);
    edge e = edge(item.x, item.y, lengths(item.z));
    uint from_a = start(e.a), end_a = start(e.a + 1u), from_b = start(e.b), end_b = start(e.b + 1u);
    bool shorter = end_a - from_a < end_b - from_b;
    uint from = shorter ? from_a : from_b, end = shorter ? end_a : end_b;
    if (gl_LocalInvocationIndex == 0u) common_count = touched_count = 0u;
    group_barrier();
    if (!may_change(e, from, end)) return;
    find_common(e, from, end, shorter ? e.a : e.b, shorter ? e.b : e.a);
    group_barrier();
    if (common_count > uint(ROOM)) {
        if (gl_LocalInvocationIndex == 0u) changed_atomic_add(1u, 1u);
        return;
    }
    float value = uintBitsToFloat(find_value(e));
    if (gl_LocalInvocationIndex == 0u && value != values_load(item.z)) {
        uint key = floatBitsToUint(e.value) + 1u;
        values_store(item.z, value);
        values_store(item.w, value);
        touched_atomic_max(is + e.a, key);
        touched_atomic_max(is + e.b, key);
        changed_atomic_add(0u, 1u);
    }
}
