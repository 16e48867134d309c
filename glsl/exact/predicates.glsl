// orient2d and in_circle: on which side of a line, or of a circle, a point lies, exactly. Points are integers kept as
// doubles (x low, x high, y low, y high).
//
// A predicate is the sign of a determinant. Three stages find it, the cheap ones first. Each stage gives the right sign
// or UNCERTAIN.
//   1. Double precision. The sign is right if the determinant is larger than its rounding error can be. The bounds here
//     are at least four times those of correct rounding.
//   2. Pairs of doubles (exact/pair.glsl), 106 bits: decides points that are nearly, but not exactly, on one line or
//     circle.
//   3. Integers of 4·limbs limbs (exact/wide.glsl): decides all.
// Stages 1 and 2 also give the right sign if the terms are so small that nothing was rounded.
//   EXACT  0: stage 1 only (the others take long to compile); 1: all
#if EXACT
#include "exact/pair.glsl"
#include "exact/wide.glsl"
// Places of integers in wide[]: three differences in x and in y, of `limbs` limbs; CROSS and LIFT have twice as many,
// PRODUCT and SUM four times.
#define X(i) (i) * limbs
#define Y(i) (3u + (i)) * limbs
#define CROSS 6u * limbs
#define LIFT 8u * limbs
#define PRODUCT 10u * limbs
#define SUM 14u * limbs
#endif

#define UNCERTAIN 2

// Loop turns (see GPU_TURNS). Software renderers run invocations side by side and count the turns of all of them
// together, also those of an invocation that is masked; a loop that all of them skip counts one.
//   EXACT_TURNS  of one wide_determinant, at most
//   GROUP_TURNS  of all wide_determinants of a group; the first call of a group always gets its sign
//   STEP_TURNS   of a step of tangent or zip, besides
#define EXACT_TURNS (24u * limbs * limbs + 118u * limbs + 87u)
#define GROUP_TURNS (36000u - LOCAL * EXACT_TURNS)
#if EXACT
#define STEP_TURNS 16u
#else
#define STEP_TURNS 4u
#endif
#if EXACT
shared uint turns_taken;
#endif

// To be called first, by all invocations of a group.
void begin_predicates() {
#if EXACT
    if (gl_LocalInvocationIndex == 0u) turns_taken = 0u;
    memoryBarrierShared();
    barrier();
#endif
}

uint exact_count = 0u;

dvec2 point_of(uvec4 p) { return dvec2(packDouble2x32(p.xy), packDouble2x32(p.zw)); }

// Returns the sign of det, or UNCERTAIN. Nothing was rounded if magnitude is below `whole`.
int sign_of(double det, double magnitude, double relative_error, double whole) {
    if (abs(det) <= magnitude * relative_error && magnitude >= whole) return UNCERTAIN;
    return int(det > 0.0lf) - int(det < 0.0lf);
}

// ---- double precision ------------------------------------------------------------------------------

// Returns 1 if a, b, c are counter-clockwise, -1 if they are clockwise, 0 if they are on one line; or UNCERTAIN.
int orient2d(uvec4 a, uvec4 b, uvec4 c) {
    dvec2 p = point_of(a) - point_of(c), q = point_of(b) - point_of(c);
    double x = p.x * q.y, y = p.y * q.x;
    return sign_of(x - y, abs(x) + abs(y), 8.8817841970012523e-16lf, 4503599627370496.0lf); // 2^-50, 2^52
}

bool same_y(uvec4 a, uvec4 b) { return a.zw == b.zw; }
bool same_x(uvec4 a, uvec4 b) { return a.xy == b.xy; }

// Returns true if a, b, c, d are the corners of an upright rectangle, of which a, b and c, d are opposite sides.
bool are_sides(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
    return same_x(a, b) && same_x(c, d) && (same_y(a, c) ? same_y(b, d) : same_y(a, d) && same_y(b, c));
}

// Returns 1 if d is inside the circle through a, b, c, -1 if it is outside, 0 if it is on the circle; or UNCERTAIN. a,
// b, c are counter-clockwise.
int in_circle(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
    dvec2 o = point_of(d), p = point_of(a) - o, q = point_of(b) - o, r = point_of(c) - o;
    dvec3 lift = dvec3(dot(p, p), dot(q, q), dot(r, r));
    dvec3 left = dvec3(q.x * r.y, r.x * p.y, p.x * q.y), right = dvec3(q.y * r.x, r.y * p.x, p.y * q.x);
    int s = sign_of(dot(lift, left - right), dot(lift, abs(left) + abs(right)), 3.5527136788005009e-15lf, // 2^-48
                    4503599627370496.0lf);
    // Most uncertain signs of real data are these: any grid of rows and columns, whatever their distances.
    if (s == UNCERTAIN && (are_sides(a, b, c, d) || are_sides(b, c, d, a) || are_sides(a, c, b, d))) s = 0;
    return s;
}

