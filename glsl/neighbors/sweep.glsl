// A sweep keeps, of a list, the `keep` least candidates by (sum, index), in order; the sum of the last
// is the point's new limit. A team of invocations takes a point, and ranks its candidates in shared memory.
#define TEAMS (2048u / uint(CAPACITY)) // points that a sweep handles at a time
#define TEAM (LOCAL / TEAMS)

// tile has of each team its candidates, two in a uvec4.
#define PAIRS (uint(CAPACITY) / 2u)

// Behind the last candidate is one that comes before none.
void stage(uint own, uint team, uint i, uint used) {
    uvec2 next = i + 1u < used ? list_load(own, i + 1u) : uvec2(0x7fffffffu);
    tile[team * PAIRS + i / 2u] = uvec4(list_load(own, i), next);
}

uvec2 staged(uint team, uint i) {
    uvec4 two = tile[team * PAIRS + i / 2u];
    return (i & 1u) == 0u ? two.xy : two.zw;
}

void keep_at(uint own, uint at, uint rank, uvec2 x) {
    if (rank >= keep) return;
    if (rank == keep - 1u) limits[at] = int(x.x);
    list_store(own, rank, x);
}

// The rank of a candidate: how many of the team's candidates come before it. Of equal sums the lesser point is first.
bool comes_before(uvec2 x, uvec2 y) { return int(x.x) < int(y.x) || (x.x == y.x && int(x.y) < int(y.y)); }

uint rank_of(uint team, uvec2 own, uint used) {
    uint rank = 0u, from = team * PAIRS, end = from + (used + 1u) / 2u;
    for (uint q = from; q < end; q++) rank += uint(comes_before(tile[q].xy, own)) + uint(comes_before(tile[q].zw, own));
    return rank;
}

// Moves each of the team's candidates to its rank.
void rank_all(uint own, uint at, uint team, uint lane, uint used) {
    for (uint i = lane; i < used; i += TEAM) {
        uvec2 x = staged(team, i);
        keep_at(own, at, rank_of(team, x, used), x);
    }
}

// Collects in `due` the points whose lists are to be swept: those with more than `most` candidates.
void choose(uint own, uint most) {
    uint at = gl_LocalInvocationIndex;
    if (at < TILE && row_first + own + at < row_end && counts[at] > most)
        due[atomicAdd(due_count, 1u)] = uvec2(at, own + at);
}

// Sweeps the lists with more than `most` candidates. own: the element of list of the first point.
void sweep(uint own, uint most) {
    uint team = gl_LocalInvocationIndex / TEAM, lane = gl_LocalInvocationIndex % TEAM;
    choose(own, most);
    group_barrier();
    for (uint first = 0u; first < due_count; first += TEAMS) {
        bool busy = first + team < due_count;
        uint at = due[min(first + team, due_count - 1u)].x, element = due[min(first + team, due_count - 1u)].y;
        uint used = busy ? counts[at] : 0u;
        for (uint i = 2u * lane; i < used; i += 2u * TEAM) stage(element, team, i, used);
        memoryBarrierImage();
        group_barrier();
        rank_all(element, at, team, lane, used);
        memoryBarrierImage();
        group_barrier();
        if (busy && lane == 0u) counts[at] = min(used, keep);
    }
    group_barrier();
    if (gl_LocalInvocationIndex == 0u) due_count = 0u;
    group_barrier(); // the last sweep may follow at once
}
