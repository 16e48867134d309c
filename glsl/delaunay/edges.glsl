// Directed edges in pairs: e and e ^ 1 are one edge in both directions. e goes from origin(e) to origin(e ^ 1). next(e)
// is the next edge counter-clockwise around the same origin, prev(e) the previous one; prev(e ^ 1) follows e along the
// face on its left. (Guibas, Stolfi 1985.) A pair that is not in use has no origin, and next(2p) is the next such pair
// of the same block.
#define NONE 0xffffffffu

uint target(uint e) { return origin_load(e ^ 1u); }

// Puts e between x and y in the edge ring of their origin.
void link(uint x, uint e, uint y) {
    next_store(x, e);
    prev_store(e, x);
    next_store(e, y);
    prev_store(y, e);
}

void unlink(uint e) {
    uint x = prev_load(e), y = next_load(e);
    next_store(x, y);
    prev_store(y, x);
}

// The first and the last unused pair of a block; NONE if there is none.
uint first_free, last_free;

void release(uint pair) {
    origin_store(2u * pair, NONE);
    origin_store(2u * pair + 1u, NONE);
    next_store(2u * pair, first_free);
    if (first_free == NONE) last_free = pair;
    first_free = pair;
}

uint take() {
    uint pair = first_free;
    first_free = next_load(2u * pair);
    return 2u * pair;
}
