// One group folds 4096 elements into element at + group. Its tree is that of prim/reduce_four at bits 8, 8, 6, 4, 2, 0,
// so that both forms round alike. The loop's end is no constant: so compilers do not unroll the loop, and software
// renderers have half the code to compile.
#include "prim/reduce.glsl"
#include "lib/barrier.glsl"

shared ITEM tree[LOCAL];

ITEM four(uint i) { return fold4(item(i), item(i + 256u), item(i + 512u), item(i + 768u)); }

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, end = min(n, (group + 1u) * 4096u);
    ITEM folded = ITEM(0);
    for (uint i = group * 4096u + me; i < end; i += 2048u) folded = fold(folded, fold(four(i), four(i + 1024u)));
    tree[me] = folded;
    for (uint left = 64u; left > 0u; left >>= 2) {
        group_barrier();
        if (me < left) tree[me] = fold4(tree[me], tree[me + left], tree[me + 2u * left], tree[me + 3u * left]);
    }
    if (me == 0u) result_store(at + group, 0u, tree[0]);
}
