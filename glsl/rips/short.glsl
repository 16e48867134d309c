// Reduces columns, a group each, as src/persistence/reduce.c does it. The first cells of a column are in shared memory, each
// once with its sum, and so are its terms. The pivot is the earliest cell whose sum is not 0. It is cancelled by the column
// that owns it: that of an apparent pair, or that of an earlier record. If a later column owns it, this one takes the pivot by
// compare-and-swap, and the group goes on with the later column; so nothing waits.
//   records: the pivot of a column; the column, where its terms begin and how many they are, the cofacets of its simplex. A
//     record never changes. The first ones belong to the columns whose pivot is their first cofacet (rips/first.glsl).
//   slots: a hash table of the pivots that are owned: numbers of records
//   last: of each column, its record; ZERO: it has no pivot; with LEFT: the record of what it was when it had no room, or took too
//     many turns; its first record if there was no room for that one; with LEFT and AGAIN: LARGE 1 has left the column, and no
//     group begins it
//   state: records, terms, cofacets made and columns added (their upper halves in the next words), columns left
// Where distances are lists, cofacets are few and terms many: several terms are looked at at once, by WIDTH invocations each; and
// first groups have little room (LARGE 0), so that many are at work at once, then those of the columns that are left have much.
// Each function is called in one place, in one loop, because compilers copy a function to each place that calls it.
#if LISTS == 2
#define BITS vertex_bits
#endif
#include "rips/apparent.glsl"
#include "lib/ordered.glsl"

// There is no more room for terms than for cells, because terms are added up where cells are.
#if LISTS == 2 && LARGE
const uint ROOM = 640u, ROOM_OF_TERMS = 640u, SLOTS = 1024u, WIDTH = 32u;
#elif LISTS == 2
const uint ROOM = 320u, ROOM_OF_TERMS = 160u, SLOTS = 512u, WIDTH = 32u;
#else
const uint ROOM = 640u, ROOM_OF_TERMS = 320u, SLOTS = 1024u, WIDTH = LOCAL;
#endif
const uint ZERO = NONE, LEFT = 1u << 31, AGAIN = LARGE != 0 ? 1u << 30 : 0u;
const uint RECORDS = 0u, TERMS = 1u, MADE = 2u, ADDED = 4u, LEFT_OVER = 6u;
const uint MOST_SHORTENED = 32u; // times, one after another

shared uvec4 cells[ROOM], terms_of[ROOM_OF_TERMS], pivot, middle;
shared uint sums[ROOM], places[SLOTS], best[4];
shared uint made, kept, owner, slot, record, offset, latest;

// These are the same in all invocations: the column, its terms, the cofacets of its simplex; the record that says what the column is
// now, or NONE; the turns of loops so far; what is counted; whether the column's cells are in the table.
uint column = 0u, term_count = 0u, cofacets = 0u, mine = NONE, turns = 0u, all_made = 0u, all_added = 0u;
bool built = false;
// The range of cells that are made, as (ordered diameter, vertices): from `low`, or after it, to `high`; how much further the
// diameters of the next range go.
uvec4 low = uvec4(0u), high = uvec4(0u);
bool with_low = false;
float step_size = 0.0;

// ---- cells -------------------------------------------------------------------------------------------

// The turns of loops for one facet: a compiler may leave short loops as they are. A distance that is searched for takes more.
const uint TURNS = LISTS == 2 ? 120u : 60u;
uint turns_of(points_around all) { return (all.looks / WIDTH + 1u) * TURNS; }

// Whether a comes before b in the filtration; both are (ordered diameter, vertices).
bool precedes(uvec4 a, uvec4 b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y > b.y;
    return a.z != b.z ? a.z > b.z : a.w > b.w;
}

uvec4 order_of(uvec4 cell) { return uvec4(ordered_bits(cell.w), key_of(cell)); }
uvec4 last_of(float diameter) { return uvec4(ordered(diameter), 0u, 0u, 0u); }
float value_of(uint ordered) { return uintBitsToFloat((ordered >> 31) != 0u ? ordered & 0x7fffffffu : ~ordered); }
bool in_range(uvec4 order) { return !precedes(high, order) && !precedes(order, low) && (with_low || order != low); }

