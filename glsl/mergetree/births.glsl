// Where each branch begins: key and vertex of its minimum.
void kernel(uint group) {
    uint m = group * LOCAL + gl_LocalInvocationIndex;
    if (m >= n) return;
    uint v = minimum(m);
    birth_store(m, 0u, uvec2(key(v), v));
}
