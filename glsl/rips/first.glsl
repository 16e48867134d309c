// Finds the first cofacet of each simplex of `columns` in the filtration: of those with the least diameter the one with the
// greatest new vertex, because that has the greatest index. A group takes one simplex of `vertices` vertices. It replaces (index high,
// index low, bits of the diameter) by those of the cofacet, and the fourth word by the number of cofacets up to the threshold,
// with NEGATIVE set where the simplex has the coefficient -1 in the boundary of the first one. KEPT: it also makes the column's
// first record and term (rips/short.glsl).
#include "lib/barrier.glsl"
#include "rips/index.glsl"
#if LISTS == 2
#define BITS vertex_bits
#endif
#include "rips/packed.glsl"
#include "rips/around.glsl"

const uint MOST_VERTICES = 17u;
const uint NEGATIVE = 1u << 31;
shared uint points[MOST_VERTICES]; // the greatest first
shared uint least, greatest, made; // bits of a diameter; a point; cofacets

uvec2 choose(uint v, uint k) { return binomial(k * (n + 1u) + v); }

// The greatest v below `end` with C(v, k) <= index.
uint greatest_below(uvec2 index, uint k, uint end) {
    uint low = k - 1u;
    while (end - low > 1u) {
        uint middle = (low + end) / 2u;
        if (less64(index, choose(middle, k))) end = middle;
        else low = middle;
    }
    return low;
}

void take_apart(uvec2 index) {
    uint end = n;
    for (uint k = vertices; k > 0u; k--) {
        end = greatest_below(index, k, end);
        points[vertices - k] = end;
        index = subtract64(index, choose(end, k));
    }
}

bool is_vertex(uint w) {
    bool is = false;
    for (uint k = 0u; k < vertices; k++) is = is || points[k] == w;
    return is;
}

// The greatest of `own` and the distances of some points to all vertices.
vec4 diameters(points_around all, uint q, float own) {
    vec4 most = vec4(own);
    for (uint k = 0u; k < vertices; k++) most = max(most, distances(points[k], all, q));
    return most;
}

// Sets (bits of the diameter, new vertex, cofacets) of the first of the cofacets that this invocation looks at.
uvec3 first_of_some(float own) {
    uvec3 first = uvec3(NONE, 0u, 0u);
    points_around all = around_point(points[0]);
    for (uint k = 1u; k < vertices; k++) all = fewer(all, around_point(points[k]));
    for (uint q = gl_LocalInvocationIndex; q < all.looks; q += LOCAL) {
        vec4 most = diameters(all, q, own);
        for (uint c = 0u; c < AT_ONCE; c++) {
            uint w = point_of(all, q, c), bits = most[c] == 0.0 ? 0u : floatBitsToUint(most[c]); // 0: there is -0
            if (w >= n || most[c] > threshold || is_vertex(w)) continue;
            first.z++;
            if (bits <= first.x) first.xy = uvec2(bits, w);
        }
    }
    return first;
}

uvec4 with_vertex(uint w) {
    uvec2 sum = uvec2(0);
    uint below = vertices;
    for (uint k = 0u; k < vertices; k++) {
        bool above = points[k] > w;
        if (above) below--;
        sum = add64(sum, choose(points[k], vertices - k + uint(above)));
    }
    sum = add64(sum, choose(w, below + 1u));
    return uvec4(sum, least, made | ((below & 1u) != 0u ? NEGATIVE : 0u));
}

#if KEPT
void keep(uint column, float own) {
    uvec4 term = uvec4(0u, 0u, 1u, floatBitsToUint(own)), first = uvec4(0u, 0u, 0u, least);
    uint above = 0u;
    for (uint k = 0u; k < vertices; k++) above += points[k] > greatest ? 1u : 0u;
    for (uint k = 0u; k < vertices; k++) {
        put(term, k, points[k]);
        put(first, k < above ? k : k + 1u, points[k]);
    }
    put(first, above, greatest);
    first.z |= ((vertices - above) & 1u) != 0u ? negative(1u) : 1u;
    terms_store(column, 0u, term);
    records_store(column, 0u, first);
    records_store(column, 1u, uvec4(column, column, 1u, made));
}
#endif

void kernel(uint group) {
    uvec4 column = columns_load(group, 0u);
    bool leads = gl_LocalInvocationIndex == 0u;
    if (leads) {
        take_apart(column.xy);
        least = NONE;
        greatest = made = 0u;
    }
    group_barrier();
    uvec3 first = first_of_some(uintBitsToFloat(column.z));
    if (first.z != 0u) {
        atomicMin(least, first.x);
        atomicAdd(made, first.z);
    }
    group_barrier();
    if (first.z != 0u && first.x == least) atomicMax(greatest, first.y);
    group_barrier();
    if (!leads) return;
    columns_store(group, 0u, made == 0u ? uvec4(0) : with_vertex(greatest));
#if KEPT
    keep(group, uintBitsToFloat(column.z));
#endif
}
