// The points nearest to each query, `keep` of them behind the first `from`.
//   KEEP 1, 4, 8, 16, 32: the size of the list in registers, at least `keep`
// found, sums: of each query its neighbors so far, position and sum (two words, the low one first), in order.
uvec2 best[KEEP];     // doubles, as words
uint who[KEEP];       // positions
uint index[KEEP];     // indices of the points there: fetched, they would cost more, and much more to compile
double after = 0.0lf; // neighbors are behind (after, after_point)
uint after_point = 0u;
uint own = 0xffffffffu; // the index of the query's own point; 0xffffffff: it has none

uint point_at(uint position);

// The list lies behind entries that nothing comes before, so that its last is always that of the array. An array with an
// index that is no constant would not be in registers. So what is read comes in at the end, the others move down, and what
// is written leaves there: a program with all entries written out is twice as large, and takes a driver four times as long to load.
#define BELOW(at) max(at - 1, 0)
#define ABOVE(at) min(at + 1, KEEP - 1)

void load_entry(uint e, uint at) {
    uvec2 s = uvec2(0u, 0x7ff00000u); // infinity
    uint position = 0xffffffffu;
    if (begin == 0u) {
        s = sums_load(e, at);
        position = found_load(e, at);
    }
#repeat KEEP best[@] = best[ABOVE(@)]; who[@] = who[ABOVE(@)]; index[@] = index[ABOVE(@)];
    best[KEEP - 1] = s;
    who[KEEP - 1] = position;
    index[KEEP - 1] = point_at(position);
}

void load_list(uint e) {
#repeat KEEP best[@] = uvec2(0u, 0xbff00000u); who[@] = index[@] = 0xffffffffu; // sums of -1
    for (uint a = 0u; a < keep; a++) load_entry(e, from + a);
}

bool comes_before(double s, uint p, double t, uint r) { return s < t || (s == t && p < r); }
bool is_before(double s, uint p) { return comes_before(s, p, packDouble2x32(best[KEEP - 1]), index[KEEP - 1]); }

// Lets (s, p) and the list's entry change places, if it comes first.
// clang-format off
#define SETTLE(at) { double b = packDouble2x32(best[at]); uint i = index[at]; if (comes_before(s, p, b, i)) { uint w = who[at]; best[at] = unpackDouble2x32(s); who[at] = position; index[at] = p; s = b; position = w; p = i; } }
// clang-format on

bool leaves_out(uint node) { return false; }

void take(double s, uint position, uint p) {
    if (p == own) return;
    if (from > 0u && !comes_before(after, after_point, s, p)) return;
#repeat KEEP SETTLE(@)
}

#include "index/walk.glsl"

// Its index; 0xffffffff where there is none.
uint point_at(uint position) { return position == 0xffffffffu ? position : index_in(rows(position, TEXELS - 1u)); }

void store_list(uint e) {
    for (uint a = keep; a-- > 0u;) {
        sums_store(e, from + a, best[KEEP - 1]);
        found_store(e, from + a, who[KEEP - 1]);
#repeat KEEP best[KEEP - 1 - @] = best[BELOW(KEEP - 1 - @)]; who[KEEP - 1 - @] = who[BELOW(KEEP - 1 - @)];
    }
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 place = begin != 0u ? uvec2(1u, 0u) : places_load(e);
    if (place.x == 0u) return;
    after = from > 0u ? packDouble2x32(sums_load(e, from - 1u)) : 0.0lf;
    after_point = from > 0u ? point_at(found_load(e, from - 1u)) : 0u;
    load_query(first + e);
    own = same == 0u ? 0xffffffffu : index_in(queries(first + e, TEXELS - 1u));
    load_list(e);
    place = walk(place, int(turns));
    store_list(e);
    places_store(e, place);
    if (place.x != 0u) unfinished_atomic_add(0u, 1u);
}
