#include "field/bits.glsl"

uint moved(uint set, int dx, int dy, int dz) {
    set &= ~(dx < 0 ? X : dx > 0 ? X << 2 : 0u);
    set &= ~(dy < 0 ? Y : dy > 0 ? Y << 6 : 0u);
    set &= ~(dz < 0 ? Z : dz > 0 ? Z << 18 : 0u);
    int far = dx + 3 * dy + 9 * dz;
    return far < 0 ? set >> uint(-far) : set << uint(far);
}

// Returns the set and its neighbors. Those across corners are found along one axis after the other.
uint grown(uint set) {
#if HOOD == 26
    set |= moved(set, -1, 0, 0) | moved(set, 1, 0, 0);
    set |= moved(set, 0, -1, 0) | moved(set, 0, 1, 0);
    return set | moved(set, 0, 0, -1) | moved(set, 0, 0, 1);
#else
    uint more = set;
#define GROW(dx, dy, dz) more |= moved(set, dx, dy, dz);
    ALL(GROW)
    return more;
#endif
}

// Returns the vertices of `among` that can be reached from the set `from`, from neighbor to neighbor within `among`.
uint reachable(uint from, uint among) {
    uint set = from, last = 0u;
    while (set != last) {
        last = set;
        set |= grown(set) & among;
    }
    return set;
}

uint neighbor_set() {
    uint set = 0u;
#define NAME(dx, dy, dz) set |= BIT(dx, dy, dz);
    ALL(NAME)
    return set;
}
