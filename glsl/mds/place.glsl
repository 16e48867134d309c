// The layout as every pass of mds reads it. Port: place_in, PLACE_TEXELS texels per point.

vec4 layout_distance(uint i, uvec4 j) {
    vec4 sum = vec4(0);
    for (uint t = 0u; t < PLACE_TEXELS; t++) {
        vec4 own = place_in(i, t);
        vec4 x = own - place_in(j.x, t), y = own - place_in(j.y, t);
        vec4 z = own - place_in(j.z, t), w = own - place_in(j.w, t);
        sum += vec4(dot(x, x), dot(y, y), dot(z, z), dot(w, w));
    }
    return sqrt(sum);
}

// Texel t of the unit vector from j to i, given their distance. Points that coincide have no direction: they
// part along a coordinate that both agree on, in opposite senses.
vec4 direction(uint i, uint j, uint t, float distance) {
    if (distance > 0.0) return (place_in(i, t) - place_in(j, t)) / distance;
    if (i == j) return vec4(0);
    uint axis = ((i ^ j) * 2654435761u >> 16) % DIM;
    vec4 unit = vec4(equal(uvec4(axis), 4u * t + uvec4(0, 1, 2, 3)));
    return i < j ? unit : -unit;
}

// b where c, else a. (mix() of integers is newer than GLSL 4.30.)
uvec4 pick(uvec4 a, uvec4 b, bvec4 c) { return a + uvec4(c) * (b - a); }
