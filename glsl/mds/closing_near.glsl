// The closing step (closing.glsl) of dense points without weights, for 128 points whose partners are next to each other in the
// permutation: together they have 135, so that each row that is fetched serves up to eight pairs.
// inverse: the point whose partners begin at a place of the permutation.
#define STARTS 128u
#define ROWS 264 // the points, then their partners
#include "mds/rows.glsl"
#include "mds/place.glsl"

void choose(uint start) {
    for (uint i = gl_LocalInvocationIndex; i < uint(ROWS); i += LOCAL)
        who[i] = i < STARTS ? inverse(min(start + i, m - 1u)) : perm((start + i - STARTS + offset) % m);
}

// Adds texel c of those that are loaded: of point `own` and the four partners from row `others` on.
#define ADD(c)                                                                                                       \
    {                                                                                                                \
        vec4 x = tile[own * STRIDE + (c)];                                                                           \
        sum += vec4(accumulate(x - tile[others * STRIDE + (c)]), accumulate(x - tile[(others + 1u) * STRIDE + (c)]), \
                    accumulate(x - tile[(others + 2u) * STRIDE + (c)]),                                              \
                    accumulate(x - tile[(others + 3u) * STRIDE + (c)]));                                             \
    }

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, own = me / 2u, others = STARTS + own + 4u * (me % 2u), start = group * STARTS;
    choose(start);
    group_barrier();
    vec4 sum = vec4(0);
    for (uint t = 0u; t < uint(TEXELS); t += WIDTH) {
        load(t);
        group_barrier();
#repeat 4 ADD(@u)
        group_barrier();
    }
    uint e = who[own];
    uvec4 j = uvec4(who[others], who[others + 1u], who[others + 2u], who[others + 3u]);
    vec4 delta = finish(sum);
    for (uint t = 0u; t < PLACE_TEXELS; t++) {
        vec4 apart[4], part = vec4(0);
        vec4 d = layout_distance(e, j, t, apart);
        for (int c = 0; c < 4; c++) part += (delta[c] - d[c]) * direction(e, j[c], t, apart[c], d[c]);
        tile[me] = part;
        group_barrier();
        if (me % 2u == 0u && start + own < m)
            place_store(e, t, place_in(e, t) + step * (tile[me] + tile[me + 1u]) / 8.0);
        group_barrier();
    }
}