void clear_table() {
    group_barrier();
    for (uint k = gl_LocalInvocationIndex; k < SLOTS; k += LOCAL) places[k] = NONE;
    if (gl_LocalInvocationIndex == 0u) made = 0u;
    turns += SLOTS / LOCAL;
    group_barrier();
}

float at_place(vec4 v, uint c) { return c < 2u ? (c == 0u ? v.x : v.y) : c == 2u ? v.z : v.w; }

// Makes the cofacets of a term that are in the range. Where `made` is beyond the room, they are too many. Returns its turns.
uint make_cofacets(uvec4 term) {
    points_around all = around(term);
    for (uint q = gl_LocalInvocationIndex % WIDTH; q < all.looks; q += WIDTH) {
        vec4 most = distances_to_all(term, all, q, uintBitsToFloat(term.w));
        uint hits = 0u;
        for (uint c = 0u; c < AT_ONCE; c++) {
            uint value = ordered(most[c]);
            if (value >= low.x && value <= high.x && point_of(all, q, c) < n) hits |= 1u << c;
        }
        for (; hits != 0u; hits &= hits - 1u) {
            uint c = uint(findLSB(hits)), w = point_of(all, q, c);
            uvec4 cell = cofacet(term, term.z & COEFFICIENT, w, at_place(most, c));
            if (is_vertex(term, w) || !in_range(order_of(cell))) continue;
            uint at = atomicAdd(made, 1u);
            if (at >= room) continue;
            cells[at] = cell;
            sums[at] = 0u;
        }
    }
    return turns_of(all);
}

void add_to_sum(uint k, uint coefficient) {
    uint seen = sums[k], was;
    do {
        was = seen;
        seen = atomicCompSwap(sums[k], was, (was + coefficient) % modulus);
    } while (seen != was);
}

// Adds up equal cells, those from place `begin` on: the first that gets a place in the table stands for all.
void add_up(uint begin) {
    for (uint k = begin + gl_LocalInvocationIndex; k < made; k += LOCAL) {
        uvec3 key = key_of(cells[k]);
        uint of = NONE;
        for (uint at = scattered(key), tried = 0u; of == NONE && tried < SLOTS; at++, tried++) {
            uint there = atomicCompSwap(places[at & (SLOTS - 1u)], NONE, k);
            if (there == NONE) there = k;
            if (there == k || key_of(cells[there]) == key) of = there;
        }
        if (of < ROOM) add_to_sum(of, cells[k].z & COEFFICIENT);
    }
    turns += 8u * (ROOM / LOCAL);
    group_barrier();
}

// Sets the pivot to the earliest cell that is left. Returns whether there is one.
bool find_pivot() {
    uvec4 first = uvec4(NONE, 0u, 0u, 0u);
    uint at = NONE;
    for (uint k = gl_LocalInvocationIndex; k < made; k += LOCAL) {
        uvec4 cell = order_of(cells[k]);
        if (sums[k] == 0u || !precedes(cell, first)) continue;
        first = cell;
        at = k;
    }
    turns += ROOM / LOCAL;
    if (gl_LocalInvocationIndex == 0u) best = uint[4](NONE, 0u, 0u, 0u);
    group_barrier();
    if (at != NONE) atomicMin(best[0], first.x);
    group_barrier();
    bool is = at != NONE && first.x == best[0];
    if (is) atomicMax(best[1], first.y);
    group_barrier();
    is = is && first.y == best[1];
    if (is) atomicMax(best[2], first.z);
    group_barrier();
    is = is && first.z == best[2];
    if (is) atomicMax(best[3], first.w);
    group_barrier();
    if (is && first.w == best[3]) pivot = uvec4(cells[at].xy, first.w | sums[at], cells[at].w);
    group_barrier();
    return best[0] != NONE;
}

// ---- ranges ------------------------------------------------------------------------------------------

