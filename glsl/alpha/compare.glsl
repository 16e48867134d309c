// Odd-even transposition, where keys leave the order open. Each invocation takes an item i of `list` that has the
// parity of this pass, compares the radii of items i and i + 1 as fractions of integers, and swaps the items if they
// are out of order. tie(i) = 1 if the radii are equal. state(0) counts the swaps. LIMBS: the limbs of a squared length.
#include "alpha/corners.glsl"
#include "exact/difference.glsl"

// Numbers are multiplied a limb at a time, so that programs are small: of whole products, whose loops compilers unroll,
// they made programs that took 2 s and more to compile. NVIDIA's keeps limbs in registers if it unrolls these loops, too.
#pragma optionNV(unroll all)

// Adds x·b to r, and takes the least significant limb of r away: returns it.
#define ADD(name, B)                                 \
    uint name(uint x, uint b[B], inout uint r[B]) {  \
        uint carry, low, first, second;              \
        umulExtended(x, b[0], carry, low);           \
        uint least = uaddCarry(low, r[0], first);    \
        carry += first;                              \
        for (int j = 1; j < B; j++) {                \
            uint high;                               \
            umulExtended(x, b[j], high, low);        \
            low = uaddCarry(low, carry, first);      \
            r[j - 1] = uaddCarry(low, r[j], second); \
            carry = high + first + second;           \
        }                                            \
        r[B - 1] = carry;                            \
        return least;                                \
    }
ADD(add, LIMBS)
ADD(add_long, (2 * LIMBS))

// Takes the least significant limb of r away, and puts a most significant one there.
#define SHIFT(name, A)                                   \
    void name(inout uint r[A], uint top) {               \
        for (int i = 0; i < A - 1; i++) r[i] = r[i + 1]; \
        r[A - 1] = top;                                  \
    }
SHIFT(shift, (2 * LIMBS))
SHIFT(shift_long, (3 * LIMBS))

// r = r·b, which has no more limbs than r. turns: the limbs of r.
#define MULTIPLY(name, A, by)                               \
    void name(inout uint r[A], uint b[LIMBS], uint turns) { \
        uint rest[LIMBS];                                   \
        for (int i = 0; i < LIMBS; i++) rest[i] = 0u;       \
        for (uint t = 0u; t < turns; t++) {                 \
            uint least = add(r[0], b, rest);                \
            by(r, least);                                   \
        }                                                   \
    }
MULTIPLY(multiply, (2 * LIMBS), shift)
MULTIPLY(multiply_long, (3 * LIMBS), shift_long)

int ordered(uint left, uint right, int less_significant) {
    return left == right ? less_significant : left < right ? -1 : 1;
}

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= n) return;
    uint i = list(k);
    if ((i & 1u) != parity) return;
    uvec4 first = item_load(i), second = item_load(i + 1u);
    uint turns = first.w | uint(3 * LIMBS),
         few = first.w | uint(2 * LIMBS); // first.w is 0, which compilers do not know
    uint numerator[3 * LIMBS], denominator[2 * LIMBS], first_numerator[3 * LIMBS], first_denominator[2 * LIMBS];
    for (int w = 0; w < 3 * LIMBS; w++) numerator[w] = 0u;
    for (int w = 0; w < 2 * LIMBS; w++) denominator[w] = 0u;
    for (uint id = first.z, side = 0u; side < (first.w | 2u); id = second.z, side++) {
        bool edge = id < edges;
        uvec2 end = ends(edge ? id : 0u);
        uvec3 corner = edge ? uvec3(end, end.x) : corners(id - edges);
        limbs area = limbs_of(uvec2(0u, 0x3ff00000u)); // 1
        difference before = difference(area, area);
        first_numerator = numerator;
        first_denominator = denominator;
        for (int w = 0; w < 3 * LIMBS; w++) numerator[w] = w == 0 ? 1u : 0u;
        for (uint s = 0u; s < (edge ? 1u : 3u); s++) { // a²b²c², or the squared length
            difference d = difference_of(s == 2u ? corner.y : corner.x, s == 0u ? corner.y : corner.z);
            if (s == 1u) area = limbs_sub(limbs_mul(before.x, d.y), limbs_mul(before.y, d.x));
            before = d;
            multiply_long(numerator, dot_product(d, d).limb, turns);
        }
        for (int w = 0; w < LIMBS; w++) denominator[w] = area.limb[w], denominator[w + LIMBS] = 0u;
        multiply(denominator, area.limb, few);
    }
    // Both products at once, from the least significant limb on.
    uint left[2 * LIMBS], right[2 * LIMBS];
    for (int w = 0; w < 2 * LIMBS; w++) left[w] = 0u, right[w] = 0u;
    int order = 0;
    for (uint t = 0u; t < turns; t++) {
        uint l = add_long(first_numerator[0], denominator, left), r = add_long(numerator[0], first_denominator, right);
        order = ordered(l, r, order);
        shift_long(first_numerator, 0u);
        shift_long(numerator, 0u);
    }
    for (int w = 0; w < 2 * LIMBS; w++) order = ordered(left[w], right[w], order);
    tie_store(i, 0u, order == 0 ? 1u : 0u);
    if (order <= 0) return;
    item_store(i, second);
    item_store(i + 1u, first);
    state_atomic_add(0u, 1u);
}
