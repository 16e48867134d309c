// The closing step: stochastic majorization. With all other points as partners and step 1 it would be SMACOF's Guttman
// transform, x_i = mean over j of x_j + δ_ij (x_i - x_j)/d_ij. With 8 drawn partners it is an unbiased estimate of that;
// steps that decrease remove the noise.
#include "dist/source.glsl"
#include "mds/place.glsl"
#include "mds/partners.glsl"
#include "mds/weights.glsl"

void kernel(uint e, uint t) {
    uint start = perm(e);
    vec4 sum = vec4(0);
    float pull = 0.0;
    for (uint k = 0u; k < 8u; k += 4u) {
        uvec4 j = partners(start, offset + k, m);
        vec4 apart[4];
        vec4 d = layout_distance(e, j, t, apart), delta = dissimilarity(e, j, k / 4u);
        bvec4 counts = lessThan(delta, vec4(NONE));
        vec4 w = weight(e, j), strain = w * mix(vec4(0), delta - d, counts);
        pull += dot(w, vec4(counts));
        for (int c = 0; c < 4; c++) sum += strain[c] * direction(e, j[c], t, apart[c], d[c]);
    }
    place = place_in(e, t) + step * sum / pull_divisor(e, pull, step);
}
