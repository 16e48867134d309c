// Dissimilarities of dense points (src/dist/points.c). Port: given, RGBA32F, TEXELS texels per element.
// Sums squares of differences, not |x|² + |y|² - 2x·y, which cancels. Wide points take eight texels a loop turn, because
// the turns are limited (src/gpu/gpu.h, GPU_TURNS).
#if TEXELS > 2048
#define TURN(step) step(0u) step(1u) step(2u) step(3u) step(4u) step(5u) step(6u) step(7u)
const uint TEXELS_A_TURN = 8u;
#else
#define TURN(step) step(0u)
const uint TEXELS_A_TURN = 1u;
#endif
#define INSIDE(k) (k == 0u || t + k < uint(TEXELS))

vec4 dissimilarity(uint i, uvec4 j, uint slot) {
    vec4 sum = vec4(0);
#define ONE_ROW(k)                                                                             \
    if (INSIDE(k)) {                                                                           \
        vec4 own = given(i, t + k);                                                            \
        sum += vec4(accumulate(own - given(j.x, t + k)), accumulate(own - given(j.y, t + k)),  \
                    accumulate(own - given(j.z, t + k)), accumulate(own - given(j.w, t + k))); \
    }
    for (uint t = 0u; t < uint(TEXELS); t += TEXELS_A_TURN) { TURN(ONE_ROW) }
    return finish(sum);
}

// Every fetched texel serves four pairs.
void dissimilarities(uvec4 i, uvec4 j, out vec4 of[4]) {
    for (int k = 0; k < 4; k++) of[k] = vec4(0);
#define FOUR_ROWS(k)                                                                                     \
    if (INSIDE(k)) {                                                                                     \
        vec4 a = given(j.x, t + k), b = given(j.y, t + k), c = given(j.z, t + k), d = given(j.w, t + k); \
        for (int r = 0; r < 4; r++) {                                                                    \
            vec4 x = given(i[r], t + k);                                                                 \
            of[r] += vec4(accumulate(x - a), accumulate(x - b), accumulate(x - c), accumulate(x - d));   \
        }                                                                                                \
    }
    for (uint t = 0u; t < uint(TEXELS); t += TEXELS_A_TURN) { TURN(FOUR_ROWS) }
    for (int k = 0; k < 4; k++) of[k] = finish(of[k]);
}
