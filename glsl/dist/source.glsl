// Where a dissimilarity comes from (src/dist/source.h): every source defines
//   vec4 dissimilarity(uint i, uvec4 j, uint slot)   from point i to the four points j; NONE where it is missing
//   void dissimilarities(uvec4 i, uvec4 j, out vec4 of[4])   of[k] = dissimilarity(i[k], j, 0)
// from the port `given`. slot counts a kernel's calls for one point: a paged source has the answers in that
// order and does not look at j.
// The distance that stands for none: of a pair that is missing, a duplicate in a set, the point itself. (Real distances
// are at most a few times the number of columns, because src/dist scales them.)
const float NONE = 3e38;

#if SOURCE < 2
#include "dist/metric.glsl"
#endif
#if SOURCE == 0
#include "dist/points.glsl"
#elif SOURCE == 1
#include "dist/sparse.glsl"
#elif SOURCE == 2
#include "dist/matrix.glsl"
#elif SOURCE == 3
#include "dist/pages.glsl"
#else
#error SOURCE must be 0 (points), 1 (sparse rows), 2 (matrix) or 3 (pages)
#endif
#if SOURCE == 1 || SOURCE == 2
void dissimilarities(uvec4 i, uvec4 j, out vec4 of[4]) {
    for (int k = 0; k < 4; k++) of[k] = dissimilarity(i[k], j, 0u);
}
#endif
