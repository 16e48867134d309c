// Keeps the `keep` least candidates of each of a block of 128 points, in order, and sets its limit. fresh: there are none
// yet. last: lists that have fewer are put in order, too. A point that was offered more than its list had room for is given
// up: it has no candidates, and a limit that nothing passes.
#include "lib/barrier.glsl"
#define TILE 128u
shared uvec4 tile[1024];
#include "neighbors/lists.glsl"
#include "neighbors/sweep.glsl"

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, own = group * TILE, at = 3u * (own + me);
    bool ours = me < TILE && own + me < row_end;
    if (me == 0u) due_count = 0u;
    if (ours) {
        uint used = fresh != 0u ? 0u : progress_load(at);
        bool fits = used <= uint(CAPACITY);
        counts[me] = fits ? used : 0u;
        limits[me] = !fits ? -1 : fresh != 0u ? 0x7f800000 : int(progress_load(at + 1u));
    }
    group_barrier();
    sweep(own, last != 0u ? 0u : keep - 1u);
    if (!ours) return;
    progress_store(at, counts[me]);
    progress_store(at + 1u, uint(limits[me]));
    if (counts[me] == keep) progress_store(at + 2u, list_load(own + me, keep - 1u).y);
}
