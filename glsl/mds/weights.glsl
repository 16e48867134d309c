// What the pairs weigh (src/dist/weights.c). Port, where WEIGHTED is 1: weights, RGBA32F: element i has the weights
// of point i with points 0, 1, 2, … four a texel, 1 at most; the diagonal, which is no pair, has their mean.
// Else all pairs weigh 1, by macros, which cost the compiler nothing.
#if WEIGHTED
float weight_at(uint i, uint j) { return weights(i, j >> 2)[j & 3u]; }

// Of the pairs of i with the points j; 0 for i itself.
vec4 weight(uint i, uvec4 j) {
    vec4 w = vec4(weight_at(i, j.x), weight_at(i, j.y), weight_at(i, j.z), weight_at(i, j.w));
    return mix(w, vec4(0), equal(j, uvec4(i)));
}

// How strong the springs of stochastic force are: in proportion to the weights, 1 at the mean of the point's row, and
// no stronger. Near sets are not mutual; stronger springs than damping was made for swing higher and higher.
vec4 spring(uint i, vec4 w) { return min(w / weight_at(i, i), vec4(1)); }

// What the sum over eight weighted springs of i is divided by in the closing phase, as by 8 where all weigh the same,
// given what the eight weigh together: in the mean over all draws the mean weight of the row counts; but a heavy pair
// takes a point no further than where it would have it, min(1, step·w) as in Zheng, Pawar, Goodman 2018.
float pull_divisor(uint i, float pull, float step) { return max(8.0 * weight_at(i, i), pull * step); }
#else
#define weight(i, j) vec4(1)
#define spring(i, w) (w)
#define pull_divisor(i, pull, step) 8.0
#endif
