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

// What a merger needs to go on in the middle of a turn, beside its base: state(start / 2).zw holds the candidates,
// state(middle / 2).zw the rest.
struct standing {
    uint side, cand, left_cand;
    bool above, left_above; // of the candidates' ends: above the base
    ivec3 known;            // signs of this turn that were found, else UNCERTAIN
};

standing standing_load() {
    uvec4 left = state_load(start / 2u), right = state_load(middle / 2u);
    ivec3 known = ivec3(right.w & 3u, right.w >> 2 & 3u, right.w >> 4 & 3u) - 1;
    return standing(right.z & 3u, left.z, left.w, (right.z & 4u) != 0u, (right.z & 8u) != 0u, known);
}

void standing_store(standing s, uint stage, uint base) {
    uvec3 known = uvec3(s.known + 1);
    state_store(start / 2u, uvec4(first_free, last_free, s.cand, s.left_cand));
    state_store(middle / 2u, uvec4(stage, base, s.side | uint(s.above) << 2 | uint(s.left_above) << 3,
                                   known.x | known.y << 2 | known.z << 4));
}

void kernel(uint group) {
    begin_predicates();
    if (!find_merger(group)) return;
    uvec4 at = state_load(middle / 2u);
    if (at.x != ZIP) return;
    uvec2 unused = state_load(start / 2u).xy;
    first_free = unused.x;
    last_free = unused.y;
    standing s = standing_load();
    uint base = at.y, tests = 0u, r = origin_load(base), l = target(base);
    uvec4 pr = points(r), pl = points(l);
    // The ends of the candidates.
    uint end = s.cand == NONE ? NONE : target(s.cand), left_end = s.left_cand == NONE ? NONE : target(s.left_cand);
    uvec4 p = end == NONE ? uvec4(0u) : points(end), left_p = left_end == NONE ? uvec4(0u) : points(left_end);
    bool done = false, uncertain = false;
    for (uint turn = 0u; TURN * turn < most_turns && !done; turn++) {
        uint next, d = end, c = left_end;
        uvec4 pd = p, pc = left_p;
        ivec3 sign = ivec3(s.left_above, s.above, 0); // c and d are above the base; d is in the circle
        if (s.side != CHOOSE) {
            if (s.cand == NONE) {
                s.cand = s.side == LEFT ? around_load(base ^ 1u) : before_load(base);
                end = target(s.cand);
                p = points(end);
            }
            c = end;
            pc = p;
            next = s.side == LEFT ? around_load(s.cand) : before_load(s.cand);
            d = target(next);
            pd = points(d);
            sign.x = c == l || c == r ? 0 : orient2d(pc, pl, pr);
            sign.y = d == l || d == r ? 0 : orient2d(pd, pl, pr);
        }
        sign.z = in_circle(pc, pl, pr, pd);
        for (int k = 0; k < 3; k++)
            if (sign[k] == UNCERTAIN) sign[k] = s.known[k];
        // The first that is needed and not known, at most one a turn, is found exactly: so the program has the way there
        // once. d is no matter if c or d is not above the base.
        int k = sign.x == UNCERTAIN ? 0 : sign.x <= 0 ? 3 : sign.y == UNCERTAIN ? 1 : sign.y <= 0 ? 3 : 2;
        if (k == 3) sign.z = -1;
        else if (sign[k] == UNCERTAIN) {
            sign[k] = exact_sign(k < 2 ? uvec4[4](pl, k == 0 ? pc : pd, pl, pr) : uvec4[4](pc, pl, pr, pd), k == 2);
            s.known = sign;
            uncertain = sign[k] == UNCERTAIN;
            if (uncertain) break;
            if (k < 2) continue;
        }
        s.known = ivec3(UNCERTAIN);
        tests++;
        bool nearer = sign.z > 0 || (sign.z == 0 && wins(c, l, r, d, s.side == LEFT ? r : l));
        if (s.side != CHOOSE) s.above = sign.x > 0;
        if (s.side != CHOOSE && nearer) {
            unlink(s.cand);
            unlink(s.cand ^ 1u);
            release(s.cand >> 1u);
            s.cand = next;
            end = d;
            p = pd;
        } else if (s.side == LEFT) {
            s.left_cand = s.cand;
            left_end = end;
            left_p = p;
            s.left_above = s.above;
            s.cand = NONE;
            s.side = RIGHT;
        } else if (s.side == RIGHT) {
            s.side = CHOOSE;
        } else if (!s.above && !s.left_above) {
            done = true;
        } else {
            uint e = take();
            bool right = s.above && (nearer || !s.left_above);
            origin_store(e, right ? end : r);
            origin_store(e + 1u, right ? l : left_end);
            if (right) {
                link(before_load(s.cand ^ 1u), e, s.cand ^ 1u);
                link(base ^ 1u, e + 1u, s.left_cand);
                r = end;
                pr = p;
            } else {
                link(s.cand, e, base);
                link(s.left_cand ^ 1u, e + 1u, around_load(s.left_cand ^ 1u));
                l = left_end;
                pl = left_p;
            }
            base = e;
            s.cand = NONE;
            s.side = LEFT;
        }
    }
    if (done) hull_store(r, base);
    standing_store(s, done ? DONE : ZIP, base);
    report(done, uncertain, tests, exact_count);
}
