// Which exemplar of each piece of a cluster is nearest to a row, in single precision. An invocation has four rows, and goes
// through the pieces of a span; 16 exemplars at a time are in shared memory.
//   exemplars  sixteen an element: texel 4 · column + i has that column of exemplars 4 i … 4 i + 3
//   pieces     the first sixteen of each, and how many exemplars it has
//   spans      the first piece of each, which is even, and the end
//   closest    of two pieces, of all rows: 16 bits a piece, the exemplar's number in it and in the last bit whether another one
//              may be as near. Single precision is certain of sums that are farther apart than what rounding does to both:
//              constant + linear · root + relative · sum
#include "lib/barrier.glsl"
#define FAR 3e38
shared vec4 tile[256]; // 64 columns
vec4 sum[16];          // of row k at 4 k
float best[4], second[4];
uint nearest[4], row[4];

// Behind the end the last row is taken again.
#define PLACE_ROW(k) row[k] = min(first + uint(k) * LOCAL, rows - 1u);
void place_rows(uint first) {
#repeat 4 PLACE_ROW(@)
}

#define NOTHING(k) best[k] = second[k] = FAR, nearest[k] = 0u;
void take_nothing() {
#repeat 4 NOTHING(@)
}

#define PART(i)                                   \
    {                                             \
        vec4 e = tile[at + uint(i)], d = x.x - e; \
        sum[i] += d * d;                          \
        d = x.y - e;                              \
        sum[4 + i] += d * d;                      \
        d = x.z - e;                              \
        sum[8 + i] += d * d;                      \
        d = x.w - e;                              \
        sum[12 + i] += d * d;                     \
    }

// One column of the four rows.
void add_column(uint at, vec4 x) {
#repeat 4 PART(@)
}

void add_quad(uint at, uint quad) {
    vec4 a = points(row[0], quad), b = points(row[1], quad), c = points(row[2], quad), d = points(row[3], quad);
    add_column(at, vec4(a.x, b.x, c.x, d.x));
    add_column(at + 4u, vec4(a.y, b.y, c.y, d.y));
    add_column(at + 8u, vec4(a.z, b.z, c.z, d.z));
    add_column(at + 12u, vec4(a.w, b.w, c.w, d.w));
}

#define NONE_YET(i) sum[i] = vec4(0.0);

void add_up(uint sixteen) {
#repeat 16 NONE_YET(@)
    for (uint begin = 0u; begin < quads; begin += 16u) {
        uint texel = 16u * begin + gl_LocalInvocationIndex;
        group_barrier();
        tile[gl_LocalInvocationIndex] = texel < 16u * quads ? exemplars(sixteen, texel) : vec4(0.0);
        group_barrier();
        for (uint quad = begin; quad < min(begin + 16u, quads); quad++) add_quad(16u * (quad - begin), quad);
    }
}

#define TAKE(k, value, number)                       \
    second[k] = min(second[k], max(best[k], value)); \
    if (value < best[k]) {                           \
        best[k] = value;                             \
        nearest[k] = number;                         \
    }
#define TAKE_FOUR(k, i)                               \
    TAKE(k, sum[4 * k + i].x, from + uint(4 * i))     \
    TAKE(k, sum[4 * k + i].y, from + uint(4 * i + 1)) \
    TAKE(k, sum[4 * k + i].z, from + uint(4 * i + 2)) \
    TAKE(k, sum[4 * k + i].w, from + uint(4 * i + 3))
#define TAKE_SIXTEEN(k) TAKE_FOUR(k, 0) TAKE_FOUR(k, 1) TAKE_FOUR(k, 2) TAKE_FOUR(k, 3)
void take(uint from) {
#repeat 4 TAKE_SIXTEEN(@)
}

bool is_certain(float least, float next) { return next - least > constant + linear * sqrt(next) + relative * next; }

uvec4 search(uint piece) {
    uvec2 own = pieces(piece);
    take_nothing();
    for (uint done = 0u; done < own.y; done += 16u) {
        add_up(own.x + done / 16u);
        take(done);
    }
    bvec4 certain = bvec4(is_certain(best[0], second[0]), is_certain(best[1], second[1]),
                          is_certain(best[2], second[2]), is_certain(best[3], second[3]));
    return uvec4(nearest[0], nearest[1], nearest[2], nearest[3]) | (uvec4(not(certain)) << 15);
}

#define STORE(k) closest_store(piece / 2u * rows + row[k], found[k]);
void store(uint piece, uvec4 found) {
#repeat 4 STORE(@)
}

void kernel(uint group) {
    uint span = group / row_groups;
    place_rows(group % row_groups * 4u * LOCAL + gl_LocalInvocationIndex);
    for (uint piece = spans(span); piece < spans(span + 1u); piece += 2u) {
        uvec4 low = search(piece), high = search(piece + 1u);
        store(piece, low | high << 16);
    }
}
