// What both forms of a sum share: what an item is, where it comes from, how two fold.
//   PAIR  1: two floats; 0: an integer
#if PAIR
#define ITEM vec2
#else
#define ITEM uint
#endif

// Element i of the source; past the end, zero.
ITEM item(uint i) { return i < n ? source(i) : ITEM(0); }

ITEM fold(ITEM a, ITEM b) {
    precise ITEM sum = a + b; // never reassociated: the tree is part of the contract
    return sum;
}

ITEM fold4(ITEM a, ITEM b, ITEM c, ITEM d) { return fold(fold(a, b), fold(c, d)); }
