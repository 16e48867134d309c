// The points nearest to each of all points: each tile of 128 × 128 pairs is computed once, for its rows and its columns.
//
// Blocks of 128 points meet as in a round-robin tournament. In round t blocks i and j meet if i + j is t, or t plus the
// number of blocks. So no block is in two tiles of a round, each is in one, and after all rounds each block has met each. A last
// round sweeps. Several ranks (src/ranks) take the rounds in turn, from first_round on: each has lists of what it has compared.
// As blocks do not meet in ascending order, a sum that equals a limit may pass: if its index is less.
#define SIDES 2
#define ROWS(q, c) points(q, c)
#include "knn/tile.glsl"
#include "knn/lists.glsl"
shared int lenient[TILE * uint(SIDES)]; // 1: what equals the limit passes

bool is_own(uint own, uint index) { return index == row_first + own; }
int limit_of(uint i) { return limits[i] + lenient[i]; }
uvec2 admitted(uint column, uint tx, uint ty) { return uvec2(0xffffffffu); }

#include "knn/candidates.glsl"
#include "knn/sweep.glsl"

// Lets sums that equal a limit pass if the index of the limit is greater than all of the other block: they come before it.
void be_lenient(uint own, uint side, uint other) {
    uint me = gl_LocalInvocationIndex;
    if (me >= TILE) return;
    int limit = limits[side + me];
    bool swept = limit >= 0 && limit != 0x7f800000;
    lenient[side + me] = swept && list_load(own + me, keep - 1u).y > other ? 1 : 0;
}

uvec2 blocks_of(uint group) {
    uint blocks = (n - 1u) / TILE + 1u, low = rounds_done / 2u + 1u;
    if (rounds_done == blocks) return uvec2(group);
    uint first = group < low ? group : rounds_done + 1u + group - low;
    return uvec2(first, group < low ? rounds_done - first : rounds_done + blocks - first);
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, tx = me % 16u, ty = me / 16u;
    uvec2 of = blocks_of(group) * TILE;
    bool last = rounds_done * TILE >= n, two = of.x != of.y;
    begin(of.x, 0u, rounds_done == first_round);
    begin(of.y, TILE, rounds_done == first_round);
    group_barrier();
    be_lenient(of.x, 0u, of.y);
    be_lenient(of.y, TILE, of.x);
    group_barrier();
    if (!last) {
        add_up(of.x, of.y, tx, ty);
        select(of.x, of.y, two, tx, ty);
    }
    if (is_full() || last) sweep(of, last);
    end(of.x, 0u);
    if (two) end(of.y, TILE);
}
