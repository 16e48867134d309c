// A sweep keeps, of a list, the `keep` least candidates by (sum, index), in order; the sum of the last
// is the point's new limit. A team of invocations takes a point, and ranks its candidates in shared memory.
#define TEAMS (2048u / uint(CAPACITY)) // points that a sweep handles at a time
#define TEAM (LOCAL / TEAMS)

// tile has of each team the sums of its candidates, four in a uvec4, then their points.
#define QUADS (uint(CAPACITY) / 4u)

void stage(uint own, uint team, uint i, uint used) {
    uvec2 x[4];
    for (uint k = 0u; k < 4u; k++) x[k] = i + k < used ? list_load(own, i + k) : uvec2(0x7fffffffu);
    tile[2u * team * QUADS + i / 4u] = uvec4(x[0].x, x[1].x, x[2].x, x[3].x);
    tile[(2u * team + 1u) * QUADS + i / 4u] = uvec4(x[0].y, x[1].y, x[2].y, x[3].y);
}

uint staged(uint half_, uint i) {
    uvec4 four = tile[half_ * QUADS + i / 4u];
    uvec2 two = (i & 2u) == 0u ? four.xy : four.zw;
    return (i & 1u) == 0u ? two.x : two.y;
}

void keep_at(uint own, uint at, uint rank, uvec2 x) {
    if (rank >= keep) return;
    if (rank == keep - 1u) limits[at] = int(x.x);
    list_store(own, rank, x);
}

// The ranks of four candidates: how many of the team's candidates come before each. Of equal sums the lesser point is first.
#define BEFORE(x)                                        \
    {                                                    \
        rank += uvec4(lessThan(ivec4(x), ivec4(value))); \
        same += uvec4(equal(uvec4(x), value));           \
    }
#define TIED(x, y) rank += uvec4(equal(uvec4(x), value)) * uvec4(lessThan(ivec4(y), ivec4(index)));

uvec4 ranks_of(uint team, uvec4 value, uvec4 index, uint used) {
    uvec4 rank = uvec4(0u), same = uvec4(0u);
    uint from = 2u * team * QUADS, end = from + (used + 3u) / 4u;
    for (uint q = from; q < end; q++) {
        uvec4 x = tile[q];
        BEFORE(x.x) BEFORE(x.y) BEFORE(x.z) BEFORE(x.w)
    }
    bool tied = any(greaterThan(same, uvec4(1u)));
    for (uint q = from; tied && q < end; q++) {
        uvec4 x = tile[q], y = tile[q + QUADS];
        TIED(x.x, y.x) TIED(x.y, y.y) TIED(x.z, y.z) TIED(x.w, y.w)
    }
    return rank;
}

// Moves each of the team's candidates to its rank.
void rank_all(uint own, uint at, uint team, uint lane, uint used) {
    for (uint i = lane; i < used; i += 4u * TEAM) {
        uvec4 value, index;
        for (uint k = 0u; k < 4u; k++) {
            uint from = min(i + k * TEAM, uint(CAPACITY) - 1u);
            value[k] = staged(2u * team, from);
            index[k] = staged(2u * team + 1u, from);
        }
        uvec4 rank = ranks_of(team, value, index, used);
        for (uint k = 0u; k < 4u; k++)
            if (i + k * TEAM < used) keep_at(own, at, rank[k], uvec2(value[k], index[k]));
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
        for (uint i = 4u * lane; i < used; i += 4u * TEAM) stage(element, team, i, used);
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
