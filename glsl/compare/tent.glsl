// The height of a pair's tent over a sample: the lesser of two differences, and not below 0. Ends and samples are sums of two
// singles.
float tent(vec4 pair, vec2 at) {
    precise float rises = (at.x - pair.x) + (at.y - pair.y);
    precise float falls = (pair.z - at.x) + (pair.w - at.y);
    return max(min(rises, falls), 0.0);
}
