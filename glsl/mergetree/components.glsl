// Makes every minimum a component of its own, without a lowest edge, which has not ended.
#include "mergetree/ended.glsl"

void kernel(uint group) {
    uint m = group * LOCAL + gl_LocalInvocationIndex;
    if (m >= n) return;
    label_store(m, m);
    best_key_store(m, NONE);
    best_at_store(m, NONE);
    depth_store(m, NONE);
}
