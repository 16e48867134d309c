// The basins beside a vertex of a grid, as labels.
#include "field/grid.glsl"

// Returns the basin of the neighbor of v in the direction of edge i: -1 along z, y, x, then 1 along x, y, z.
uint basin_at(uint v, ivec3 p, bool inside, uint i) {
    int step = i < 3u ? -1 : 1;
    uint axis = i < 3u ? 2u - i : i - 3u;
    return basin(neighbor(v, p, inside, axis == 0u ? step : 0, axis == 1u ? step : 0, axis == 2u ? step : 0));
}
