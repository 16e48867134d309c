// GPU-SF, stages 1 to 4 (Ingram 2007, section 4.4): draws the Random set, gets the distances of both spaces,
// updates the Near set with a sorting network, and writes what the force and the sparse stress need.
// Points below `fixed_count` keep their sets; those from `fresh_from` on begin with an empty Near set. The distances of
// the Near set are kept beside it, so that only four distances are computed. Pairs that weigh 0 do not count.
#include "dist/source.glsl"
#include "mds/place.glsl"
#include "mds/partners.glsl"
#include "mds/weights.glsl"

uvec4 near_index = uvec4(0u), drawn_index = uvec4(0u);
vec4 near_delta = vec4(0), drawn_delta = vec4(0); // high-dimensional distances; the near ones ascending

void order(inout float d0, inout float d1, inout uint i0, inout uint i1) {
    if (d0 > d1 || (d0 == d1 && i0 > i1)) {
        float d = d0;
        uint i = i0;
        d0 = d1;
        i0 = i1;
        d1 = d;
        i1 = i;
    }
}
#define ORDER_NEAR(a, b) order(near_delta[a], near_delta[b], near_index[a], near_index[b]);
#define ORDER_DRAWN(a, b) order(drawn_delta[a], drawn_delta[b], drawn_index[a], drawn_index[b]);
#define ORDER_BOTH(a, b) order(near_delta[a], drawn_delta[b], near_index[a], drawn_index[b]);

// Marks as no member: the point itself, and every drawn point that is in the Near set or was drawn before. (The paper
// sorts all eight by index to find equal ones; to compare them costs less and finds the same.)
void mark_duplicates(uint e) {
    for (int k = 0; k < 4; k++) {
        uint i = drawn_index[k];
        bool known = i == e || any(equal(near_index, uvec4(i)));
        for (int before = 0; before < k; before++) known = known || drawn_index[before] == i;
        if (known) drawn_delta[k] = NONE;
    }
}

// The four nearest of both sets become the Near set, by a network of 13 comparators. It sorts the drawn four; it moves
// the four least of Near and the reversed drawn ones to Near; these are bitonic, and it sorts them.
void merge_sets(){ORDER_DRAWN(0, 1) ORDER_DRAWN(2, 3) ORDER_DRAWN(0, 2) ORDER_DRAWN(1, 3) ORDER_DRAWN(1, 2)
                      ORDER_BOTH(0, 3) ORDER_BOTH(1, 2) ORDER_BOTH(2, 1) ORDER_BOTH(3, 0) ORDER_NEAR(0, 2)
                          ORDER_NEAR(1, 3) ORDER_NEAR(0, 1) ORDER_NEAR(2, 3)}

// δ - d of four members, weighted; 0 for those that do not count, whose index becomes the point's own.
vec4 strain(uint e, inout uvec4 i, vec4 delta, inout vec2 sums) {
    bvec4 counts = lessThan(delta, vec4(NONE));
    i = pick(uvec4(e), i, counts);
    vec4 d = layout_distance(e, i);
    vec4 known = mix(vec4(0), delta, counts), rest = mix(vec4(0), known - d, counts);
    vec4 w = weight(e, i);
    sums += vec2(dot(w * rest, rest), dot(w * known, known));
    return spring(e, w) * rest;
}

void kernel(uint e) {
    vec2 sums = vec2(0);
    near = near_in(e);
    near_high = near_high_in(e);
    random = uvec4(e);
    near_strain = random_strain = vec4(0);
    if (e >= fixed_count) {
        bool fresh = e >= fresh_from;
        near_index = fresh ? uvec4(e) : near;
        near_delta = fresh ? vec4(NONE) : near_high;
        drawn_index = partners(perm(e % m), offset, m);
        drawn_delta = dissimilarity(e, drawn_index, 0u);
#if WEIGHTED
        drawn_delta = mix(drawn_delta, vec4(NONE), equal(weight(e, drawn_index), vec4(0)));
#endif
        mark_duplicates(e);
        merge_sets();
        near = near_index;
        near_high = near_delta;
        near_strain = strain(e, near_index, near_delta, sums);
        random_strain = strain(e, drawn_index, drawn_delta, sums);
        random = drawn_index;
    }
    terms = sums;
}
