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

// Whether d comes instead of a, if both lie on one circle with l and r: the smallest name decides. `with` is
// the one of l and r that would share two triangles with d.
bool wins(uint a, uint l, uint r, uint d, uint with) {
    uint least = min(min(name(a), name(d)), min(name(l), name(r)));
    return least == name(d) || least == name(with);
}

void kernel(uint group) {
    begin_predicates();
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
    bool above, left_above, done = false, uncertain = false;
    while (4u * tests < most_turns && !done && !uncertain) {
        tests++;
        uint next, d = end, c = left_end;
        uvec4 pd = p, pc = left_p;
        ivec3 sign = ivec3(left_above, above, 0); // c and d are above the base; d is in the circle
        if (side != CHOOSE) {
            if (cand == NONE) {
                cand = side == LEFT ? around_load(base ^ 1u) : before_load(base);
                end = target(cand);
                p = points(end);
            }
            c = end;
            pc = p;
            next = side == LEFT ? around_load(cand) : before_load(cand);
            d = target(next);
            pd = points(d);
            sign.x = c == l || c == r ? 0 : turn(pc, pl, pr);
            sign.y = d == l || d == r ? 0 : turn(pd, pl, pr);
        }
        sign.z = circle(pc, pl, pr, pd);
        for (int k = 0; k < 3; k++) {
            if (k == 2 && sign.x != UNCERTAIN && sign.y != UNCERTAIN && (sign.x <= 0 || sign.y <= 0)) sign.z = -1;
            if (sign[k] == UNCERTAIN)
                sign[k] = exact_sign(k < 2 ? uvec4[4](pl, k == 0 ? pc : pd, pl, pr) : uvec4[4](pc, pl, pr, pd), k == 2);
        }
        bool nearer = sign.z > 0 || (sign.z == 0 && wins(c, l, r, d, side == LEFT ? r : l));
        if (side != CHOOSE) above = sign.x > 0;
        uncertain = sign.x == UNCERTAIN || sign.y == UNCERTAIN || sign.z == UNCERTAIN;
        if (uncertain) {
        } else if (side != CHOOSE && nearer) {
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
    report(done, uncertain, tests, exact_count);
}
