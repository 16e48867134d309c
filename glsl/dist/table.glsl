// All dissimilarities of a source's rows, as the texture of a matrix (glsl/dist/matrix.glsl). A group takes a block
// of 8 × 8 tiles on or above the diagonal, an invocation a tile of 4 × 4, which it stores with its mirror image.
#include "dist/source.glsl"

void kernel(uint group) {
    uint k = gl_LocalInvocationIndex, row = 8u * (group / blocks) + k / 8u, col = 8u * (group % blocks) + k % 8u;
    if (row > col || 4u * col >= n) return;
    uvec4 i = 4u * row + uvec4(0, 1, 2, 3), j = 4u * col + uvec4(0, 1, 2, 3);
    vec4 of[4];
    dissimilarities(min(i, uvec4(n - 1u)), min(j, uvec4(n - 1u)), of);
    for (int r = 0; r < 4; r++) {
        if (i[r] < n) table_store(i[r], col, of[r]);
        if (j[r] < n && row < col) table_store(j[r], row, vec4(of[0][r], of[1][r], of[2][r], of[3][r]));
    }
}