// Ends the range where half of the room is full, about, by a sample of the cells that had room.
void shorten() {
    uint rank = LOCAL * room / (2u * made), before = 0u;
    uvec4 own = order_of(cells[gl_LocalInvocationIndex * room / LOCAL]);
    for (uint k = 0u; k < LOCAL; k++) {
        uvec4 other = order_of(cells[k * room / LOCAL]);
        before += precedes(other, own) || (k < gl_LocalInvocationIndex && other == own) ? 1u : 0u;
    }
    if (before == rank) middle = own;
    turns += LOCAL;
    group_barrier();
    high = middle;
    step_size = value_of(high.x) - value_of(low.x);
}

// Lets the range begin with `order`, or after it, and end some diameters later, but not after `end`.
void set_range(uvec4 order, bool with_order, uvec4 end) {
    float diameter = value_of(order.x);
    low = order;
    with_low = with_order;
    high = last_of(diameter + step_size > diameter ? min(diameter + step_size, threshold) : threshold);
    if (precedes(end, high)) high = end;
}

// ---- terms -------------------------------------------------------------------------------------------

void terms_to_table() {
    for (uint k = gl_LocalInvocationIndex; k < term_count; k += LOCAL) {
        cells[k] = terms_of[k];
        sums[k] = 0u;
    }
    if (gl_LocalInvocationIndex == 0u) {
        made = term_count;
        kept = 0u;
    }
}

void terms_from_table() {
    for (uint k = gl_LocalInvocationIndex; k < term_count; k += LOCAL) {
        if (sums[k] == 0u) continue;
        uint at = atomicAdd(kept, 1u);
        terms_of[at] = uvec4(cells[k].xy, (cells[k].z & ~COEFFICIENT) | sums[k], cells[k].w);
    }
    turns += 2u * (ROOM_OF_TERMS / LOCAL);
    group_barrier();
    term_count = kept;
}

// By Fermat's little theorem.
uint inverse_of(uint x) {
    uint product = 1u;
    for (uint power = modulus - 2u; power != 0u; power >>= 1) {
        if ((power & 1u) != 0u) product = product * x % modulus;
        x = x * x % modulus;
    }
    turns += 16u;
    return product;
}

// ---- records -----------------------------------------------------------------------------------------

// Finds the record that owns the pivot, or NONE, and its slot or the one that is free for it.
void find_owner() {
    if (gl_LocalInvocationIndex == 0u) {
        uvec3 key = key_of(pivot);
        uint mask = (1u << slot_bits) - 1u, at = scattered(key) >> (32u - slot_bits);
        for (uint tried = 0u; tried <= mask; tried++, at++) {
            owner = slots_load(at & mask);
            if (owner == NONE || key_of(records_load(owner, 0u)) == key) break;
        }
        slot = at & mask;
    }
    turns += 8u;
    memoryBarrierImage();
    group_barrier();
}

// Makes a record of what the column is. Without room mine stays NONE.
void make_record() {
    if (gl_LocalInvocationIndex == 0u) {
        bool full = state_load(RECORDS) >= most_records || state_load(TERMS) >= most_terms; // then counts grow no more
        record = full ? NONE : state_atomic_add(RECORDS, 1u);
        offset = full ? NONE : state_atomic_add(TERMS, term_count);
    }
    group_barrier();
    bool fits = record < most_records && offset < most_terms && term_count <= most_terms - offset;
    if (!fits) return;
    mine = record;
    for (uint k = gl_LocalInvocationIndex; k < term_count; k += LOCAL) terms_store(offset + k, 0u, terms_of[k]);
    if (gl_LocalInvocationIndex == 0u) {
        records_store(mine, 0u, pivot);
        records_store(mine, 1u, uvec4(column, offset, term_count, cofacets));
    }
    turns += ROOM_OF_TERMS / LOCAL;
}

