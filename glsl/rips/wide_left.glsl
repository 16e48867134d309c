// Counts the settled cells that are left, by parts of the range of values, none of which has a cell before one of an earlier
// part. Lists those of the parts before `end_part`, each times its sum.
#include "rips/wide.glsl"

shared uint in_part[ALL_PARTS];

// 0, if its sum is 0.
uvec4 cell_left(uint k) {
    uint of = settled(k, 0u), sum = sums(of, 0u) & COEFFICIENT;
    uvec4 cell = cells(of, 0u);
    return sum != 0u ? uvec4(cell.xy, (cell.z & ~COEFFICIENT) | sum, cell.w) : uvec4(0u);
}

uint part_of(uvec4 cell) {
    float at = (uintBitsToFloat(cell.w) - from) * scale;
    return at < float(ALL_PARTS - 1u) ? uint(max(at, 0.0)) : ALL_PARTS - 1u;
}

void kernel(uint group) {
    uint lane = gl_LocalInvocationIndex, end = min(state_load(SETTLES), room);
    if (lane < ALL_PARTS) in_part[lane] = 0u;
    group_barrier();
    for (uint base = group * LOCAL; base < end; base += all_groups * LOCAL) {
        uvec4 cell = uvec4(0u);
        uint part = ALL_PARTS;
        if (base + lane < end) cell = cell_left(base + lane);
        if (cell.z != 0u) part = part_of(cell);
        if (part < ALL_PARTS) atomicAdd(in_part[part], 1u);
        uint at = reserve(part < end_part ? 1u : 0u, LISTED_LEFT);
        if (part < end_part) left_store(at, 0u, cell);
    }
    group_barrier();
    if (lane < ALL_PARTS && in_part[lane] != 0u) state_atomic_add(PARTS + lane, in_part[lane]);
}
