// Makes the triplets of the edges that lead steepest down, which form a forest. A minimum u begins an essential class:
// (u, none, u). Every other vertex joins its lowest neighbor at once: (u, u, other). The triplet of u is in record u.
//   HOOD 0: other[u] is the lowest neighbor if that is lower than u, else NONE; otherwise the neighborhood of a grid
#include "field/order.glsl"

#if HOOD == 0
uint lowest(uint u) {
    uint to = other_load(u);
    return to == NONE ? u : to;
}
#else
#include "field/grid.glsl"
uint lowest(uint u) {
    ivec3 p = place(u);
    bool inside = inner(p);
    uint least = key(u), to = u;
#define LOOK(dx, dy, dz)                                              \
    {                                                                 \
        uint w = neighbor(u, p, inside, dx, dy, dz);                  \
        uint kw = w == NONE ? least : key(w);                         \
        if (w != NONE && lower(kw, w, least, to)) least = kw, to = w; \
    }
    ALL(LOOK)
    return to;
}
#endif

void kernel(uint group) {
    uint u = group * LOCAL + gl_LocalInvocationIndex;
    if (u >= n) return;
    uint to = lowest(u);
    record_store(u, u);
    saddle_store(u, to == u ? NONE : u);
    other_store(u, to);
}
