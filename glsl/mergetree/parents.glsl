// Gives the branches that ended in a round their parents: the oldest branch of their component at that saddle, among those
// that end later, which have their parents already. round 0: the branches that have not ended, their own parents. Jumps are
// skew-binary (Myers 1983): to the jump of the parent's jump if the parent's two last jumps are equally long, else to the
// parent.
#define LOAD_BRANCH branch_load
#include "mergetree/climb.glsl"
#include "mergetree/ended.glsl"

void kernel(uint group) {
    uint m = group * LOCAL + gl_LocalInvocationIndex;
    if (m >= n) return;
    uint state = depth_load(m);
    if (round == 0u ? state < SEEN : state != (ENDED | round)) return;
    if (round == 0u) {
        branch_store(m, uvec4(NONE, NONE, m, m));
        depth_store(m, 0u);
        return;
    }
    uint k = best_key(m), v = best_at(m), p = climb(label(m), k, v), one_jump = branch_load(p).w;
    uint two_jumps = branch_load(one_jump).w, deep = depth_load(p), middle = depth_load(one_jump);
    branch_store(m, uvec4(k, v, p, deep - middle == middle - depth_load(two_jumps) ? two_jumps : p));
    depth_store(m, deep + 1u);
}
