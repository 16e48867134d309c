// Gives those that ended in a round their parents, the oldest of their components at that saddle, where all that ended
// later have theirs. round 0: those that never end. Jumps are skew-binary (Myers 1983): as far as the parent's last two
// together, if those are equally far.
#define LOAD_BRANCH branch_load
#include "mergetree/climb.glsl"
#include "mergetree/fate.glsl"

void kernel(uint group) {
    uint m = group * LOCAL + gl_LocalInvocationIndex;
    if (m >= n || depth_load(m) != (round == 0u ? NONE : ENDED | round)) return;
    if (round == 0u) {
        branch_store(m, uvec4(NONE, NONE, m, m));
        depth_store(m, 0u);
        return;
    }
    uint k = best_key(m), v = best_at(m), p = climb(label(m), k, v), near = branch_load(p).w;
    uint far = branch_load(near).w, deep = depth_load(p), middle = depth_load(near);
    branch_store(m, uvec4(k, v, p, deep - middle == middle - depth_load(far) ? far : p));
    depth_store(m, deep + 1u);
}
