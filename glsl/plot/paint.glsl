// Paints shapes into the samples of a band of rows: top(sample) becomes the highest rank of the shapes that
// cover it, so painter's order holds whatever order the invocations run in.
//
// An item is a shape within a box of samples:
//   geometry  the segment's ends (or the rectangle's corners), in samples
//   radius    of the capsule; negative: a rectangle
//   box       rank, first column | first row << 16, columns | rows << 16
//
// Whether a sample is inside must not depend on the driver: only + - * and comparisons, kept apart by
// `precise`, no division and no square root.

bool in_capsule(vec2 s, vec2 a, vec2 b, float r) {
    precise vec2 d = b - a, p = s - a, q = s - b;
    precise float along = p.x * d.x + p.y * d.y, length2 = d.x * d.x + d.y * d.y, r2 = r * r;
    precise float to_a = p.x * p.x + p.y * p.y, to_b = q.x * q.x + q.y * q.y;
    if (along <= 0.0) return to_a <= r2;
    if (along >= length2) return to_b <= r2;
    precise float across = p.x * d.y - p.y * d.x;
    precise float across2 = across * across, limit = r2 * length2;
    return across2 <= limit;
}

bool in_shape(vec2 s, vec4 ends, float r) {
    if (r < 0.0) return all(greaterThanEqual(s, ends.xy)) && all(lessThan(s, ends.zw));
    return in_capsule(s, ends.xy, ends.zw, r);
}

void kernel(uint group) {
    uint i = group * uint(LOCAL) + gl_LocalInvocationIndex;
    if (i >= items) return;
    vec4 ends = geometry(i);
    float r = radius(i);
    uvec4 b = box(i);
    uvec2 from = uvec2(b.y & 0xFFFFu, b.y >> 16), to = from + uvec2(b.z & 0xFFFFu, b.z >> 16);
    for (uint y = from.y; y < to.y; y++)
        for (uint x = from.x; x < to.x; x++)
            if (in_shape(vec2(x, y) + 0.5, ends, r)) top_atomic_max((y - first_row) * stride + x, b.x);
}
