// Directed edges in pairs: e runs from origin(e) to origin(e ^ 1). around(e) is the next one counter-clockwise
// with the same origin, before(e) the previous one; before(e ^ 1) follows e along the face on its left.
// A pair that is not in use has no origin, and around(2p) is the next such pair of the same block.
#define NONE 0xffffffffu

uint target(uint e) { return origin_load(e ^ 1u); }

// e between x and y in the ring of their origin.
void link(uint x, uint e, uint y) {
    around_store(x, e);
    before_store(e, x);
    around_store(e, y);
    before_store(y, e);
}

void unlink(uint e) {
    uint x = before_load(e), y = around_load(e);
    around_store(x, y);
    before_store(y, x);
}

// The unused pairs of a block: the first and the last one; NONE, if there are none.
uint first_free, last_free;

void release(uint pair) {
    origin_store(2u * pair, NONE);
    origin_store(2u * pair + 1u, NONE);
    around_store(2u * pair, first_free);
    if (first_free == NONE) last_free = pair;
    first_free = pair;
}

uint take() {
    uint pair = first_free;
    first_free = around_load(2u * pair);
    return 2u * pair;
}
