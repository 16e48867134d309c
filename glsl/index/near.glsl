// Candidates for the points nearest to each query, by squared distances in single precision: `keep` of them, in order. All
// points that are left out have sums, or boxes whose bounds, are at least the last one's.
//   COLUMNS: of the points; PAIRS: as in halve.glsl, which makes near_rows, near_boxes and near_queries
//   KEEP: the size of the list in registers, at least `keep`
// same: the queries are the points. found, near_sums: the list of each query; places, unfinished: as in walk.glsl
float q[COLUMNS];
#if PAIRS
float rest[COLUMNS];
#endif
float best[KEEP];
uint who[KEEP];         // positions
uint own = 0xffffffffu; // the query's; 0xffffffff: none

#if PAIRS
float difference(float a, float a_rest, float b, float b_rest) {
    precise float whole = a - b, part = a_rest - b_rest, sum = whole + part;
    return sum;
}
#endif

float word_in(vec4 texel, uint word) {
    return word == 0u ? texel.x : word == 1u ? texel.y : word == 2u ? texel.z : texel.w;
}

float query_word(uint e, uint word) { return word_in(near_queries(e, word / 4u), word % 4u); }

void load_query(uint e) {
#repeat COLUMNS q[@] = query_word(e, uint(@));
#if PAIRS
#repeat COLUMNS rest[@] = query_word(e, uint(COLUMNS + @));
#endif
}

float gap(uint node, uint column, float at, float at_rest) {
#if PAIRS
    vec4 box = near_boxes(node, column);
    float below = difference(box.x, box.z, at, at_rest), above = difference(at, at_rest, box.y, box.w);
#else
    vec4 texel = near_boxes(node, column / 2u);
    vec2 box = column % 2u == 0u ? texel.xy : texel.zw;
    float below = box.x - at, above = at - box.y;
#endif
    return max(max(below, above), 0.0);
}

#if PAIRS
#define REST(c) rest[c]
#else
#define REST(c) 0.0
#endif

float bound_of(uint node) {
    float s = 0.0, d;
#repeat COLUMNS d = gap(node, uint(@), q[@], REST(@)); s += d * d;
    return s;
}

bool is_wanted(uint node, float bound) { return bound < best[KEEP - 1]; }

// clang-format off
#define SETTLE(at) { if (s < best[at]) { float b = best[at]; uint w = who[at]; best[at] = s; who[at] = position; s = b; position = w; } }
// clang-format on

void take(float s, uint position) {
#repeat KEEP SETTLE(@)
}

float column_gap(uint position, uint column, float at, float at_rest) {
    float x = word_in(near_rows(position, column / 4u), column % 4u);
#if PAIRS
    uint word = uint(COLUMNS) + column;
    return difference(at, at_rest, x, word_in(near_rows(position, word / 4u), word % 4u));
#else
    return at - x;
#endif
}

void look_at(uint position) {
    float s = 0.0, d;
#repeat COLUMNS d = column_gap(position, uint(@), q[@], REST(@)); s += d * d;
    if (s < best[KEEP - 1] && position != own) take(s, position);
}

#include "index/leaf.glsl"
#define REAL float
#include "index/trail.glsl"

// The list lies behind entries that nothing comes before; it comes in at the end and leaves there, as in nearest.glsl.
#define BELOW(at) max(at - 1, 0)
#define ABOVE(at) min(at + 1, KEEP - 1)

void load_list(uint e) {
#repeat KEEP best[@] = -1.0; who[@] = 0xffffffffu;
    for (uint a = 0u; a < keep; a++) {
#repeat KEEP best[@] = best[ABOVE(@)]; who[@] = who[ABOVE(@)];
        best[KEEP - 1] = uintBitsToFloat(0x7f800000u); // infinity
        who[KEEP - 1] = 0xffffffffu;
        if (begin != 0u) continue;
        best[KEEP - 1] = near_sums_load(e, a);
        who[KEEP - 1] = found_load(e, a);
    }
}

void store_list(uint e) {
    for (uint a = keep; a-- > 0u;) {
        near_sums_store(e, a, best[KEEP - 1]);
        found_store(e, a, who[KEEP - 1]);
#repeat KEEP best[KEEP - 1 - @] = best[BELOW(KEEP - 1 - @)]; who[KEEP - 1 - @] = who[BELOW(KEEP - 1 - @)];
    }
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 place = begin != 0u ? uvec2(1u, 0u) : places_load(e);
    if (place.x == 0u) return;
    load_query(first + e);
    own = same == 0u ? 0xffffffffu : first + e;
    load_list(e);
    place = walk(place, int(turns));
    store_list(e);
    places_store(e, place);
    if (place.x != 0u) unfinished_atomic_add(0u, 1u);
}
