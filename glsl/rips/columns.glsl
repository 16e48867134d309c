// The simplices of an edge, EXTRA points and the edge itself, that are in no apparent pair. A group looks at `span`
// of them for each invocation, those numbered from work.z on in the order of choices from `place`, and appends
// those that remain to `columns` (index high, index low, bits of the diameter), as far as there is room.
#pragma optionNV(unroll none) // see exact/limbs.glsl
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

// Moves the greatest to the end.
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
            if (!within(x[i], x[j], e)) return false;
    return true;
}

// Whether the simplex with w, greater than all x, has no facet as long that lacks a point greater than w.
bool pairs_with(uint w, uint x[EXTRA], edge e) {
    bool tied = false;
    for (int i = 0; i < EXTRA; i++) tied = tied || gap(x[i], w) == e.reach;
    bool without_a = w > e.a || !(tied || gap(e.b, w) == e.reach);
    bool without_b = w > e.b || !(tied || gap(e.a, w) == e.reach);
    return without_a && without_b;
}

// x[EXTRA-1] is the greatest point of the simplex beside the edge. Let W be the points of the lune beyond it that are
// near all the others: the simplex is the cofacet of a pair if W is empty, and the facet of one with the greatest
// of W that is near all points.
bool is_apparent(uint x[EXTRA], edge e) {
    uint v = x[EXTRA - 1];
    bool any = false;
    for (uint k = uint(WORDS); k-- > v / 32u;) {
        uint bits = k == v / 32u ? lune[k] & ~(0xffffffffu >> (31u - (v & 31u))) : lune[k];
        while (bits != 0u) {
            int bit = findMSB(bits);
            uint w = 32u * k + uint(bit);
            bits &= ~(1u << bit);
            bool near = true;
            for (int i = 0; i + 1 < EXTRA && near; i++) near = gap(x[i], w) <= e.reach;
            if (near) {
                any = true;
                if (gap(v, w) <= e.reach) return pairs_with(w, x, e);
            }
        }
    }
    return !any;
}

uvec2 add64(uvec2 a, uvec2 b) {
    uint low = a.y + b.y;
    return uvec2(a.x + b.x + uint(low < a.y), low);
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
    edge e = edge(item.x, item.y, gap(item.x, item.y));
    uvec2 counts = lune_find(e);
    lune_order(counts);
    uint total = counts.x + counts.y, end = choose(total, uint(EXTRA));
    uint last = end - min(end, item.z) > span * LOCAL ? item.z + span * LOCAL : end;
    for (uint r = item.z + gl_LocalInvocationIndex; r < last; r += LOCAL) {
        uint x[EXTRA];
        decode(r, total, x);
        greatest_last(x);
        if (is_simplex(x, e) && !is_apparent(x, e)) {
            uint at = found_atomic_add(0u, 1u);
            if (at < room) columns_store(at, 0u, uvec4(index_of(x, e), floatBitsToUint(e.reach), 0u));
        }
    }
}
