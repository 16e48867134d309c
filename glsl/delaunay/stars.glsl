// Goes on with the stars that tiles hand on: sites that may be in a circle are found by the boxes, from the site's own
// leaf upwards. A star of which not all signs are certain is open.
//   EXACT 0: the signs are those of single precision; sites of which these are not certain are listed
//         1: where single precision is not certain of a sign, whole numbers are
// give_up: all sites are open.
#include "delaunay/ring.glsl"
#if EXACT
#include "delaunay/circle.glsl"
#endif
#include "lib/barrier.glsl"

#define BUDGET 600u  // candidates that are compared with the ring
#define VISITS 1500u // boxes

shared uint open_here, open_before, again_here, again_before;

bool is_open = false, is_again = false;
uint tried = 0u, visited = 0u;

vec2 from_home(uvec4 s) { return scale * vec2(whole_apart(s.xy, home.xy), whole_apart(s.zw, home.zw)); }

uint row_of(uint e) { return e >= GHOST ? NONE : row(e); }

#if EXACT
// Whether b is counter-clockwise of a. Where single precision is not certain, the star is open.
bool turns(vec2 a, vec2 b) {
    float z = cross2(a, b);
    is_open = is_open || abs(z) < 1e-5 * length(a) * length(b);
    return z > 0.0;
}

// Whether a candidate on the circle takes its place: the one of smallest row is joined to all four.
bool is_cut_off(uint i, uint e, vec2 q) {
    uint rq = row(e), ri = row_of(corner_name(i)), rj = row_of(corner_name(after(i))), own = row(me),
         least = min(min(rq, own), min(ri, rj));
    if (least == rq) return true;
    vec2 a = corner_at(i), b = corner_at(after(i));
    if (turns(a, q) && turns(q, b)) return least == own;
    return least == (turns(b, q) ? ri : rj);
}

uvec2 whole_plus(uvec2 a, uvec2 b) { return whole_minus(a, whole_minus(uvec2(0u), b)); }

uvec4 site_of(uint e) {
    if (e < GHOST) return site(e);
    uvec2 away = far_bits < 32u ? uvec2(1u << far_bits, 0u) : uvec2(0u, 1u << (far_bits - 32u));
    if ((e & 2u) != 0u) away = whole_minus(uvec2(0u), away);
    return (e & 1u) == 0u ? uvec4(whole_plus(home.xy, away), home.zw) : uvec4(home.xy, whole_plus(home.zw, away));
}

// Which circles a candidate is in; it is certain that it is in no others, but for those in circles.y.
uint decide(uvec2 circles, uint e, uvec4 s, vec2 q) {
    while (circles.y != 0u) {
        uint i = uint(findLSB(circles.y));
        int sign = in_circle(home, site_of(corner_name(i)), site_of(corner_name(after(i))), s, unit == 0);
        bool inside = sign == 1 || (sign == 0 && is_cut_off(i, e, q));
        circles.y ^= 1u << i;
        circles.x = (circles.x & ~(1u << i)) | (inside ? 1u << i : 0u);
        is_open = is_open || sign == 2;
    }
    return circles.x;
}
#else
uint decide(uvec2 circles, uint e, uvec4 s, vec2 q) {
    if (circles.y != 0u) is_open = is_again = true;
    return circles.x;
}
#endif

void look_at(uint e) {
    uvec4 s = site(e);
    if (e == me || s == uvec4(NO_SITE)) return;
    vec2 q = from_home(s);
    float qq = dot(q, q);
    if (qq > reach) return;
    bool is_corner = false;
#repeat 12 is_corner = is_corner || (@u < k && name[@] == e);
    if (is_corner) return;
    if (!is_in_range(qq)) is_open = true;
    tried++;
    uint circles = decide(circles_around(q, qq), e, s, q);
    if (circles != 0u && !is_open && !insert(circles, e, q)) is_open = true;
}

bool may_touch(vec4 d, vec2 low, vec2 high) {
    vec2 q = clamp(0.5 * d.xy, low, high);
    // Elsewhere in the box the error may be larger, but so is the value.
    return is_flat(d) || value_at(d, q, dot(q, q)) <= 2.0 * error_at(d, length(q)) + d.z * d.z;
}

