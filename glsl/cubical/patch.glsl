// What ends some pairs is another square: patches: {number of the pair, owner of the square, or all bits: nothing ends it}.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 patch_ = patches(e, 0u);
    bool never = patch_.y == 0xffffffffu;
    pairs_store(patch_.x, 0u, uvec4(pairs_load(patch_.x, 0u).xy, never ? 0xffffffffu : key(patch_.y), patch_.y));
}