// Puts the record in the slot, if that still has the owner that was found.
bool take_slot() {
    if (gl_LocalInvocationIndex == 0u) last_store(column, 0u, mine);
    memoryBarrierImage();
    group_barrier();
    if (gl_LocalInvocationIndex == 0u) kept = slots_cas(slot, owner, mine);
    group_barrier();
    return kept == owner;
}

// Begins with the column of a record; its cells are not made.
void begin_with(uint of) {
    group_barrier();
    uvec4 first = records_load(of, 0u), head = records_load(of, 1u);
    column = head.x;
    term_count = min(head.z, room_of_terms); // a wrong driver must not store beyond the room
    cofacets = head.w;
    mine = of;
    built = false;
    for (uint k = gl_LocalInvocationIndex; k < term_count; k += LOCAL) terms_of[k] = terms_load(head.y + k, 0u);
    if (gl_LocalInvocationIndex == 0u) pivot = first;
    float rest = threshold - uintBitsToFloat(first.w);
    step_size = 4u * cofacets <= room ? rest : rest * (float(room) / 8.0) / float(cofacets);
    high = last_of(threshold);
    group_barrier();
}

// ---- columns -----------------------------------------------------------------------------------------

// Terms that cancel the pivot: `more` from place `begin` on, or `facet` (begin is NONE), times a factor.
struct addition {
    uint begin, more, factor;
    uvec4 facet;
};

// Finds what cancels the pivot: the facet of an apparent pair, or the record of an earlier column. Returns false if there is
// neither: then `owner` is the record of a later column, or NONE.
bool find_addition(out addition a) {
    uint place = vertex_to_leave(pivot), coefficient = pivot.z & COEFFICIENT;
    a.facet = without_vertex(pivot, place);
    turns += turns_of(around(a.facet));
    if (place < vertices && !comes_later(a.facet, vertex(pivot, place))) {
        a.facet.z |= 1u;
        a.begin = NONE;
        a.more = 1u;
        a.factor = ((vertices - 1u - place) & 1u) != 0u ? coefficient : negative(coefficient);
        return true;
    }
    find_owner();
    uint of = owner;
    uvec4 head = of != NONE ? records_load(of, 1u) : uvec4(NONE, 0u, 0u, 0u);
    if (head.x >= column) return false;
    all_added++;
    a.begin = head.y;
    a.more = min(head.z, ROOM_OF_TERMS);
    a.factor = negative(coefficient) * inverse_of(records_load(of, 0u).z & COEFFICIENT) % modulus;
    return true;
}

void append_terms(addition a) {
    for (uint k = gl_LocalInvocationIndex; k < a.more; k += LOCAL) {
        uvec4 term = a.begin == NONE ? a.facet : terms_load(a.begin + k, 0u);
        uint coefficient = (term.z & COEFFICIENT) * a.factor % modulus;
        terms_of[term_count + k] = uvec4(term.xy, (term.z & ~COEFFICIENT) | coefficient, term.w);
    }
    turns += ROOM_OF_TERMS / LOCAL;
    term_count += a.more;
}

// What is put into the table: nothing, as the pivot is known; the cells of the new terms; those of all terms; the terms.
const uint NOTHING = 0u, NEW_CELLS = 1u, ALL_CELLS = 2u, ALL_TERMS = 3u;
// Why terms are added up: cells are made of them; there is to be room for more; the column is to own its pivot; it is left.
const uint FOR_CELLS = 0u, FOR_MORE = 1u, FOR_PIVOT = 2u, FOR_LEAVING = 3u;

// first: the first new term.
void fill_table(uint task, uint first) {
    if (task >= ALL_CELLS) clear_table();
    group_barrier();
    if (task == ALL_TERMS) terms_to_table();
    uint end = task == NEW_CELLS || task == ALL_CELLS ? term_count : 0u;
    uint begin = (task == NEW_CELLS ? first : 0u) + gl_LocalInvocationIndex / WIDTH, own_turns = turns;
    for (uint k = begin; k < end && own_turns <= most_turns; k += LOCAL / WIDTH)
        own_turns += make_cofacets(terms_of[k]);
    if (WIDTH != LOCAL) atomicMax(latest, own_turns);
    group_barrier();
    turns = WIDTH != LOCAL ? latest : own_turns;
}

