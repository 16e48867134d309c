#include "mergetree/bits.glsl"

uint moved(uint set, int dx, int dy, int dz) {
    set &= ~(dx < 0 ? X : dx > 0 ? X << 2 : 0u);
    set &= ~(dy < 0 ? Y : dy > 0 ? Y << 6 : 0u);
    set &= ~(dz < 0 ? Z : dz > 0 ? Z << 18 : 0u);
    int far = dx + 3 * dy + 9 * dz;
    return far < 0 ? set >> uint(-far) : set << uint(far);
}

// Returns the vertices of `among` that can be reached from the set `from`, from neighbor to neighbor within `among`.
uint reachable(uint from, uint among) {
    uint set = from, last = 0u;
    while (set != last) {
        last = set;
#define GROW(dx, dy, dz) set |= moved(set, dx, dy, dz) & among;
        ALL(GROW)
    }
    return set;
}

uint neighbor_set() {
    uint set = 0u;
#define NAME(dx, dy, dz) set |= BIT(dx, dy, dz);
    ALL(NAME)
    return set;
}
