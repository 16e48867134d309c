// Odd-even transposition, where keys leave the order open. Each invocation takes an item i of `list` that has the
// parity of this pass, compares the radii of items i and i + 1 as fractions of integers, and swaps the items if they
// are out of order. tie(i) = 1 if the radii are equal. state(0) counts the swaps. LIMBS: the limbs of a squared length.
#include "alpha/corners.glsl"
#include "exact/difference.glsl"

// Functions r = a·b of A and B limbs without a sign: one for each size, so that numbers, and with them programs, are no
// larger than needed.
#define PRODUCT(name, A, B)                                  \
    void name(uint a[A], uint b[B], out uint r[A + B]) {     \
        for (int i = 0; i < A + B; i++) r[i] = 0u;           \
        for (int i = 0; i < A; i++) {                        \
            uint carry = 0u;                                 \
            for (int j = 0; j < B; j++) {                    \
                uint high, low, first, second;               \
                umulExtended(a[i], b[j], high, low);         \
                low = uaddCarry(low, carry, first);          \
                r[i + j] = uaddCarry(low, r[i + j], second); \
                carry = high + first + second;               \
            }                                                \
            r[i + B] = carry;                                \
        }                                                    \
    }
PRODUCT(product2, LIMBS, LIMBS)
PRODUCT(product3, (2 * LIMBS), LIMBS)
PRODUCT(product5, (3 * LIMBS), (2 * LIMBS))

limbs squared(difference a) { return dot_product(a, a); }

void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k >= n) return;
    uint i = list(k);
    if ((i & 1u) != parity) return;
    uvec4 first = item_load(i), second = item_load(i + 1u);
    uint numerator[3 * LIMBS], denominator[2 * LIMBS], first_numerator[3 * LIMBS], first_denominator[2 * LIMBS];
    for (uint id = first.z, side = 0u; side < (first.w | 2u); id = second.z, side++) { // twice: first.w is 0
        bool edge = id < edges;
        uvec2 end = ends(edge ? id : 0u);
        uvec3 corner = edge ? uvec3(end, end.x) : corners(id - edges);
        limbs one = limbs_of(uvec2(0u, 0x3ff00000u)), b2 = one, c2 = one, area = one;
        difference a = difference_of(corner.x, corner.y);
        if (!edge) {
            difference b = difference_of(corner.x, corner.z);
            difference c = difference(limbs_sub(b.x, a.x), limbs_sub(b.y, a.y));
            b2 = squared(b);
            c2 = squared(c);
            area = limbs_sub(limbs_mul(a.x, b.y), limbs_mul(a.y, b.x));
        }
        uint ab[2 * LIMBS];
        first_numerator = numerator;
        first_denominator = denominator;
        product2(squared(a).limb, b2.limb, ab);
        product3(ab, c2.limb, numerator); // a²b²c², or the squared length
        product2(area.limb, area.limb, denominator);
    }
    uint left[5 * LIMBS], right[5 * LIMBS];
    product5(first_numerator, denominator, left);
    product5(numerator, first_denominator, right);
    int order = 0;
    for (int w = 0; w < 5 * LIMBS; w++) order = left[w] == right[w] ? order : left[w] < right[w] ? -1 : 1;
    tie_store(i, 0u, order == 0 ? 1u : 0u);
    if (order <= 0) return;
    item_store(i, second);
    item_store(i + 1u, first);
    state_atomic_add(0u, 1u);
}
