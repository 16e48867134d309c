// What lies beside a vertex along each axis.
#include "field/bits.glsl"

// The coordinates before x, x itself and the one after it, times `stride`. Beyond an end that is not periodic the
// coordinate is x again. The cell there then stands for a vertex that another cell stands for, too, or for the vertex
// itself, and so connects nothing that is not connected anyway.
uvec3 beside(uint x, uint extent, uint bit, uint stride) {
    bool around = (periodic & bit) != 0u;
    uint before = x > 0u ? x - 1u : around ? extent - 1u : x;
    uint after = x + 1u < extent ? x + 1u : around ? 0u : x;
    return uvec3(before, x, after) * stride;
}

// Returns the cells around the vertex that stand for vertices of the grid: beside() repeats the last coordinate.
uint in_grid(uint x, uint y, uint z) {
    uint set = 0x7ffffffu;
    if ((periodic & 1u) == 0u) set &= ~((x == 0u ? X : 0u) | (x + 1u == nx ? X << 2 : 0u));
    if ((periodic & 2u) == 0u) set &= ~((y == 0u ? Y : 0u) | (y + 1u == ny ? Y << 6 : 0u));
    if ((periodic & 4u) == 0u) set &= ~((z == 0u ? Z : 0u) | (z + 1u == nz ? Z << 18 : 0u));
    return set;
}
