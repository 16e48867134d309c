// GPU-SF, stages 5 to 7 (Ingram 2007, sections 4.2 and 4.4): damped spring forces of both sets, integrated by
// Euler's rule into velocity and position. `inertia` 0 forgets the old velocities. Points below `fixed_count`
// stay where they are.
#include "mds/place.glsl"

const float STEP = 0.3, DAMPING = 0.3;

// The velocity before; 0 if velocities are to be forgotten, as the texture may then hold anything, also NaN.
vec4 velocity_of(uint i, uint t) { return mix(vec4(0), velocity_in(i, t), bvec4(inertia > 0.0)); }

// The velocity that the velocity of e is damped against: that of member i. Where weights leave most pairs out, sets have
// few members, but springs as strong as ever. There an empty place, whose index is the point's own, damps against rest.
vec4 velocity_beside(uint e, uint i, uint t) {
#if WEIGHTED
    return i == e ? vec4(0) : velocity_of(i, t);
#else
    return velocity_of(i, t);
#endif
}

vec4 force(uint e, uint t, vec4 velocity_here, uvec4 sets, vec4 strains) {
    vec4 apart[4];
    vec4 distances = layout_distance(e, sets, t, apart), sum = vec4(0);
    for (int k = 0; k < 4; k++)
        sum += strains[k] * direction(e, sets[k], t, apart[k], distances[k]) -
               DAMPING * (velocity_here - velocity_beside(e, sets[k], t));
    return sum;
}

void kernel(uint e, uint t) {
    vec4 at = place_in(e, t), v = vec4(0);
    if (e >= fixed_count) {
        v = velocity_of(e, t);
        uvec4 n = pick(near(e), uvec4(e), equal(near_high(e), vec4(3e38)));
        vec4 f = force(e, t, v, n, near_strain(e)) + force(e, t, v, random(e), random_strain(e));
        v += STEP * f / 8.0;
        at += STEP * v;
    }
    velocity = v;
    place = at;
}
