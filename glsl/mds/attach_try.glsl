// Where new points go downhill from beside a layout that stays (src/mds/attach.h): a group takes a row of `wanted`, and
// tries the places of the nearest points, their mean, the place that squared distances tell, and places around points
// `other`, in directions `around`. The ones of least stress go to `found`, each with how many distances the row has, and the
// least step.
#include "mds/downhill.glsl"

const uint NEAREST = 8u, OTHERS = 24u, TRIED = NEAREST + 2u + OTHERS, BATCHES = (TRIED + 3u) / 4u;
const float LEAST_STEP = 1e-6; // of the root mean square of the distances

shared vec4 tried[4u * BATCHES];
shared float stress[4u * BATCHES];
shared float least[LOCAL];
shared uint least_at[LOCAL];

// The point that follows `at` in the order of (distance, point); 3e38 and no point behind the last one.
void find_next(uint row, inout float distance, inout uint at) {
    uint k = gl_LocalInvocationIndex, best_at = 0xFFFFFFFFu;
    float best = 3e38;
    for (uint t = k; t < texels; t += LOCAL) {
        vec4 delta = wanted(row, t);
        for (uint c = 0u; c < 4u; c++) {
            bool after = at == 0xFFFFFFFFu || delta[c] > distance || (delta[c] == distance && 4u * t + c > at);
            if (!(after && delta[c] < best)) continue;
            best = delta[c];
            best_at = 4u * t + c;
        }
    }
    least[k] = best;
    least_at[k] = best_at;
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        group_barrier();
        if (k >= width) continue;
        float other_least = least[k + width];
        uint other_at = least_at[k + width];
        if (!(other_least < least[k] || (other_least == least[k] && other_at < least_at[k]))) continue;
        least[k] = other_least;
        least_at[k] = other_at;
    }
    group_barrier();
    distance = least[0];
    at = least_at[0];
    group_barrier();
}

// Returns how many nearest points there are.
uint try_nearest(uint row) {
    float distance = 0.0;
    uint at = 0xFFFFFFFFu, count = 0u;
    vec4 mean = vec4(0);
    for (uint i = 0u; i < NEAREST; i++) {
        if (i == count) find_next(row, distance, at);
        if (!(distance < NONE)) continue;
        vec4 x = place_in(at);
        mean += x;
        count++;
        if (gl_LocalInvocationIndex == 0u) tried[1u + i] = x;
    }
    if (gl_LocalInvocationIndex == 0u) tried[1u + NEAREST] = mean / float(max(count, 1u));
    return count;
}

// The place whose squared distances are nearest to the wanted ones, up to a number for all. What a row is made of goes to
// `state`: nothing, 0, how many distances there are, the least step. False: there is no such place.
bool trilaterate(uint row, out vec4 state) {
    uint k = gl_LocalInvocationIndex;
    vec4 sum = vec4(0), more = vec4(0);
    for (uint t = k; t < texels; t += LOCAL) {
        vec4 delta = wanted(row, t);
        for (uint c = 0u; c < 4u; c++) {
            if (!(delta[c] < NONE)) continue;
            vec4 x = place_in(4u * t + c);
            sum += x;
            more += vec4(1, delta[c] * delta[c], dot(x, x), 0);
        }
    }
    parts[k] = sum;
    parts[LOCAL + k] = more;
    parts[2 * LOCAL + k] = parts[3 * LOCAL + k] = vec4(0);
    add_up();
    vec4 all = parts[LOCAL], mean = parts[0] / all.x;
    float level = (all.z - all.y) / all.x;
    state = vec4(0, 0, all.x, LEAST_STEP * sqrt(all.y / all.x));
    group_barrier();
    vec4 slope = vec4(0), diagonal = vec4(0), off = vec4(0), rest = vec4(0);
    for (uint t = k; t < texels; t += LOCAL) {
        vec4 delta = wanted(row, t);
        for (uint c = 0u; c < 4u; c++) {
            if (!(delta[c] < NONE)) continue;
            vec4 x = place_in(4u * t + c), apart = x - mean;
            slope -= apart * ((dot(x, x) - delta[c] * delta[c] - level) / 2.0);
            diagonal += apart * apart;
            off += apart.xxxy * apart.yzwz;
            rest += vec4(apart.yz * apart.ww, 0, 0);
        }
    }
    parts[k] = slope;
    parts[LOCAL + k] = diagonal;
    parts[2 * LOCAL + k] = off;
    parts[3 * LOCAL + k] = rest;
    add_up();
    vec4 y = solved();
    if (k == 0u) tried[0] = y;
    group_barrier();
    return dot(y, y) > 0.0;
}

// stress becomes that of the places tried, four of them at a time.
void measure(uint row) {
    uint k = gl_LocalInvocationIndex;
    for (uint batch = 0u; batch < BATCHES; batch++) {
        vec4 sum = vec4(0), a = tried[4u * batch], b = tried[4u * batch + 1u], c = tried[4u * batch + 2u],
             d = tried[4u * batch + 3u];
        for (uint t = k; t < texels; t += LOCAL) {
            vec4 delta = wanted(row, t);
#define MEASURE_FROM(q)                                                                          \
    if (delta[q] < NONE) {                                                                       \
        vec4 x = place_in(4u * t + uint(q));                                                     \
        vec4 more = vec4(length(a - x), length(b - x), length(c - x), length(d - x)) - delta[q]; \
        sum += more * more;                                                                      \
    }
#repeat 4 MEASURE_FROM(@)
        }
        parts[k] = sum;
        add_up();
        if (k < 4u) stress[4u * batch + k] = parts[0][k] < 3e38 ? parts[0][k] : 3e38;
        group_barrier();
    }
}

void kernel(uint row) {
    uint k = gl_LocalInvocationIndex;
    vec4 state;
    if (k >= TRIED && k < 4u * BATCHES) tried[k] = vec4(0);
    bool solvable = trilaterate(row, state);
    uint count = try_nearest(row);
    float reach = 3e38; // of the point around which invocation k puts a place
    if (k < OTHERS) {
        uint point = other(k);
        reach = wanted(row, point / 4u)[point % 4u];
        tried[2u + NEAREST + k] = place_in(point) + (reach < NONE ? reach : 0.0) * around(k);
    }
    group_barrier();
    measure(row);
    if (k < OTHERS && !(reach < NONE)) stress[2u + NEAREST + k] = 3e38;
    if (k == 0u && !solvable) stress[0] = 3e38;
    if (k >= count && k < NEAREST) stress[1u + k] = 3e38;
    if (k >= TRIED && k < 4u * BATCHES) stress[k] = 3e38;
    if (k < TRIED)
        for (uint i = 0u; i < k; i++)
            if (tried[i] == tried[k]) stress[k] = 3e38; // it is tried already
    group_barrier();
    if (k >= TRIED) return;
    uint place = 0u; // of this one among all, by (stress, number)
    for (uint i = 0u; i < TRIED; i++) place += uint(stress[i] < stress[k] || (stress[i] == stress[k] && i < k));
    if (place >= starts) return;
    found_store(row * starts + place, 0u, tried[k]);
    found_store(row * starts + place, 1u, vec4(stress[k], state.yzw));
}
