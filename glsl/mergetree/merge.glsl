// Merges edges into the triplet merge tree (Nigmetov, Morozov, algorithm 3). r = record[u] is the record of u's triplet:
// at the vertex saddle[r] the component of u joins that of other[r]; saddle NONE: it is essential. The saddle of a
// record does not change while a vertex may refer to it: to change u's triplet, an invocation makes a new record and
// swaps it in by compare-and-swap. Only other[r] may move on, to an older vertex that it has joined by then (see follows).
//   BEGIN 1: the edges from `count` vertices, from the `first` on, to half of their neighbors
//   BEGIN 0: `count` tasks that were left
//   IN_ORDER 1: for software renderers. Their stores are seen in order without a memory barrier; and with a memory barrier
//   that not all invocations reach, lavapipe (Mesa 22.3) loses invocations
// state[0]: records in use; state[1]: tasks left, because they took too many steps or records ran out.
#if BEGIN != 0 && BEGIN != 1
#error BEGIN must be 0 or 1
#endif
#if IN_ORDER != 0 && IN_ORDER != 1
#error IN_ORDER must be 0 or 1
#endif
#include "field/grid.glsl"

bool earlier(uint a, uint b) { return a != b && (b == NONE || (a != NONE && lower(key(a), a, key(b), b))); }

// A record that only this invocation knows; NONE: none yet.
uint mine = NONE;

bool have_record() {
    if (mine == NONE) mine = state_atomic_add(0u, 1u);
    return mine < records;
}

// Makes (s, to) the triplet of u if that is still in record r.
bool swapped(uint u, uint r, uint s, uint to) {
    saddle_store(mine, s);
    other_store(mine, to);
#if !IN_ORDER
    memoryBarrierImage();
#endif
    return record_cas(u, r, mine) == r;
}

// A way to older vertices: vertex `at`, and the record that led there (NONE: none yet) with its saddle.
struct way {
    uint at, record, saddle;
};

// r is w.at's record, sr its saddle. If sr is no later than s, moves w one vertex further and returns true. If sr is also
// no later than the saddle of the record before, that record then leads past w.at: so ways stay short. Invocations may
// store into one record at once: each stores an older vertex of the component at the record's saddle, so each of the
// stores is right, and a late one costs only steps. Another invocation may replace w.at's record meanwhile; that
// invocation then joins w.at and `to` again.
bool follows(inout way w, uint r, uint sr, uint s) {
    if (earlier(s, sr)) return false;
    uint to = other_load(r);
    if (w.record != NONE && !earlier(w.saddle, sr)) other_store(w.record, to);
    w = way(to, r, sr);
    return true;
}

// Joins a and b at vertex s. Of the two ways the one at the younger vertex goes on first: so the ways stop where they
// first coincide.
void merge(uint a, uint s, uint b) {
    way u = way(a, NONE, NONE), v = way(b, NONE, NONE);
    for (uint step = 0u; step < steps; step++) {
        if (u.at == v.at) return;
        if (earlier(v.at, u.at)) {
            way w = u;
            u = v, v = w;
        }
        uint rv = record_load(v.at), sv = saddle_load(rv);
        if (follows(v, rv, sv, s)) continue;
        uint ru = record_load(u.at), su = saddle_load(ru);
        if (follows(u, ru, su, s)) continue;
        if (!have_record()) break;
        uint to = other_load(rv);
        if (!swapped(v.at, rv, s, u.at)) continue;
        mine = NONE;
        if (sv == NONE) return;
        s = sv;
        v = way(to, NONE, NONE);
    }
    left_store(state_atomic_add(1u, 1u), 0u, uvec4(u.at, s, v.at, 0u));
}

void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
#if BEGIN
    uint v = first + e;
    ivec3 p = place(v);
    bool inside = inner(p);
    uint neighbors[13], found = 0u;
#define JOIN(dx, dy, dz)                             \
    {                                                \
        uint w = neighbor(v, p, inside, dx, dy, dz); \
        if (w != NONE) neighbors[found++] = w;       \
    }
    HALF(JOIN)
    for (uint k = 0u; k < found; k++) {
        uint w = neighbors[k];
        merge(v, earlier(w, v) ? v : w, w);
    }
#else
    uvec4 task = tasks(e);
    merge(task.x, task.y, task.z);
#endif
}
