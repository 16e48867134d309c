// Merges two blocks from their base edge upwards. Each turn looks at a candidate, the edge next to the base on
// one side: if the candidate behind it is nearer (inside the circle of the base and the candidate), it goes;
// else, with both sides settled, the nearer one's end and the base make a triangle with a new base. The base
// runs from r, on the right, to l; in all tests the circle is that through cand, l, r.
#include "alpha/predicates.glsl"
#include "alpha/edges.glsl"
#include "alpha/blocks.glsl"

#define LEFT 0u
#define RIGHT 1u
#define CHOOSE 2u

// The circle's verdict on d, or, where it passes through d, that of the smallest name: which of a, l, r, d it
// is decides whether d comes instead of a; `with` is the one of l and r that would share two triangles with d.
bool is_nearer(uvec4 a, uvec4 l, uvec4 r, uvec4 d, uint names[4], uint with) {
    int s = circle(a, l, r, d);
    if (s == UNCERTAIN) s = exact_sign(uvec4[4](a, l, r, d), true);
    if (s != 0) return s > 0;
    uint least = NONE;
    for (int i = 0; i < 4; i++) least = min(least, name(names[i]));
    return least == name(names[3]) || least == name(with);
}

int turn_of(uvec4 a, uvec4 b, uvec4 c) {
    int s = turn(a, b, c);
    return s == UNCERTAIN ? exact_sign(uvec4[4](a, a, b, c), false) : s;
}

void kernel(uint group) {
    if (!find_merger(group)) return;
    uvec4 at = state_load(middle / 2u);
    if (at.x != ZIP) return;
    uvec2 unused = state_load(start / 2u).xy;
    first_free = unused.x;
    last_free = unused.y;
    uint base = at.y, tests = 0u, r = origin_load(base), l = target(base), side = LEFT;
    uvec4 pr = points(r), pl = points(l);
    // The candidate, its end, whether that is above the base; of the left side when it is settled.
    uint cand = NONE, end, left_cand, left_end;
    uvec4 p, left_p;
    bool above, left_above, done = false;
    for (uint turns = 0u; turns < most_turns && !done; turns++) {
        uint next, d = end;
        uvec4 a = left_p, pd = p;
        bool in_doubt = left_above && above;
        if (side != CHOOSE) {
            if (cand == NONE) {
                cand = side == LEFT ? around_load(base ^ 1u) : before_load(base);
                end = target(cand);
                p = points(end);
                above = turn_of(p, pl, pr) > 0;
            }
            next = side == LEFT ? around_load(cand) : before_load(cand);
            d = target(next);
            pd = points(d);
            a = p;
            in_doubt = above && turn_of(pd, pl, pr) > 0;
        }
        bool nearer = false;
        if (in_doubt) {
            uint names[4] = uint[4](side == CHOOSE ? left_end : end, l, r, d);
            nearer = is_nearer(a, pl, pr, pd, names, side == LEFT ? r : l);
            tests++;
        }
        if (side != CHOOSE && nearer) {
            unlink(cand);
            unlink(cand ^ 1u);
            release(cand >> 1u);
            cand = next;
            end = d;
            p = pd;
        } else if (side == LEFT) {
            left_cand = cand;
            left_end = end;
            left_p = p;
            left_above = above;
            cand = NONE;
            side = RIGHT;
        } else if (side == RIGHT) {
            side = CHOOSE;
        } else if (!above && !left_above) {
            done = true;
        } else {
            uint e = take();
            bool right = above && (nearer || !left_above);
            origin_store(e, right ? end : r);
            origin_store(e + 1u, right ? l : left_end);
            if (right) {
                link(before_load(cand ^ 1u), e, cand ^ 1u);
                link(base ^ 1u, e + 1u, left_cand);
                r = end;
                pr = p;
            } else {
                link(cand, e, base);
                link(left_cand ^ 1u, e + 1u, around_load(left_cand ^ 1u));
                l = left_end;
                pl = left_p;
            }
            base = e;
            cand = NONE;
            side = LEFT;
        }
    }
    if (done) hull_store(r, base);
    state_store(start / 2u, uvec4(first_free, last_free, 0u, 0u));
    state_store(middle / 2u, uvec4(done ? DONE : ZIP, base, 0u, 0u));
    put_off(done, tests, exact_count);
}
