// On which side of a line, and of a circle, a point lies: exactly. Points are integers that are kept as
// doubles (x low, x high, y low, y high).
//
// A determinant in double precision decides if it is larger than its rounding errors can be; their bounds
// here are at least four times those of correct rounding. It also decides where the magnitudes of its terms
// add up to less than 2^52: everything that it was made of is then an integer that a double holds. Else the
// integers are taken apart and multiplied word by word.
//   EXACT  0: not in limbs, so who asks may be left uncertain (that code takes long to compile); 1
#if EXACT
#define REGISTERS 11
#define WIDEST 16
#include "lib/wide.glsl"
// Registers: three differences in x and in y, and what becomes of them. ZERO is never written.
#define X 0u
#define Y 3u
#define CROSS 6u
#define LIFT 7u
#define SUM 8u
#define PRODUCT 9u
#define ZERO 10u
#endif

#define UNCERTAIN 2

// Loop turns of one exact_sign, at most (see GPU_TURNS), and those that a group has for all of its own: software
// renderers count the turns of invocations that go side by side together, whichever of them is taking one.
#define EXACT_TURNS (15u * (words * words / 2u + 5u * words + 1u) + 9u * words + 3u)
#define GROUP_TURNS (36000u - LOCAL * EXACT_TURNS)
#if EXACT
shared uint turns_taken;
#endif

// Comes first, in all invocations of a group.
void begin_predicates() {
#if EXACT
    if (gl_LocalInvocationIndex == 0u) turns_taken = 0u;
    memoryBarrierShared();
    barrier();
#endif
}

uint exact_count = 0u;

dvec2 real(uvec4 p) { return dvec2(packDouble2x32(p.xy), packDouble2x32(p.zw)); }

int sign_of(double det, double magnitude, double relative_error) {
    if (abs(det) <= magnitude * relative_error && magnitude >= 4503599627370496.0lf) return UNCERTAIN;
    return int(det > 0.0lf) - int(det < 0.0lf);
}

// 1 if a, b, c turn left, -1 if right, 0 if they are on one line.
int turn(uvec4 a, uvec4 b, uvec4 c) {
    dvec2 p = real(a) - real(c), q = real(b) - real(c);
    double x = p.x * q.y, y = p.y * q.x;
    return sign_of(x - y, abs(x) + abs(y), 8.8817841970012523e-16lf); // 2^-50
}

bool level(uvec4 a, uvec4 b) { return a.zw == b.zw; }
bool upright(uvec4 a, uvec4 b) { return a.xy == b.xy; }

// Whether a, b is a side of an upright rectangle of four corners, and so is c, d.
bool are_sides(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
    return upright(a, b) && upright(c, d) && (level(a, c) ? level(b, d) : level(a, d) && level(b, c));
}

// 1 if d is inside the circle through a, b, c, which turn left, -1 if outside, 0 if on it.
int circle(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
    dvec2 o = real(d), p = real(a) - o, q = real(b) - o, r = real(c) - o;
    dvec3 lift = dvec3(dot(p, p), dot(q, q), dot(r, r));
    dvec3 left = dvec3(q.x * r.y, r.x * p.y, p.x * q.y), right = dvec3(q.y * r.x, r.y * p.x, p.y * q.x);
    int s = sign_of(dot(lift, left - right), dot(lift, abs(left) + abs(right)), 3.5527136788005009e-15lf); // 2^-48
    // Most doubts that real data has: any grid of rows and columns, whatever their distances.
    if (s == UNCERTAIN && (are_sides(a, b, c, d) || are_sides(b, c, d, a) || are_sides(a, c, b, d))) s = 0;
    return s;
}

// The two above, in wide integers: circle(p[0], p[1], p[2], p[3]), or turn(p[1], p[2], p[3]). UNCERTAIN: later,
// the group has had its turns. (Not in the first call.)
int exact_sign(uvec4 p[4], bool is_circle) {
#if EXACT
    if (atomicAdd(turns_taken, EXACT_TURNS) >= GROUP_TURNS) return UNCERTAIN;
    exact_count++;
    for (uint i = 0u; i < words; i++) wide[ZERO * words + i] = 0u;
    for (uint i = 0u; i < 3u; i++) {
        wide_difference(X + i, p[i].xy, p[3].xy);
        wide_difference(Y + i, p[i].zw, p[3].zw);
    }
    // One place where integers are multiplied, and one where they are added, keep the shader small.
    for (uint step = 0u; step < (is_circle ? 15u : 2u); step++) {
        uint i = step / 5u, j = (i + 1u) % 3u, k = (i + 2u) % 3u, part = step % 5u;
        uint a = part == 0u ? X + j : part == 1u ? Y + j : part == 2u ? X + i : part == 3u ? Y + i : CROSS;
        uint b = part == 0u ? Y + k : part == 1u ? X + k : part == 2u ? X + i : part == 3u ? Y + i : LIFT;
        uint to = part < 2u ? CROSS : part < 4u ? LIFT : SUM;
        wide_mul(PRODUCT, a, b);
        wide_add(to, part == 0u || part == 2u || step == 4u ? ZERO : to, PRODUCT, part == 1u);
    }
    return wide_sign(is_circle ? SUM : CROSS);
#else
    return UNCERTAIN;
#endif
}
