// Lets the coboundaries of edges flow along the discrete gradient. An invocation takes edges (owner, number of the direction),
// one after another. It goes from vertex to vertex in their order, for about `most` turns of loops. What is left is a column (pivots.glsl), which
// is not known if not all squares had room. Those on their way come last. counts[USED] counts entries, also those that there is
// no room for.
#include "cubical/visit.glsl"
#include "cubical/pivots.glsl"
#include "lib/barrier.glsl"

const uint FRONT = 64u;     // vertices that squares are on their way to
const uint CRITICAL = 32u;  // vertices with critical squares
const uint SENT = 12u;      // a vertex rarely sends to more vertices
const uint VISIT = 100u;    // turns of the loops of a visit, about
const uint MOST = 1u << 31; // entries, more than there is ever room for; from here on nobody counts

// One array of all, too large for registers: of smaller ones, which some compilers keep there, Radeon's made a program
// that took it more than 10 s.
uint kept[3u * FRONT + 2u * CRITICAL], fronts = 0u, criticals = 0u, turns = 0u;
bool lost = false;
#define front_key(i) kept[i]
#define front_at(i) kept[FRONT + (i)]
#define front_set(i) kept[2u * FRONT + (i)]
#define critical_at(i) kept[3u * FRONT + (i)]
#define critical_set(i) kept[3u * FRONT + CRITICAL + (i)]

void push(uint k, uint v, uint square) {
    turns += fronts;
    for (uint i = 0u; i < fronts; i++)
        if (front_at(i) == v) {
            front_set(i) ^= square;
            return;
        }
    if (fronts == FRONT) {
        lost = true;
        return;
    }
    front_key(fronts) = k;
    front_at(fronts) = v;
    front_set(fronts++) = square;
}

// Takes the first vertex (vertex, its squares).
uvec2 pop() {
    uint first = 0u;
    turns += fronts;
    for (uint i = 1u; i < fronts; i++)
        if (lower(front_key(i), front_at(i), front_key(first), front_at(first))) first = i;
    uvec2 taken = uvec2(front_at(first), front_set(first));
    fronts--;
    front_key(first) = front_key(fronts);
    front_at(first) = front_at(fronts);
    front_set(first) = front_set(fronts);
    return taken;
}

shared uint taken; // edges of the group that invocations have taken, beside the first ones

// Each function is called once: compilers write calls out. A group takes LOCAL * share edges, which are neighbors: an
// invocation whose edge is done takes the next one, so that those beside it do not wait for long flows alone.
void kernel(uint group) {
    uint first = group * LOCAL * share, i = gl_LocalInvocationIndex, begin = 0u, at = 0u, on_way = 0u;
    uvec2 next = uvec2(0u);
    bool begun = false, ends = false, fits = false;
    if (i == 0u) taken = LOCAL;
    group_barrier();
    while (i < LOCAL * share && first + i < count) {
        if (!begun) {
            uvec2 edge = edges(first + i, 0u);
            next = uvec2(edge.x, 0u);
            begin = 1u << 3u * edge.y;
            at = on_way = fronts = criticals = turns = 0u;
            lost = ends = fits = false;
            begun = true;
        }
        if (!ends) {
            uvec2 left = uvec2(0u);
            uint lower_star = star(next.x, 0u);
            if ((begin | next.y) != 0u) left = visit(next.x, lower_star, next.y, begin);
            for (uint k = 0u; k < squares_of(left.y); k++) {
                uvec3 sent = send(next.x, lower_star, left.y, k);
                if (sent.z != 0u) push(sent.x, sent.y, sent.z);
            }
            if (left.x != 0u) {
                critical_at(criticals) = next.x;
                critical_set(criticals++) = left.x | STAYS;
            }
            begin = 0u;
            turns += VISIT;
            ends = turns >= most || lost || fronts == 0u || fronts > FRONT - SENT || criticals == CRITICAL;
            if (ends && !lost) {
                at = counts_load(USED) < MOST ? counts_atomic_add(USED, criticals + fronts) : MOST;
                fits = at + criticals + fronts <= room;
                for (uint i = 0u; i < criticals && fits; i++)
                    entries_store(at + i, 0u, uvec2(critical_at(i), critical_set(i)));
            }
        } else if (fits && next.y != 0u) entries_store(at + criticals + on_way++, 0u, next);
        if (fronts == 0u || lost) {
            columns_store(first + i, 0u, lost ? uvec2(NONE, 0u) : uvec2(at, criticals + on_way));
            i = atomicAdd(taken, 1u);
            begun = false;
        } else next = pop();
    }
}
