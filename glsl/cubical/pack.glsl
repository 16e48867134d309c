// Moves the entries of all columns to another texture, one after another, so that what is no longer needed takes no room.
#include "cubical/pivots.glsl"
#define RESERVE counts_atomic_add
#include "lib/reserve.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    uvec2 column = e < count ? columns_load(e, 0u) : uvec2(NONE, 0u);
    uint all = column.y & COUNT;
    bool moves = column.x != NONE && all <= room;
    uint to = reserve(moves ? all : 0u, USED);
    if (!moves || to > room - all) return;
    for (uint k = 0u; k < all; k++) packed_store(to + k, 0u, entries(column.x + k, 0u));
    columns_store(e, 0u, uvec2(to, column.y));
}
