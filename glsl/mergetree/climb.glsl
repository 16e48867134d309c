// The forest of branches. A branch is (key and vertex of its end, its parent, its jump: an older ancestor). Its parent and
// its jump end later than it does. The shader that includes this has a port `branch` and defines LOAD_BRANCH, which
// reads it.
bool ended(uvec4 b, uint k, uint v) { return b.x < k || (b.x == k && b.y <= v); }

// Returns the first of `at` and its ancestors that ends after (k, v). Jumps make the steps logarithmic in the depth.
uint climb(uint at, uint k, uint v) {
    uvec4 here = LOAD_BRANCH(at);
    for (uint step = 0u; step < 512u && ended(here, k, v); step++) {
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
