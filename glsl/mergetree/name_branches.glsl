// Makes the forest a list for the CPU: in place of its parent and its jump a branch gets the vertices where it and its
// parent begin. No other branch looks at them any more.
void kernel(uint group) {
    uint m = group * LOCAL + gl_LocalInvocationIndex;
    if (m >= n) return;
    uvec4 end = branch_load(m);
    branch_store(m, uvec4(end.xy, minimum(m), minimum(end.z)));
}
