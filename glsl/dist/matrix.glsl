// Dissimilarities from a matrix in a texture (src/dist/matrix.c). Port: given, RGBA32F, element i has the distances
// from point i to points 0, 1, 2, … four a texel; NONE where missing.

vec4 dissimilarity(uint i, uvec4 j, uint slot) {
    uvec4 part = j & 3u;
    return vec4(given(i, j.x >> 2)[part.x], given(i, j.y >> 2)[part.y], given(i, j.z >> 2)[part.z],
                given(i, j.w >> 2)[part.w]);
}
