// What both forms of a reduction share: what an item is, where it comes from, how two fold.
//   REDUCTION  4 × KIND + OP (src/prim/passes.h)
//   KIND       FLOAT, UINT, PAIR (two floats) or INDEXED (partial results of an arg-min: bits of value, index)
//   OP         SUM, MIN, MAX, ARG_MIN
// Floats are compared through their ordered bits, so min, max and arg-min are exact on every driver.
#include "lib/ordered.glsl"

#define KIND (REDUCTION / 4)
#define OP (REDUCTION % 4)
#define FLOAT 0
#define UINT 1
#define PAIR 2
#define INDEXED 3
#define SUM 0
#define MIN 1
#define MAX 2
#define ARG_MIN 3

#if (KIND == PAIR && OP != SUM) || (KIND == UINT && OP == ARG_MIN) || (KIND == INDEXED && OP != ARG_MIN)
#error this KIND has no such OP
#endif

#if KIND == PAIR
#define ITEM vec2
#define OUTCOME vec2
#elif OP == ARG_MIN
#define ITEM uvec2
#define OUTCOME uvec2
#elif KIND == UINT
#define ITEM uint
#define OUTCOME uint
#elif OP == SUM
#define ITEM float
#define OUTCOME float
#else
#define ITEM uint
#define OUTCOME float
#endif

#if OP == SUM
#define IDENTITY ITEM(0)
#elif OP == ARG_MIN
#define IDENTITY uvec2(ordered_bits(0x7f800000u), 0xffffffffu)
#elif KIND == UINT
#define IDENTITY (OP == MIN ? 0xffffffffu : 0u)
#else
#define IDENTITY ordered_bits(OP == MIN ? 0x7f800000u : 0xff800000u)
#endif

// Element i of the source as an item; past the end, the identity.
ITEM item(uint i) {
    if (i >= n) return IDENTITY;
#if KIND == INDEXED
    uvec2 partial = source(i);
    return uvec2(ordered_bits(partial.x), partial.y);
#elif OP == ARG_MIN
    return uvec2(ordered(source(i)), i);
#elif KIND == FLOAT && OP != SUM
    return ordered(source(i));
#else
    return source(i);
#endif
}

ITEM fold(ITEM a, ITEM b) {
#if OP == SUM
    precise ITEM sum = a + b; // never reassociated: the tree is part of the contract
    return sum;
#elif OP == ARG_MIN
    return b.x < a.x || (b.x == a.x && b.y < a.y) ? b : a;
#elif OP == MIN
    return min(a, b);
#else
    return max(a, b);
#endif
}

ITEM fold4(ITEM a, ITEM b, ITEM c, ITEM d) { return fold(fold(a, b), fold(c, d)); }

// An item as it is stored.
OUTCOME outcome(ITEM x) {
#if OP == ARG_MIN
    return uvec2(unordered_bits(x.x), x.y);
#elif KIND == FLOAT && OP != SUM
    return unordered(x);
#else
    return x;
#endif
}
