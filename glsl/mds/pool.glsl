// Pools blocks with those behind them that are no heads (falls.glsl: at most 63). An invocation takes a block.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= n || heads(e) == 0u) return;
    vec2 sum = blocks(e);
    for (uint next = e + 1u; next < n && heads(next) == 0u; next++) sum += blocks(next);
    uint to = places(e);
    pooled_store(to, sum);
    begins_store(to, first > 0u ? e : begin(e));
}
