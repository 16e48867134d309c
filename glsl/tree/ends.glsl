// The components from the last that ends to the first, behind those that do not end: {~ key, ~ vertex} where one ends, or zeros, and
// {key, vertex} where it begins.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= n) return;
    bool falls = e < count;
    uint who = falls ? fallen(e) : left(e - count);
    uvec4 edge = falls ? items(e) : uvec4(0xffffffffu);
    ends_store(falls ? n - 1u - e : e - count, 0u, uvec4(~edge.y, ~edge.x, birth(who).xy));
}
