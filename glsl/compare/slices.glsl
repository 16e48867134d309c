// Adds to the sum of each two diagrams what they differ by on some lines. A diagram is on a line a list of steps, in order:
// its points step up, their places on the diagonal down, and the two differ by the area between their stairs. A step is its
// place on the line, times two, and 1 if it goes down.
//   first      where a diagram's steps begin on a line; lines begin at `origin`, one after the other `stride` farther
//   sum        of two diagrams, low word first; those of a group are i and j in a tile of 16 by 16 below the diagonal, of
//              which the first group takes tile `from`
// A group reads the next steps of its 32 diagrams, a window of each, and its invocations merge those up to the least place
// at which a window ends. Windows are short, so that many groups are at work at once. Lists of diagrams i lie one after the
// other, those of diagrams j interleaved: invocations beside each other have one i and all j, and read other banks of shared
// memory.
#include "lib/barrier.glsl"

#define WINDOW 60u
#define SIDE 16u
#define BEHIND 0xffffffffu // behind all steps

shared uint rising[SIDE * (WINDOW + 1u)], falling[SIDE * (WINDOW + 1u)], start[2u * SIDE], end[2u * SIDE], common_end;

uint row_of(uint tile) {
    uint row = uint((sqrt(8.0 * float(tile) + 1.0) - 1.0) * 0.5);
    if (row * (row + 1u) / 2u > tile) row--;
    if ((row + 1u) * (row + 2u) / 2u <= tile) row++;
    return row;
}

uint slot_of(uint list, uint k) { return list < SIDE ? list * (WINDOW + 1u) + k : k * SIDE + list - SIDE; }

// What goes up in a diagram j makes the difference go down.
void read_step(uint list, uint k) {
    if (k > WINDOW) return;
    uint e = start[list] + k, step = k < WINDOW && e < end[list] ? steps(e) : BEHIND;
    if (list < SIDE) rising[slot_of(list, k)] = step;
    else falling[slot_of(list, k)] = step == BEHIND ? BEHIND : step ^ 1u;
}

uint step_of(uint list, uint k) { return list < SIDE ? rising[slot_of(list, k)] : falling[slot_of(list, k)]; }

// Reads the windows, 8 invocations each, and finds where the first of them ends.
void read_windows(uint me) {
#repeat 8 read_step(me / 8u, me % 8u + 8u * @u);
    if (me == 0u) common_end = BEHIND - 1u;
    group_barrier();
    if (me < 2u * SIDE && end[me] - start[me] > WINDOW) atomicMin(common_end, step_of(me, WINDOW - 1u) | 1u);
    group_barrier();
}

// Returns low + count if so many steps of a list behind `low` are within `until`, else low.
uint low_or_more(uint list, uint low, uint count, uint until) {
    return step_of(list, min(low + count - 1u, WINDOW)) <= until ? low + count : low;
}

// Moves the start of a list behind what was merged.
void leave_behind(uint list, uint until) {
    uint low = 0u;
#repeat 6 low = low_or_more(list, low, 32u >> @u, until);
    start[list] += low;
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, tile = from + group, row = row_of(tile), column = tile - row * (row + 1u) / 2u;
    uint i = row * SIDE + me / SIDE, j = column * SIDE + me % SIDE,
         mine = (me < SIDE ? row : column) * SIDE + me % SIDE;
    uint e = group * 256u + me, low = 0u, high = 0u, carry, own_start = 0u, own_end = 0u;
    if (begun != 0u) {
        uvec2 before = sum_load(e);
        low = before.x;
        high = before.y;
    }
    if (me < 2u * SIDE && mine < n) {
        own_start = first(mine);
        own_end = first(mine + 1u);
    }
    for (uint line = 0u; line < lines; line++) {
        if (me < 2u * SIDE) {
            start[me] = origin + own_start + line * stride;
            end[me] = origin + own_end + line * stride;
        }
        group_barrier();
        int height = 0;
        for (bool more = true; more;) {
            read_windows(me);
            uint until = common_end, a = slot_of(me / SIDE, 0u), b = slot_of(SIDE + me % SIDE, 0u);
            uint next_a = rising[a], next_b = falling[b], now = min(next_a, next_b);
            while (now <= until) {
                // The area is the sum of places where the stairs come together less that of those where they part; there are as
                // many of either. `parts` is all ones where they part: the complement is the negative less 1.
                int down = int(now & 1u), below = height - down;
                uint parts = uint((below >> 31) ^ (down - 1));
                low = uaddCarry(low, (now >> 1) ^ parts, carry);
                high += parts + carry;
                height = below + 1 - down;
                if (next_a <= next_b) next_a = rising[++a];
                else next_b = falling[b += SIDE];
                now = min(next_a, next_b);
            }
            more = until != BEHIND - 1u;
            if (more && me < 2u * SIDE) leave_behind(me, until);
            group_barrier();
        }
    }
    if (i >= n || j >= i) return;
    uint parted = lines * (first(i + 1u) - first(i) + first(j + 1u) - first(j)) / 2u;
    low = uaddCarry(low, parted, carry);
    sum_store(e, uvec2(low, high + carry));
}
