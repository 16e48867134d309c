// A new point goes downhill beside a layout that stays (src/mds/attach.h): a group takes a place to begin at, and as many
// steps as `steps`. Ports: place_in, the layout, in up to four dimensions; wanted, a row of distances, four a texel, NONE
// where missing; found, its place, then its stress and whether it has arrived.
#include "mds/downhill.glsl"

// Twice as much as rounding may add to the stress.
const float ROUNDING = 2e-6;

void kernel(uint group) {
    uint row = group / starts;
    vec4 y = found_load(group, 0u), state = found_load(group, 1u);
    if (state.y > 0.0) return;
    look(row, y);
    vec4 now = parts[3 * LOCAL], slope = parts[0];
    float stress = now.z, before = 3e38, met = max(state.z, 1.0);
    for (uint step = 0u; step < steps && state.y == 0.0; step++) {
        vec4 by = solved(), next = y + by;
        group_barrier();
        look(row, next);
        float moved = dot(by, by);
        // Close to the least stress rounding hides whether a step leads down; it does if steps shrink.
        bool down =
            parts[3 * LOCAL].z < stress || (parts[3 * LOCAL].z <= stress * (1.0 + ROUNDING) && moved < before / 4.0);
        if (!(down && moved > 0.0)) {
            by = -slope / met; // to the mean of where all others want it (majorization)
            next = y + by;
            moved = dot(by, by);
            group_barrier();
            look(row, next);
            down = parts[3 * LOCAL].z < stress;
        }
        if (!down || !(moved > state.w * state.w)) state.y = 1.0;
        if (!down) break;
        y = next;
        before = moved;
        stress = parts[3 * LOCAL].z;
        slope = parts[0];
    }
    if (gl_LocalInvocationIndex > 0u) return;
    found_store(group, 0u, y);
    found_store(group, 1u, vec4(stress, state.yzw));
}
