// Labels, probabilities, outlier scores, and whether a point is an exemplar.
// scales: of each cluster, {the death of the chosen one that it is in, the greatest lambda in it and below}.
#include "hdbscan/member.glsl"

// hdbscan_share, of `most` above 0.
uvec2 share(uvec2 lambda, uvec2 most) {
    if (lambda == INFINITE || (!is_less(lambda, most) && most != INFINITE)) return uvec2(0u, 0x3ff00000u);
    return most == INFINITE ? uvec2(0u) : quotient(lambda, most);
}

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint rank = holders(v);
    uvec2 lambda = lambdas(rank);
    uvec4 mark = marks(of(rank)), scale = scales(of(rank));
    bool is_in = is_member(mark.x, lambda);
    precise double rest = 1.0lf - packDouble2x32(share(lambda, scale.zw));
    labels_store(v, 0u, is_in ? mark.y : 0xffffffffu);
    scores_store(v, 0u, is_in ? share(lambda, scale.xy) : uvec2(0u));
    outliers_store(v, 0u, unpackDouble2x32(rest));
    exemplary_store(v, 0u, uint(mark.z != 0u && mark.y != 0xffffffffu && lambda == scale.zw));
}
