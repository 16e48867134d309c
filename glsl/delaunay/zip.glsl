// Merges two blocks from their base edge upwards (Guibas, Stolfi 1985). The base runs from r, in the right block, to l.
// On each side the candidate is the edge at l, or at r, that comes next to the base. A step compares two points by the
// circle through l, r and the first of them. On the left, then on the right, these are the ends of the candidate and of the
// edge behind it: if the second is inside, the candidate is deleted and the edge behind it follows. Then they are the ends
// of both candidates: the one that has the other outside makes a triangle with the base, and its third side is the new
// base. The merger is done when no candidate's end is above the base.
#include "exact/predicates.glsl"
#include "delaunay/edges.glsl"
#include "delaunay/blocks.glsl"

#define LEFT 0u // what a step looks at
#define RIGHT 1u
#define BOTH 2u

// The base with its ends, and their points.
uint base, l, r;
uvec4 pl, pr;

struct candidate {
    uint edge, end; // from l or r to end; NONE, if it is to be found
    uvec4 p;        // of end
    bool above;     // the base: its line has the end on the left
};

uint side;
candidate cand, left_cand; // of this side; of the left one, once that is done
ivec3 known;               // signs of this step that were found already, else UNCERTAIN

// ---- what a pass leaves to the next one ------------------------------------------------------------
// state(start / 2).zw holds the candidates, state(middle / 2) the stage, the base and the rest.

candidate candidate_at(uint edge, bool above) {
    if (edge == NONE) return candidate(NONE, NONE, uvec4(0u), above);
    uint end = target(edge);
    return candidate(edge, end, points(end), above);
}

// False if the merger is not at this stage.
bool resume() {
    uvec4 left = state_load(start / 2u), right = state_load(middle / 2u);
    if (right.x != ZIP) return false;
    first_free = left.x;
    last_free = left.y;
    base = right.y;
    r = origin_load(base);
    l = target(base);
    pr = points(r);
    pl = points(l);
    side = right.z & 3u;
    cand = candidate_at(left.z, (right.z & 4u) != 0u);
    left_cand = candidate_at(left.w, (right.z & 8u) != 0u);
    known = ivec3(right.w & 3u, right.w >> 2 & 3u, right.w >> 4 & 3u) - 1;
    return true;
}

void suspend(bool done) {
    uvec3 signs = uvec3(known + 1);
    if (done) hull_store(r, base);
    state_store(start / 2u, uvec4(first_free, last_free, cand.edge, left_cand.edge));
    state_store(middle / 2u, uvec4(done ? DONE : ZIP, base, side | uint(cand.above) << 2 | uint(left_cand.above) << 3,
                                   signs.x | signs.y << 2 | signs.z << 4));
}

// ---- choose ----------------------------------------------------------------------------------------

uint behind(uint e) { return side == LEFT ? next_load(e) : prev_load(e); }

// The two points of this step, as ends of edges. On one side: of the candidate, which is found if there is none, and of
// the edge behind it, where `above` is not known yet. On both: of the left candidate and of the right one.
void choose(out candidate c, out candidate d) {
    c = left_cand;
    d = cand;
    if (side != BOTH) {
        if (cand.edge == NONE) {
            cand.edge = behind(side == LEFT ? base ^ 1u : base);
            cand.end = target(cand.edge);
            cand.p = points(cand.end);
        }
        c = cand;
        d.edge = behind(cand.edge);
        d.end = target(d.edge);
        d.p = points(d.end);
    }
}

// ---- decide ----------------------------------------------------------------------------------------

#define DECIDED 0u
#define AGAIN 1u // one sign more is known: the step is to be taken once more
#define LATER 2u // the sign is uncertain in this pass

// Whether d comes instead of c, if both lie on one circle with l and r: the smallest row decides. `with` is the one of l
// and r that would share two triangles with d.
bool replaces_on_circle(uint c, uint d, uint with) {
    uint least = min(min(row(c), row(d)), min(row(l), row(r)));
    return least == row(d) || least == row(with);
}

// -1, 0 or 1 as a point is below, on or above the base, or UNCERTAIN.
int height(candidate c) {
    if (side == BOTH) return int(c.above);
    return c.end == l || c.end == r ? 0 : orient2d(c.p, pl, pr);
}

// c.above, on one side; and whether d comes instead of c: both are above the base, and d is inside the circle through c, l
// and r. Signs that are needed, uncertain and not known are found exactly, one a call, so that the program has the way
// there once. d is no matter if c is not above the base, nor the circle if d is not.
uint decide(inout candidate c, candidate d, out bool replaces) {
    ivec3 sign = ivec3(height(c), height(d), in_circle(c.p, pl, pr, d.p));
    replaces = false;
    for (int k = 0; k < 3; k++)
        if (sign[k] == UNCERTAIN) sign[k] = known[k];
    uint how = DECIDED;
    int k = sign.x == UNCERTAIN ? 0 : sign.x <= 0 ? 3 : sign.y == UNCERTAIN ? 1 : sign.y <= 0 ? 3 : 2;
    if (k == 3) sign.z = -1;
    else if (sign[k] == UNCERTAIN) {
        sign[k] = exact_sign(k < 2 ? uvec4[4](pl, k == 0 ? c.p : d.p, pl, pr) : uvec4[4](c.p, pl, pr, d.p), k == 2);
        how = sign[k] == UNCERTAIN ? LATER : k < 2 ? AGAIN : DECIDED;
    }
    known = how == DECIDED ? ivec3(UNCERTAIN) : sign;
    c.above = sign.x > 0;
    replaces = sign.z > 0 || (sign.z == 0 && replaces_on_circle(c.end, d.end, side == LEFT ? r : l));
    return how;
}

// ---- advance ---------------------------------------------------------------------------------------

// The new base, from the right candidate's end to l, or from r to the left one's.
void raise_base(bool right) {
    uint e = take();
    origin_store(e, right ? cand.end : r);
    origin_store(e + 1u, right ? l : left_cand.end);
    if (right) {
        link(prev_load(cand.edge ^ 1u), e, cand.edge ^ 1u);
        link(base ^ 1u, e + 1u, left_cand.edge);
        r = cand.end;
        pr = cand.p;
    } else {
        link(cand.edge, e, base);
        link(left_cand.edge ^ 1u, e + 1u, next_load(left_cand.edge ^ 1u));
        l = left_cand.end;
        pl = left_cand.p;
    }
    base = e;
}

// What follows from a step with the points of c and d. Returns true if the merger is done.
bool advance(candidate c, candidate d, bool replaces) {
    if (side == BOTH) {
        if (!c.above && !d.above) return true;
        raise_base(d.above && (replaces || !c.above));
        cand.edge = NONE;
        side = LEFT;
    } else if (replaces) {
        unlink(c.edge);
        unlink(c.edge ^ 1u);
        release(c.edge >> 1u);
        cand = d;
    } else if (side == LEFT) {
        left_cand = c;
        cand.edge = NONE;
        side = RIGHT;
    } else {
        cand.above = c.above;
        side = BOTH;
    }
    return false;
}

void kernel(uint group) {
    begin_predicates();
    if (!locate_merger(group) || !resume()) return;
    uint steps = 0u, how = DECIDED;
    bool done = false, replaces;
    for (uint i = 0u; STEP_TURNS * i < most_turns && !done; i++) {
        candidate c, d;
        choose(c, d);
        how = decide(c, d, replaces);
        if (how == LATER) break;
        if (how == AGAIN) continue;
        steps++;
        done = advance(c, d, replaces);
    }
    suspend(done);
    report(done, how == LATER, steps, exact_count);
}