// ---- the later stages ------------------------------------------------------------------------------

#if EXACT
// The offset of one point from another, as pairs of doubles.
struct offset {
    dvec2 x, y;
};

offset pair_offset(uvec4 p, uvec4 from) {
    return offset(pair_difference(point_of(p).x, point_of(from).x), pair_difference(point_of(p).y, point_of(from).y));
}

// Returns the determinant of a and b, and the magnitude of its terms.
dvec2 pair_cross(offset a, offset b, out double magnitude) {
    dvec2 left = pair_mul(a.x, b.y), right = pair_mul(a.y, b.x);
    magnitude = abs(left.x) + abs(right.x);
    return pair_sub(left, right);
}

// The same times the squared length of c.
dvec2 pair_lifted(offset a, offset b, offset c, inout double magnitude) {
    double size;
    dvec2 cross = pair_cross(a, b, size), lift = pair_sub(pair_mul(c.x, c.x), -pair_mul(c.y, c.y));
    magnitude += size * lift.x;
    return pair_mul(cross, lift);
}

// in_circle(p[0], p[1], p[2], p[3]), or orient2d(p[1], p[2], p[3]), in pairs of doubles. Differences are exact; products
// and sums of pairs are within 2^-100 of their magnitudes, so a determinant is within 2^-96. Integers below 2^100 are not
// rounded.
int pair_sign(uvec4 p[4], bool is_circle) {
    offset b = pair_offset(p[1], p[3]), c = pair_offset(p[2], p[3]);
    double magnitude;
    dvec2 det = pair_cross(b, c, magnitude);
    if (is_circle) {
        offset a = pair_offset(p[0], p[3]);
        magnitude = 0.0lf;
        det = pair_sub(pair_lifted(b, c, a, magnitude), -pair_lifted(c, a, b, magnitude));
        det = pair_sub(det, -pair_lifted(a, b, c, magnitude));
    }
    return sign_of(det.x, magnitude, 1.2621774483536189e-29lf, 1267650600228229401496703205376.0lf); // 2^-96, 2^100
}

// The same in integers.
int wide_determinant(uvec4 p[4], bool is_circle) {
    for (uint i = 0u; i < 3u; i++) {
        wide_difference(X(i), p[i].xy, p[3].xy);
        wide_difference(Y(i), p[i].zw, p[3].zw);
    }
    // One place where integers are multiplied, and one where they are added, keep the shader small.
    for (uint step = 0u; step < (is_circle ? 15u : 2u); step++) {
        uint i = step / 5u, j = (i + 1u) % 3u, k = (i + 2u) % 3u, part = step % 5u,
             count = part == 4u ? 2u * limbs : limbs;
        uint a = part == 0u ? X(j) : part == 1u ? Y(j) : part == 2u ? X(i) : part == 3u ? Y(i) : CROSS;
        uint b = part == 0u ? Y(k) : part == 1u ? X(k) : part == 2u ? X(i) : part == 3u ? Y(i) : LIFT;
        uint to = part < 2u ? CROSS : part < 4u ? LIFT : SUM;
        wide_mul(PRODUCT, a, b, count);
        wide_add(to, PRODUCT, 2u * count, part == 1u, part == 0u || part == 2u || step == 4u);
    }
    return is_circle ? wide_sign(SUM, 4u * limbs) : wide_sign(CROSS, 2u * limbs);
}
#endif

// Stages 2 and 3: in_circle(p[0], p[1], p[2], p[3]), or orient2d(p[1], p[2], p[3]). Returns UNCERTAIN if the group has
// used up its loop turns, which cannot happen in the first call of a group: a later pass then finds the sign.
int exact_sign(uvec4 p[4], bool is_circle) {
#if EXACT
    int s = pair_sign(p, is_circle);
    if (s != UNCERTAIN || atomicAdd(turns_taken, EXACT_TURNS) >= GROUP_TURNS) return s;
    exact_count++;
    return wide_determinant(p, is_circle);
#else
    return UNCERTAIN;
#endif
}
