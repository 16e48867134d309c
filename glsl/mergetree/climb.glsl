// The forest of branches. A branch is (key and vertex of its end, its parent, an older ancestor to jump to); ends rise
// along both. Asks for a port `branch` and LOAD_BRANCH, how it is read.
bool ended(uvec4 b, uint k, uint v) { return b.x < k || (b.x == k && b.y <= v); }

// The first of `at` and its ancestors that has not ended when (k, v) comes. Jumps make it a logarithm of steps.
uint climb(uint at, uint k, uint v) {
    uvec4 here = LOAD_BRANCH(at);
    for (uint step = 0u; step < 256u && ended(here, k, v); step++) {
        uvec4 far = LOAD_BRANCH(here.w);
        at = here.w;
        if (!ended(far, k, v)) {
            at = here.z;
            far = LOAD_BRANCH(at);
        }
        here = far;
    }
    return at;
}
