// The Random set: P[(P[e] + offset + k) mod m] (Ingram 2007, section 4.4, stage 1). P permutes 0..m-1. In m iterations
// of one partner each, every point meets every other exactly once; in one iteration no two points have the same partner.
// This is sampling without replacement. Port: perm.

uvec4 partners(uint start, uint offset, uint m) {
    uvec4 at = (start + offset) % m + uvec4(0, 1, 2, 3);
    for (int round = 0; round < 3; round++) at -= m * uvec4(greaterThanEqual(at, uvec4(m))); // enough for m = 1
    return uvec4(perm(at.x), perm(at.y), perm(at.z), perm(at.w));
}
