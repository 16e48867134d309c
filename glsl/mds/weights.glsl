// The weights of pairs (src/dist/weights.c). Port, if WEIGHTED is 1: weights, RGBA32F. Element i has the weights of
// point i with points 0, 1, 2, …, four a texel, 1 at most. The diagonal, which is no pair, has the mean of the row.
// If WEIGHTED is 0, all pairs weigh 1, by macros, which cost the compiler nothing.
#if WEIGHTED
float weight_at(uint i, uint j) { return weights(i, j >> 2)[j & 3u]; }

// The weights of i with the points j; 0 with i itself.
vec4 weight(uint i, uvec4 j) {
    vec4 w = vec4(weight_at(i, j.x), weight_at(i, j.y), weight_at(i, j.z), weight_at(i, j.w));
    return mix(w, vec4(0), equal(j, uvec4(i)));
}

// The strength of the springs of stochastic force: in proportion to the weights, 1 for the mean of the point's row, and
// never above 1. Near sets are not mutual, so springs that are stronger than the damping swing higher and higher.
vec4 spring(uint i, vec4 w) { return min(w / weight_at(i, i), vec4(1)); }

// The divisor of the sum over eight weighted springs of i in the closing step; 8 where all weigh the same. pull: the
// weight of the eight together. The mean weight of the row counts, as in the mean over all draws. But a heavy pair moves
// a point no further than to where the pair is at its distance: min(1, step·w) in Zheng, Pawar, Goodman 2018.
float pull_divisor(uint i, float pull, float step) { return max(8.0 * weight_at(i, i), pull * step); }
#else
#define weight(i, j) vec4(1)
#define spring(i, w) (w)
#define pull_divisor(i, pull, step) 8.0
#endif
