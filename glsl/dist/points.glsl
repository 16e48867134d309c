// Dissimilarities of dense points (src/dist/points.h). Port: given, RGBA32F, TEXELS texels per element.
// Differences, never |x|² + |y|² - 2x·y.

vec4 dissimilarity(uint i, uvec4 j, uint slot) {
    vec4 sum = vec4(0);
    for (uint t = 0u; t < TEXELS; t++) {
        vec4 own = given(i, t);
        sum += vec4(accumulate(own - given(j.x, t)), accumulate(own - given(j.y, t)),
                    accumulate(own - given(j.z, t)), accumulate(own - given(j.w, t)));
    }
    return finish(sum);
}

// Every fetched texel serves four pairs.
void dissimilarities(uvec4 i, uvec4 j, out vec4 of[4]) {
    for (int k = 0; k < 4; k++) of[k] = vec4(0);
    for (uint t = 0u; t < TEXELS; t++) {
        vec4 a = given(j.x, t), b = given(j.y, t), c = given(j.z, t), d = given(j.w, t);
        for (int k = 0; k < 4; k++) {
            vec4 x = given(i[k], t);
            of[k] += vec4(accumulate(x - a), accumulate(x - b), accumulate(x - c), accumulate(x - d));
        }
    }
    for (int k = 0; k < 4; k++) of[k] = finish(of[k]);
}