bool may_hold(uint v) {
    uvec4 least = box(v, 0u), most = box(v, 1u);
    if (least == uvec4(NONE)) return false;
    vec2 low = from_home(least), high = from_home(most), near = clamp(vec2(0.0), low, high);
    if (dot(near, near) > reach) return false;
    for (uint i = 0u; i < k; i++)
        if (may_touch(disc_at(i), low, high)) return true;
    return false;
}

uint boxes_of(uint level) {
    uint bits = LEAF_BITS + FAN_BITS * level;
    return (n + (1u << bits) - 1u) >> bits;
}

// Goes through the boxes beside the site's own, at each level `top`.
void search() {
    uint own = me >> LEAF_BITS, top = 0u, level = 0u, base = 0u, v = own & ~3u;
    bool more = true;
    while (more && !is_open) {
        bool done = top > 0u && level == top && v == own >> (FAN_BITS * top);
        if (!done && may_hold(base + v)) {
            if (level > 0u) {
                level--;
                base -= boxes_of(level);
                v <<= FAN_BITS;
                continue;
            }
            uint end = min((v + 1u) << LEAF_BITS, n);
            for (uint e = v << LEAF_BITS; e < end && !is_open; e++) look_at(e);
        }
        if (++visited > VISITS || tried > BUDGET) is_open = true;
        v++;
        while (more && ((v & 3u) == 0u || v >= boxes_of(level))) {
            bool up = level == top;
            base += boxes_of(level);
            level++;
            if (up) {
                top++;
                v = (own >> (FAN_BITS * top)) & ~3u;
                more = boxes_of(level) > 1u;
                break;
            }
            v = ((v - 1u) >> FAN_BITS) + 1u;
        }
    }
}

// A ring with ghosts begins anew, for here they are at another distance: with these it might not be convex.
void load_ring(uvec2 s) {
    bool ghosts = false;
    for (uint i = 0u; i < s.y; i++) ghosts = ghosts || list_load(s.x + i) >= GHOST;
    k = ghosts ? 4u : s.y;
    for (uint i = 0u; i < k; i++) {
        uint e = ghosts ? GHOST + i : list_load(s.x + i);
        vec2 q = ghosts ? ghost_at(e) : from_home(site(e));
        is_open = is_open || !is_in_range(dot(q, q));
        set_corner(i, e, q);
    }
    set_circles();
}

// The width of the smallest box around the site that has one, in units.
float width_around() {
    float width = 0.0;
    for (uint level = 0u, base = 0u; width == 0.0 && base < boxes; base += boxes_of(level), level++) {
        uint v = base + (me >> (LEAF_BITS + FAN_BITS * level));
        uvec4 least = box(v, 0u), most = box(v, 1u);
        width = max(whole_apart(most.xy, least.xy), whole_apart(most.zw, least.zw));
    }
    return width;
}

// Leaves the star in name[0 … k - 1], if it is closed.
void find_star(uvec2 s) {
    set_scale(4.0 * width_around());
    load_ring(s);
    search();
    for (uint i = 0u; i < k; i++) is_open = is_open || corner_name(i) >= GHOST;
}

void kernel(uint group) {
    uint lane = gl_LocalInvocationIndex, e = group * LOCAL + lane;
    if (lane == 0u) open_here = again_here = 0u;
    group_barrier();
    k = 0u;
    is_open = is_again = false;
    tried = visited = 0u;
    uint first = 0u, place = 0u;
    if (e < count) {
        me = pending(e);
        home = site(me);
        first = star_load(me).x;
        if (give_up != 0u) is_open = true;
        else find_star(star_load(me));
    }
    if (is_again) place = atomicAdd(again_here, 1u);
    else if (is_open) place = atomicAdd(open_here, 1u);
    group_barrier();
    if (lane == 0u) {
        open_before = counters_atomic_add(OPEN, open_here);
        again_before = counters_atomic_add(AGAIN, again_here);
    }
    group_barrier();
    if (e >= count) return;
    if (is_again) {
        again_store(again_before + place, 0u, me);
        return;
    }
    star_store(me, uvec2(first, is_open ? 0u : k));
    if (is_open) open_store(open_before + place, 0u, row(me));
    for (uint i = 0u; !is_open && i < k; i++) list_store(first + i, 0u, corner_name(i));
}
