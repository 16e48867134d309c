// Lists points that are to search: they have no candidate, and may have an edge as short as their component's shortest.
#include "tree/append.glsl"

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    bool asks = v < n && to(v) == 0xffffffffu;
    asks = asks && sum(v).y <= best_high(label(v));
    uint at = reserve(asks, 0u);
    if (asks) list_store(at, 0u, v);
}
