// Appends the simplices of an edge that are in no apparent pair to `columns`: (index high, index low, bits of the
// diameter), as far as there is room. A simplex is the edge and EXTRA points out of `place`. An invocation looks at
// `span` of them, and the group at those numbered from work.z on, in the order of combinations.
#pragma optionNV(unroll none) // see exact/limbs.glsl
#include "rips/index.glsl"
#include "rips/lune.glsl"

uint choose(uint v, uint k) { return k == 1u ? v : k == 2u ? v * (v - 1u) / 2u : binomial(k * (n + 1u) + v).y; }

// The greatest p below `end` with C(p, k) <= r.
uint greatest_below(uint r, uint k, uint end) {
    if (k == 1u) return r;
    uint low = k - 1u;
    while (end - low > 1u) {
        uint middle = (low + end) / 2u;
        if (choose(middle, k) <= r) low = middle;
        else end = middle;
    }
    return low;
}

void decode(uint r, uint end, out uint x[EXTRA]) {
    for (uint k = uint(EXTRA); k > 0u; k--) {
        end = greatest_below(r, k, end);
        r -= choose(end, k);
        x[k - 1u] = place[end];
    }
}

// Moves the greatest point to the end.
void greatest_last(inout uint x[EXTRA]) {
    for (int k = 0; k + 1 < EXTRA; k++)
        if (x[k] > x[k + 1]) {
            uint t = x[k];
            x[k] = x[k + 1];
            x[k + 1] = t;
        }
}

bool is_simplex(uint x[EXTRA], edge e) {
    for (int i = 0; i < EXTRA; i++)
        for (int j = 0; j < i; j++)
            if (!admits(x[i], x[j], e)) return false;
    return true;
}

// w is greater than all x. Returns true if the simplex with w has no facet of its diameter that lacks a greater point than
// w: the simplex without w is then the last such facet.
bool pairs_with(uint w, uint x[EXTRA], edge e) {
    bool tied = false;
    for (int i = 0; i < EXTRA; i++) tied = tied || edge_length(x[i], w) == e.diameter;
    bool without_a = w > e.a || !(tied || edge_length(e.b, w) == e.diameter);
    bool without_b = w > e.b || !(tied || edge_length(e.a, w) == e.diameter);
    return without_a && without_b;
}

// x[EXTRA-1] is the greatest point of the simplex beside the edge. Let W be the points of the lune that are greater and
// within the diameter of all the other x. If W is empty, the simplex is the cofacet of an apparent pair. Else it is the
// facet of one if pairs_with holds for the greatest point of W that is within the diameter of x[EXTRA-1], too.
bool is_apparent(uint x[EXTRA], edge e) {
    uint v = x[EXTRA - 1];
    bool any = false;
    for (uint k = last_of_lune(); k > 0u && lune_point(k) > v; k = before_in_lune(k)) {
        uint w = lune_point(k);
        bool in_w = true;
        for (int i = 0; i + 1 < EXTRA && in_w; i++) in_w = edge_length(x[i], w) <= e.diameter;
        if (in_w) {
            any = true;
            if (edge_length(v, w) <= e.diameter) return pairs_with(w, x, e);
        }
    }
    return !any;
}

// The index of the simplex.
uvec2 index_of(uint x[EXTRA], edge e) {
    uint v[EXTRA + 2];
    v[0] = e.a;
    v[1] = e.b;
    for (int i = 0; i < EXTRA; i++) {
        int at = i + 2;
        for (; at > 0 && v[at - 1] < x[i]; at--) v[at] = v[at - 1];
        v[at] = x[i];
    }
    uvec2 sum = uvec2(0);
    for (uint i = 0u; i < uint(EXTRA + 2); i++) sum = add64(sum, binomial((uint(EXTRA + 2) - i) * (n + 1u) + v[i]));
    return sum;
}

void kernel(uint group) {
    uvec4 item = work(group);
    edge e = edge(item.x, item.y, edge_length(item.x, item.y));
    uvec2 counts = find_lune(e);
    order_lune(counts);
    uint total = counts.x + counts.y, end = choose(total, uint(EXTRA));
    uint last = end - min(end, item.z) > span * LOCAL ? item.z + span * LOCAL : end;
    for (uint r = item.z + gl_LocalInvocationIndex; r < last; r += LOCAL) {
        uint x[EXTRA];
        decode(r, total, x);
        greatest_last(x);
        if (is_simplex(x, e) && !is_apparent(x, e)) {
            uint at = found_atomic_add(0u, 1u);
            if (at < room) columns_store(at, 0u, uvec4(index_of(x, e), floatBitsToUint(e.diameter), 0u));
        }
    }
}
