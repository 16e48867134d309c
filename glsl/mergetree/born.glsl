// Every minimum its own component, with no edge offered to it and no fate.
#include "mergetree/fate.glsl"

void kernel(uint group) {
    uint m = group * LOCAL + gl_LocalInvocationIndex;
    if (m >= n) return;
    label_store(m, m);
    best_key_store(m, NONE);
    best_at_store(m, NONE);
    depth_store(m, NONE);
}
