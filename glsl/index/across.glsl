// The point nearest to each query among those of other components.
// asked: the positions of the queries; labels: the component of the point at a position; node_label: of a node, that of all its
// points, or 0xffffffff. limits: of each component the high word of a sum; farther points do not matter.
// CORES 1: sums become mutual reachabilities: the greatest of the sum and of the core distances of both ends. cores: of the
// point at a position.
// found, sums: of each query the position of what it found, or 0xffffffff; its sum, or the sum up to which there is nothing.
double reach = 0.0lf;
uint reach_point = 0xffffffffu, reach_position = 0xffffffffu, component = 0u;

// A point that is not before by its sum is not before by what that is raised to.
bool is_before(double s, uint p) { return s < reach || (s == reach && p < reach_point); }
#if CORES
double own_core = 0.0lf;
double core_at(uint position) { return packDouble2x32(cores(position)); }
#endif
bool leaves_out(uint node) { return node_label(node) == component; }

void take(double s, uint position, uint p) {
    if (labels(position) == component) return;
#if CORES
    s = max(s, max(own_core, core_at(position)));
    if (!is_before(s, p)) return;
#endif
    reach = s;
    reach_point = p;
    reach_position = position;
}

#include "index/walk.glsl"

double limit_of(uint high) {
    return packDouble2x32(high < 0x7ff00000u ? uvec2(0xffffffffu, high) : uvec2(0u, 0x7ff00000u));
}

// A walk goes on with what it has found, if that is within the limit: others may have found nearer ones meanwhile.
void go_on(uint e) {
    double was = packDouble2x32(sums_load(e, 0u));
    if (was > reach) return;
    reach = was;
    reach_position = found_load(e, 0u);
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 place = begin != 0u ? uvec2(1u, 0u) : places_load(e);
    if (place.x == 0u) return;
    uint position = asked(first + e);
    component = labels(position);
#if CORES
    own_core = core_at(position);
#endif
    load_query(position);
    reach = limit_of(limits_load(component));
    reach_position = 0xffffffffu;
    if (begin == 0u) go_on(e);
    reach_point = reach_position == 0xffffffffu ? 0xffffffffu : index_in(rows(reach_position, TEXELS - 1u));
    place = walk(place, int(turns));
    uvec2 words = unpackDouble2x32(reach);
    sums_store(e, 0u, words);
    found_store(e, 0u, reach_position);
    places_store(e, place);
    if (place.x != 0u) unfinished_atomic_add(0u, 1u);
    if (reach_position != 0xffffffffu && words.y < limits_load(component)) limits_atomic_min(component, words.y);
}
