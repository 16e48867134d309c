// GPU-SF, stages 1 to 4 (Ingram 2007, section 4.4): draws the Random set, gets the distances of both spaces,
// updates the Near set with a sorting network, and writes what the force and the sparse stress need.
// Points below `fixed_count` keep their sets. Near distances travel with the sort, so only the four Random
// distances are computed anew.
#include "dist/points.glsl"
#include "mds/place.glsl"
#include "mds/partners.glsl"

uint index[8];
float high[8];

void exchange(int a, int b) {
    uint i = index[a];
    float d = high[a];
    index[a] = index[b];
    high[a] = high[b];
    index[b] = i;
    high[b] = d;
}

// Batcher's odd-even merge sort of 8: 19 comparators.
#define NETWORK(C) C(0,1) C(2,3) C(4,5) C(6,7) C(0,2) C(1,3) C(4,6) C(5,7) C(1,2) C(5,6) C(0,4) C(1,5) C(2,6) \
    C(3,7) C(2,4) C(3,5) C(1,2) C(3,4) C(5,6)
#define BY_INDEX(a, b) if (index[a] > index[b] || (index[a] == index[b] && high[a] > high[b])) exchange(a, b);
#define BY_DISTANCE(a, b) if (high[a] > high[b] || (high[a] == high[b] && index[a] > index[b])) exchange(a, b);

void put(int at, uvec4 i, vec4 d) {
    for (int k = 0; k < 4; k++) {
        index[at + k] = i[k];
        high[at + k] = d[k];
    }
}

// Sort by index, mark the second of two equals (and the point itself), sort by distance.
void update_sets(uint e) {
    NETWORK(BY_INDEX)
    for (int k = 7; k > 0; k--)
        if (index[k] == index[k - 1]) high[k] = NONE;
    for (int k = 0; k < 8; k++)
        if (index[k] == e) high[k] = NONE;
    NETWORK(BY_DISTANCE)
}

// δ - d of four members; 0 for those that do not count, whose index becomes the point's own.
vec4 strain(uint e, inout uvec4 i, vec4 delta, inout vec2 sums) {
    bvec4 counts = lessThan(delta, vec4(NONE));
    i = pick(uvec4(e), i, counts);
    vec4 d = layout_distance(e, i);
    vec4 known = mix(vec4(0), delta, counts), rest = mix(vec4(0), known - d, counts);
    sums += vec2(dot(rest, rest), dot(known, known));
    return rest;
}

void kernel(uint e) {
    vec2 sums = vec2(0);
    near = near_in(e);
    near_high = near_high_in(e);
    random = uvec4(e);
    near_strain = vec4(0);
    random_strain = vec4(0);
    if (e >= fixed_count) {
        uint start = perm(e % m);
        uvec4 drawn = partners(start, offset, m);
        if (e >= fresh_from) {
            near = partners(start, (offset + 4u) % m, m);
            near_high = dissimilarity(e, near);
        }
        put(0, near, near_high);
        put(4, drawn, dissimilarity(e, drawn));
        update_sets(e);
        near = uvec4(index[0], index[1], index[2], index[3]);
        near_high = vec4(high[0], high[1], high[2], high[3]);
        random = uvec4(index[4], index[5], index[6], index[7]);
        uvec4 pulled = near;
        near_strain = strain(e, pulled, near_high, sums);
        random_strain = strain(e, random, vec4(high[4], high[5], high[6], high[7]), sums);
    }
    terms = sums;
}
