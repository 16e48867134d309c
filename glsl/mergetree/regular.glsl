// The branch that each vertex lies on: the first of its minimum's ancestors that has not ended by then. A
// branch is (key and vertex of its end, its parent, an older ancestor to jump to); ends rise along both.
bool ended(uvec4 b, uint k, uint v) { return b.x < k || (b.x == k && b.y <= v); }

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint at = basin_load(v) ^ 0x80000000u, k = key(v);
    uvec4 here = branch(at);
    for (uint step = 0u; step < 256u && ended(here, k, v); step++) {
        uvec4 far = branch(here.w);
        at = here.w;
        if (!ended(far, k, v)) {
            at = here.z;
            far = branch(at);
        }
        here = far;
    }
    basin_store(v, name(at));
}
