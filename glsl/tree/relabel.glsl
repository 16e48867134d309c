// Gives points their new roots, if all are found: if counts[3] is 0. These forget the edges that they chose; counts[2]
// counts them.
//   RANKS 0: edges have four words; 1: their ranks
#include "lib/barrier.glsl"

shared uint roots;

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (gl_LocalInvocationIndex == 0u) roots = 0u;
    group_barrier();
    if (v < n && counts_load(3u, 0u) == 0u) {
        uint root = parent(label_load(v, 0u));
        label_store(v, 0u, root);
        if (root == v) {
            atomicAdd(roots, 1u);
#if RANKS
            best_store(v, 0u, 0xffffffffu);
#else
            best_high_store(v, 0u, 0x7ff00000u);
            best_low_store(v, 0u, 0xffffffffu);
            best_a_store(v, 0u, 0xffffffffu);
            best_b_store(v, 0u, 0xffffffffu);
#endif
        }
    }
    group_barrier();
    if (gl_LocalInvocationIndex == 0u && roots != 0u) counts_atomic_add(2u, roots);
}
