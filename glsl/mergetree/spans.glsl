// The vertices of the field where branches begin and end, by falling; all bits: one does not end. ends: as tree_elders has them, of
// a field of `vertices`; split: it is turned.
void kernel(uint group) {
    uint p = group * LOCAL + gl_LocalInvocationIndex;
    if (p >= n) return;
    uvec4 own = ends(p);
    uvec2 span = uvec2(own.w, ~own.y);
    if (split != 0u) span = vertices - 1u - span;
    span_store(p, 0u, p < essential ? uvec2(span.x, 0xffffffffu) : span);
}
