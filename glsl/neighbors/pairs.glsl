// Candidates of all points: each tile of 128 × 128 pairs is computed once, for its rows and its columns.
//
// Block i of the row_blocks from first_row on is compared with block i + o of the column_blocks from first_column on, for
// offsets o = first_offset, first_offset + stride, … `offsets` of them, around the circle of the more of both. Where both are
// the same blocks, each pair of them is compared once with half of all offsets; else with all. Offers are counted in progress. More
// than fit a list are counted but not kept: then neighbors/trim gives the point up. Limits do not change here, so that groups may
// come in any order; neighbors/trim lowers them, and is run whenever blocks have been compared with a few times as many as before.
// With LABELS only points with another label are candidates; then offsets fall, as labels of near blocks may be equal.
// advanced: the last block has been compared with the one before it.
// A sum that equals a limit passes if its index is less than that of the limit. That is of a point compared before, so of
// no point of this other block: the index is less than all of the block or greater than all.
#define SIDES 2
#define ROWS(q, c) points(q, c)
#define COLUMNS(q, c) points(q, c)
#include "neighbors/tile.glsl"
shared int limits[2u * TILE];

int limit_of(uint i) { return limits[i]; }

#if LABELS
shared uint own_label[TILE];
#include "neighbors/labels.glsl"
#else
uvec2 admitted(uint column, uint tx, uint ty) { return uvec2(0xffffffffu); }
#endif

void offer(uint own, uint at, uint index, float value) {
    if (index >= n || index == own) return;
    uint slot = progress_atomic_add(3u * own, 1u);
    if (slot < uint(CAPACITY)) list_store(own, slot, uvec2(floatBitsToUint(value), index));
}

#include "neighbors/candidates.glsl"

// Reads the limits of points own, own + 1, … to place `side` on. other: the first point of the other block.
void begin(uint own, uint side, uint other) {
    uint me = gl_LocalInvocationIndex, at = 3u * (own + me);
    if (me >= TILE) return;
    int limit = own + me < n ? int(progress_load(at + 1u)) : -1;
    bool passes = limit >= 0 && limit != 0x7f800000 && progress_load(at + 2u) > other;
    limits[side + me] = passes ? limit + 1 : limit;
}

#define CHUNK 16u // blocks that are compared with all of the offsets before the next: their points stay in caches

void kernel(uint group) {
    uint blocks = max(row_blocks, column_blocks), row = group / (CHUNK * offsets) * CHUNK + group % CHUNK,
         offset = first_offset + group / CHUNK % offsets * stride, column = (row + offset) % blocks;
    bool same = first_row == first_column;
    if (row >= row_blocks || column >= column_blocks || (same && 2u * offset == blocks && 2u * row >= blocks)) return;
    if (advanced != 0u && offset == 1u && row + 2u == blocks) return;
    uvec2 of = uvec2(first_row + row, first_column + column) * TILE, t = seat();
    begin(of.x, 0u, of.y);
    begin(of.y, TILE, of.x);
#if LABELS
    uint me = gl_LocalInvocationIndex, first = min(of.x + me, n - 1u);
    if (me < TILE) own_label[me] = labels(first / 4u)[first & 3u];
#endif
    group_barrier();
    add_up(of.x, of.y, t.x, t.y);
    select(of.x, of.y, of.x != of.y, t.x, t.y);
}
