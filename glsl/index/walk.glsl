// A walk through the tree of an index, for a query (src/index/walk.h is the same on the CPU).
//   POWER: which powers of differences are added; 0: the greatest difference is taken. COLUMNS: of the points
// rows, boxes, leasts, firsts: as src/index/textures.c lays them out; queries: as rows. each: leaves of a bucket.
// places: of each query the node that comes next and its trail; node 0: the walk is done. A walk ends after some `turns`,
// and goes on in the next dispatch. unfinished: how many walks did not end.
//
// The including shader defines
//   bool is_before(double sum, uint point)              whether a point is still looked for
//   bool leaves_out(uint node)                          whether a node has no such point, however near it is
//   void take(double sum, uint position, uint point)    takes a point that is before
#define TEXELS uint(COLUMNS / 2 + 1)

// Doubles in arrays are kept as words: NVIDIA's compiler (driver 580) makes an array of doubles one of floats.
uvec2 q[COLUMNS];

uvec2 words_at(uvec4 texel, uint second) { return second == 0u ? texel.xy : texel.zw; }

void load_query(uint position) {
#repeat COLUMNS q[@] = words_at(queries(position, uint(@ / 2)), uint(@ % 2));
}

// The index that stands behind a row's columns, in its last texel.
uint index_in(uvec4 texel) { return COLUMNS % 2 == 0 ? texel.x : texel.z; }

#include "lib/norm.glsl"

double gap(uint node, uint column, double at) {
    uvec4 texel = boxes(node, column);
    precise double below = packDouble2x32(texel.xy) - at, above = at - packDouble2x32(texel.zw);
    return max(max(below, above), 0.0lf);
}

double bound_of(uint node) {
    double s = 0.0lf;
#repeat COLUMNS s = add(s, gap(node, uint(@), packDouble2x32(q[@])));
    return s;
}

#include "index/leaf.glsl"

void look_at(uint position) {
    uvec4 texel = rows(position, 0u);
    precise double d;
    double s = 0.0lf;
    for (uint c = 0u; c < uint(COLUMNS); c++) {
        if (c > 0u && c % 2u == 0u) texel = rows(position, c / 2u);
        d = packDouble2x32(q[c]) - packDouble2x32(words_at(texel, c % 2u));
        s = add(s, d);
    }
    if (COLUMNS % 2 == 0) texel = rows(position, TEXELS - 1u);
    uint point = index_in(texel);
    if (is_before(s, point)) take(s, position, point);
}

bool is_wanted(uint node, double bound) { return is_before(bound, leasts(node)) && !leaves_out(node); }

#define REAL double
#include "index/trail.glsl"
