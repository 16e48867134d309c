// The Random set: P[(P[e] + offset + k) mod m] (Ingram 2007, section 4.4, stage 1). P permutes 0..m-1, so over
// m iterations of one partner each, every point meets every other exactly once, and in each iteration no
// two points meet the same one: sampling without replacement. Port: perm. Requires offset < m.

uint partner(uint start, uint k, uint m) {
    uint at = start + k;
    while (at >= m) at -= m;
    return perm(at);
}

uvec4 partners(uint start, uint offset, uint m) {
    uint at = start + offset;
    return uvec4(partner(at, 0u, m), partner(at, 1u, m), partner(at, 2u, m), partner(at, 3u, m));
}
