// The lower common tangent of two blocks, which is the first base edge of their merger. Uniform begin: 1 begins the
// mergers, 0 continues them.
#include "exact/predicates.glsl"
#include "delaunay/edges.glsl"
#include "delaunay/blocks.glsl"

int orientation(uint a, uint b, uint c) {
    uvec4 p[4] = uvec4[4](points(a), points(a), points(b), points(c));
    int s = orient2d(p[1], p[2], p[3]);
    return s == UNCERTAIN ? exact_sign(p, false) : s;
}

// Joins the lists of unused pairs of both blocks.
void join() {
    uvec4 left = state_load(start / 2u), right = state_load(middle / 2u);
    first_free = left.x == NONE ? right.x : left.x;
    last_free = right.x == NONE ? left.y : right.y;
    if (left.x != NONE && right.x != NONE) next_store(2u * left.y, right.x);
}

// Makes the base edge from b's origin to a's. It is prev to b and next to a. b is NONE if the right block is one point.
uint connect(uint a, uint b, uint right) {
    uint e = take(), from = origin_load(a), to = b == NONE ? right : origin_load(b);
    origin_store(e, to);
    origin_store(e + 1u, from);
    if (b == NONE) link(e, e, e);
    else link(prev_load(b), e, b);
    link(a, e + 1u, next_load(a));
    hull_store(from, e + 1u);
    return e;
}

void kernel(uint group) {
    begin_predicates();
    if (!locate_merger(group)) return;
    uint right = ends(middle / 2u).y, a, b, steps = 0u;
    uint unmoved = 0u; // how many sides in a row did not move
    bool left = true;
    if (begin != 0u) {
        join();
        a = prev_load(hull_load(ends(middle / 2u).x));
        b = hull_load(right);
    } else {
        uvec4 at = state_load(middle / 2u);
        if (at.x != TANGENT) return;
        a = at.y;
        b = at.z;
        unmoved = at.w >> 1;
        left = (at.w & 1u) != 0u;
        first_free = state_load(start / 2u).x;
        last_free = state_load(start / 2u).y;
    }
    bool uncertain = false;
    for (; unmoved < 2u && STEP_TURNS * steps < most_turns; left = !left) {
        uint from = origin_load(a), to = b == NONE ? right : origin_load(b);
        uint e = left ? a : b;
        int sign = -1;
        if (e != NONE) {
            // orient2d is positive if the other block's point is on the outer side of edge e.
            uint other = target(e);
            sign = orientation(left ? to : from, left ? from : other, left ? other : to);
        }
        uncertain = sign == UNCERTAIN;
        if (uncertain) break;
        steps++;
        unmoved++;
        if (sign <= 0) continue;
        if (left) a = prev_load(a ^ 1u);
        else b = next_load(b ^ 1u);
        unmoved = 0u;
    }
    bool done = unmoved >= 2u;
    if (done) a = connect(a, b, right);
    // What the next stage starts with: see resume() in zip.glsl.
    state_store(start / 2u, uvec4(first_free, last_free, NONE, NONE));
    state_store(middle / 2u, done ? uvec4(ZIP, a, 0u, NOTHING_KNOWN) : uvec4(TANGENT, a, b, unmoved << 1 | uint(left)));
    report(done, uncertain, steps, exact_count);
}