void finish(uint end) {
    if (gl_LocalInvocationIndex == 0u) last_store(column, 0u, end);
}

void reduce(uint of) {
    uint task = NOTHING, purpose = FOR_CELLS, first = 0u, shortened = 0u;
    addition a = addition(NONE, 0u, 0u, uvec4(0u));
    bool begins = true;
    for (;;) {
        if (begins) begin_with(of);
        begins = false;
        if (turns > most_turns && purpose != FOR_LEAVING) {
            purpose = FOR_LEAVING;
            task = ALL_TERMS;
        }
        uint had = task == NEW_CELLS ? made : 0u;
        fill_table(task, first);
        if (turns > most_turns && purpose != FOR_LEAVING) continue;
        bool of_cells = task == NEW_CELLS || task == ALL_CELLS;
        if (of_cells && made > room) { // cells are made anew, of a shorter range
            built = false;
            if (task == ALL_CELLS) {
                shortened++;
                if (shortened > MOST_SHORTENED) turns = most_turns + 1u;
                shorten();
            } else {
                set_range(order_of(pivot), true, high);
                purpose = FOR_CELLS;
                task = ALL_TERMS;
            }
            continue;
        }
        if (task != NOTHING) add_up(had);
        if (task == ALL_TERMS) {
            terms_from_table();
            built = false;
            if (purpose == FOR_CELLS) {
                task = ALL_CELLS;
                continue;
            }
        } else if (of_cells) {
            built = true;
            shortened = 0u;
            all_made += made - had;
            if (!find_pivot()) {
                if (high == last_of(threshold)) {
                    finish(ZERO);
                    return;
                }
                if (made < room / 4u) step_size *= 2.0; // few cells are followed by a larger range
                set_range(high, false, last_of(threshold));
                purpose = FOR_CELLS;
                task = ALL_TERMS;
                continue;
            }
        }
        if (task != ALL_TERMS) purpose = find_addition(a) ? FOR_MORE : FOR_PIVOT;
        bool fits = purpose != FOR_MORE || term_count + a.more <= room_of_terms;
        if (task != ALL_TERMS && (!fits || (purpose == FOR_PIVOT && mine == NONE))) {
            task = ALL_TERMS;
            continue;
        }
        if (purpose == FOR_MORE && fits) {
            first = term_count;
            group_barrier();
            append_terms(a);
            mine = NONE;
            task = built ? NEW_CELLS : ALL_CELLS;
            if (!built) set_range(order_of(pivot), true, high);
            continue;
        }
        if (mine == NONE) make_record();
        if (purpose != FOR_PIVOT || mine == NONE) {
            finish(LEFT | AGAIN | (mine == NONE ? column : mine));
            if (LARGE == 0 && gl_LocalInvocationIndex == 0u) state_atomic_add(LEFT_OVER, 1u);
            return;
        }
        of = owner;
        begins = take_slot();
        group_barrier();
        if (begins && of == NONE) return;
        task = NOTHING;
    }
}

void count_in(uint which, uint more) {
    if (more == 0u) return;
    uint was = state_atomic_add(which, more);
    if (was + more < was) state_atomic_add(which + 1u, 1u);
}

void kernel(uint group) {
    column = group;
    if (gl_LocalInvocationIndex == 0u) latest = 0u;
#if LARGE
    // Another group may be storing what it makes of the column: then it was not left by LARGE 0.
    if (gl_LocalInvocationIndex == 0u) record = last_load(group, 0u);
    group_barrier();
    uint begun = record;
    if ((begun & LEFT) == 0u || (begun & AGAIN) != 0u) return;
    reduce(begun & ~LEFT);
#else
    if (records_load(group, 1u).w != 0u) reduce(group);
    else finish(ZERO);
#endif
    if (gl_LocalInvocationIndex != 0u) return;
    count_in(MADE, all_made);
    count_in(ADDED, all_added);
}
