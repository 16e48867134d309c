// The layout, as the passes of mds read it. Port: place_in, PLACE_TEXELS texels a point, of DIM dimensions.
const uint PLACE_TEXELS = (uint(DIM) + 3u) / 4u;

// Distances from point i to the points j, and texel t of the differences.
vec4 layout_distance(uint i, uvec4 j, uint t, out vec4 apart[4]) {
    for (int k = 0; k < 4; k++) apart[k] = vec4(0);
    vec4 sum = vec4(0);
    for (uint s = 0u; s < PLACE_TEXELS; s++) {
        vec4 own = place_in(i, s);
        vec4 x = own - place_in(j.x, s), y = own - place_in(j.y, s);
        vec4 z = own - place_in(j.z, s), w = own - place_in(j.w, s);
        sum += vec4(dot(x, x), dot(y, y), dot(z, z), dot(w, w));
        if (s == t) {
            apart[0] = x;
            apart[1] = y;
            apart[2] = z;
            apart[3] = w;
        }
    }
    return sqrt(sum);
}

vec4 layout_distance(uint i, uvec4 j) {
    vec4 apart[4];
    return layout_distance(i, j, 0u, apart);
}

// Texel t of the unit vector from j to i, by texel t of the difference and by the distance. Points that coincide have no
// direction: they part along one coordinate, the same for both, in opposite senses.
vec4 direction(uint i, uint j, uint t, vec4 difference, float distance) {
    if (distance > 0.0) return difference / distance;
    if (i == j) return vec4(0);
    uint axis = ((i ^ j) * 2654435761u >> 16) % uint(DIM);
    vec4 unit = vec4(equal(uvec4(axis), 4u * t + uvec4(0, 1, 2, 3)));
    return i < j ? unit : -unit;
}

// b where c, else a. (mix() of integers is newer than GLSL 4.30.)
uvec4 pick(uvec4 a, uvec4 b, bvec4 c) { return a + uvec4(c) * (b - a); }
