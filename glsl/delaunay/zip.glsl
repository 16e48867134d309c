// Merges two blocks from their first base edge upwards (Guibas, Stolfi 1985). The base goes from r, in the right block,
// to l, in the left one. On each side the candidate is the edge at l, or at r, that is next to the base.
// A step compares two points by the circle through l, r and the first point. On one side the points are the end of the
// candidate and the end of the edge behind it: if the second point is inside the circle, the candidate is deleted and
// the edge behind it becomes the candidate. This is done on the left, then on the right. Then the points are the ends
// of both candidates: the candidate whose circle does not hold the other end makes a triangle with the base, and the
// third side of that triangle is the new base. The merger is done when no candidate ends above the base.
#include "exact/predicates.glsl"
#include "delaunay/edges.glsl"
#include "delaunay/blocks.glsl"

#define LEFT 0u // what a step looks at
#define RIGHT 1u
#define BOTH 2u

// The base edge, its ends, and their points.
uint base, l, r;
uvec4 pl, pr;

struct candidate {
    uint edge, end; // the edge from l or r, and where it ends; NONE: not looked up yet
    uvec4 p;        // the point `end`
    bool above;     // the end is above the base: left of its line
};

uint side;
candidate cand, left_cand; // the candidate of this side; that of the left side, once it is known
ivec3 known;               // signs of this step that are known already, else UNCERTAIN

// ---- what a pass leaves to the next one ------------------------------------------------------------
// state(start / 2).zw holds the candidates; state(middle / 2) the stage, the base, and the rest packed in two words.

candidate candidate_at(uint edge, bool above) {
    if (edge == NONE) return candidate(NONE, NONE, uvec4(0u), above);
    uint end = target(edge);
    return candidate(edge, end, points(end), above);
}

// Loads the merger's state. Returns false if the merger is at another stage.
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

// Sets the two edges whose ends this step compares. On one side: the candidate, which is looked up if it is not known,
// and the edge behind it, whose `above` is not known yet. On both: the left candidate and the right one.
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
#define AGAIN 1u // one more sign is known: the step is repeated
#define LATER 2u // a sign stays uncertain in this pass

// Returns true if d replaces c when both are on one circle with l and r. The polygon of the four is cut into triangles
// from its point of smallest row. d replaces c if that point is d, or `fan`, the one of l and r that two triangles with
// d would share.
bool replaces_on_circle(uint c, uint d, uint fan) {
    uint least = min(min(row(c), row(d)), min(row(l), row(r)));
    return least == row(d) || least == row(fan);
}

// Returns -1, 0 or 1 as the end of c is below, on or above the base, or UNCERTAIN.
int height(candidate c) {
    if (side == BOTH) return int(c.above);
    return c.end == l || c.end == r ? 0 : orient2d(c.p, pl, pr);
}

// Sets c.above, and `replaces`: c and d end above the base, and the end of d is inside the circle through l, r and the
// end of c. Signs that are needed and uncertain are found exactly, one in each call, so that the program contains the
// code for it once. The sign of d does not matter if c is not above the base, and that of the circle does not matter if
// d is not.
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

// Replaces the base by the edge from the right candidate's end to l, or from r to the left one's.
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

// Carries out what a step has decided. Returns true if the merger is done.
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
