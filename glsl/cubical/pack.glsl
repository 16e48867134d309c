// Moves the entries of all columns to another texture, one after another, so that what is no longer needed takes no room.
#include "cubical/pivots.glsl"

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 column = columns_load(e, 0u);
    uint all = column.y & COUNT;
    if (column.x == NONE || all > room) return;
    uint to = counts_atomic_add(USED, all);
    if (to > room - all) return;
    for (uint k = 0u; k < all; k++) packed_store(to + k, 0u, entries(column.x + k, 0u));
    columns_store(e, 0u, uvec2(to, column.y));
}
