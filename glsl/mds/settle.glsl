// A settling step: `step` times as far as SMACOF's Guttman transform, x_i = mean over j of x_j + δ_ij (x_i - x_j)/d_ij, and on
// by `momentum` of the step before, which came from `before`. Pairs that are missing, or weigh less than 1, shorten it.
#include "dist/source.glsl"
#include "mds/place.glsl"
#include "mds/weights.glsl"

void kernel(uint e, uint t) {
    vec4 sum = vec4(0);
    for (uint first = 0u; first < n; first += 4u) {
        uvec4 j = first + uvec4(0, 1, 2, 3), other = min(j, n - 1u);
        vec4 apart[4];
        vec4 d = layout_distance(e, other, t, apart), delta = dissimilarity(e, other, 0u);
        vec4 counts = vec4(lessThan(delta, vec4(NONE))) * vec4(lessThan(j, uvec4(n)));
        vec4 strain = weight(e, other) * mix(vec4(0), delta - d, greaterThan(counts, vec4(0)));
        for (int c = 0; c < 4; c++) sum += strain[c] * direction(e, other[c], t, apart[c], d[c]);
    }
    vec4 own = place_in(e, t);
    place = own + step * sum / float(n) + momentum * (own - before(e, t));
}
