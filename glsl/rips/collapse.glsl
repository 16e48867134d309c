// A round of the edge collapse (rips/collapse.h), a group an edge. `lengths` are the edges' own values, `values` those that they
// have by now. The edges come in an order, the greatest value first; each has to see the new values of edges before it, and
// the own values of those after it. A round looks at all edges at once, with the values that there are. After k rounds at
// least the first k edges are right for good, and if a round changes nothing, all are: the same as one after the other.
// There are few rounds, because few edges matter to an edge.
//
// An edge is looked at again if an edge before it changed in the last round at one of its ends, or at two points of the
// shorter list of its ends. touched: for each point, one more than the bits of the greatest own value of an edge of the point that
// changed; a list for the last round, from `was` on, and one for this round, from `is` on.
//
// MATRIX: `own` and `now` have the same values as matrices, because a place is found slowly in long lists.
#include "lib/barrier.glsl"
#include "rips/lists.glsl"

#define INFINITE 0x7f800000u
#define NONE 0xffffffffu

// An invocation looks at so many values at most; then threads do the collapse. Points of a circle take more, because each
// refutes few others.
#if MATRIX
#define MOST_LOOKS 16384u
#else
#define MOST_LOOKS 2048u
#endif

shared uint common_point[ROOM]; // neighbors of both ends, and from which value on
shared float common_from[ROOM];
shared uint standing[ROOM];       // numbers of those at the value at hand
shared uint candidate[ROOM / 32]; // bits: those that may dominate the edge
shared uint common_count, standing_count, touched_count;
shared uint chosen, refuter; // places in `standing`
shared uint least;           // bits of a value

uint looks = 0u; // so far, the same for all invocations of the group

struct edge {
    uint a, b;
    float value; // its own
};

// Returns true if the edge (i, j), of this value, comes before e.
bool is_before(float value, uint i, uint j, edge e) {
    uint high = max(i, j), low = min(i, j);
    return value > e.value || (value == e.value && (high < e.a || (high == e.a && low < e.b)));
}

// What e sees at place k, which is edge (i, j).
float seen_at(uint k, uint i, uint j, edge e) {
    float value = lengths(k);
    return is_before(value, i, j, e) ? values_load(k) : value;
}

// The same of the edge (i, j), if there is one.
float seen(uint i, uint j, edge e) {
#if MATRIX
    float value = own(i, j);
    return value < uintBitsToFloat(INFINITE) && is_before(value, i, j, e) ? now_load(i, j) : value;
#else
    uint end = start(i + 1u), k = find_place(start(i), end, j);
    return k < end && neighbors(k) == j ? seen_at(k, i, j, e) : uintBitsToFloat(INFINITE);
#endif
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

// Lists the common neighbors at a value.
void find_standing(float value) {
    for (uint i = gl_LocalInvocationIndex; i < common_count; i += LOCAL)
        if (common_from[i] <= value) standing[atomicAdd(standing_count, 1u)] = i;
}

bool is_candidate(uint i) { return (candidate[i / 32u] >> (i & 31u) & 1u) != 0u; }

// Sets `chosen` to the candidate that is a common neighbor from the least value on: it lies in the middle. NONE: there is no
// candidate.
void choose_candidate() {
    if (gl_LocalInvocationIndex == 0u) least = chosen = refuter = NONE;
    group_barrier();
    for (uint i = gl_LocalInvocationIndex; i < standing_count; i += LOCAL)
        if (is_candidate(i)) atomicMin(least, floatBitsToUint(common_from[standing[i]]));
    group_barrier();
    for (uint i = gl_LocalInvocationIndex; i < standing_count; i += LOCAL)
        if (is_candidate(i) && floatBitsToUint(common_from[standing[i]]) == least) atomicMin(chosen, i);
    group_barrier();
}

// A point of `standing` that is near all others of them at `value`; NONE: there is none. A candidate that is not is far from
// some point, the refuter; so are others, and then these are no candidates. NONE, too, after more than MOST_LOOKS.
uint find_dominating(edge e, float value) {
    uint lane = gl_LocalInvocationIndex;
    for (uint k = lane; k < uint(ROOM) / 32u; k += LOCAL) candidate[k] = 0xffffffffu;
    group_barrier();
    for (uint turn = 0u; turn < standing_count && looks <= MOST_LOOKS; turn++) {
        looks += 2u * (standing_count / LOCAL + 1u);
        choose_candidate();
        if (chosen == NONE) return NONE;
        uint w = common_point[standing[chosen]];
        for (uint i = lane; i < standing_count; i += LOCAL)
            if (i != chosen && !(seen(w, common_point[standing[i]], e) <= value)) atomicMin(refuter, i);
        group_barrier();
        if (refuter == NONE) return w;
        uint x = common_point[standing[refuter]];
        for (uint i = lane; i < standing_count; i += LOCAL)
            if (i == chosen || (i != refuter && is_candidate(i) && !(seen(x, common_point[standing[i]], e) <= value)))
                atomicAnd(candidate[i / 32u], ~(1u << (i & 31u)));
        group_barrier();
    }
    return NONE;
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
        if (gl_LocalInvocationIndex == 0u) standing_count = 0u;
        group_barrier();
        find_standing(uintBitsToFloat(bits));
        group_barrier();
        uint w = find_dominating(e, uintBitsToFloat(bits));
        if (w == NONE) return bits;
        looks += common_count / LOCAL + 1u;
        if (gl_LocalInvocationIndex == 0u) least = INFINITE;
        group_barrier();
        find_end(e, w, uintBitsToFloat(bits));
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
    if (looks > MOST_LOOKS) {
        if (gl_LocalInvocationIndex == 0u) changed_atomic_add(1u, 1u);
        return;
    }
    if (gl_LocalInvocationIndex == 0u && value != values_load(item.z)) {
        uint key = floatBitsToUint(e.value) + 1u;
        values_store(item.z, value);
        values_store(item.w, value);
#if MATRIX
        now_store(e.a, e.b, value);
        now_store(e.b, e.a, value);
#endif
        touched_atomic_max(is + e.a, key);
        touched_atomic_max(is + e.b, key);
        changed_atomic_add(0u, 1u);
    }
}
