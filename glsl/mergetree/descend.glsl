// The tree of the edges that lead steepest down: a minimum u begins a component that never ends, (u, none, u); every
// other vertex joins the lowest of its neighbours at once, (u, u, other). u's triplet is in record u.
//   HOOD 0: other[u] is the lowest neighbour that lies lower, NONE at a minimum; else the neighbourhood of a grid
#include "mergetree/order.glsl"

#if HOOD == 0
uint lowest(uint u) {
    uint to = other_load(u);
    return to == NONE ? u : to;
}
#else
#include "mergetree/grid.glsl"
uint lowest(uint u) {
    ivec3 p = place(u);
    bool inside = inner(p);
    uint least = key(u), to = u;
#define LOOK(dx, dy, dz)                                                   \
    {                                                                      \
        uint w = near(u, p, inside, dx, dy, dz);                           \
        uint kw = w == NONE ? least : key(w);                              \
        if (w != NONE && lower(kw, w, least, to)) least = kw, to = w;      \
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
