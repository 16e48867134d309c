// Cuts the points of each bucket in two, `levels` times over, across the column in which they lie widest. A group does
// this for one bucket, in shared memory: a segment of `width` places begins with the points of a node; when these are
// sorted, the second half of them moves to the second half of the places.
// last 0: of a sample: cuts gets what descend.glsl needs; 1: order gets all points, in the order of the tree. Both are one
// program, because a driver takes longer to load it than to run it.
// A bucket takes as many places as it has points, a power of two from LOCAL to MOST. Points that have no place are not
// cut.
#include "index/coordinate.glsl"
#include "index/halves.glsl"
#include "index/order.glsl"
#include "lib/barrier.glsl"
#define NONE 0xffffffffu
#define MOST 2048u
#define MOST_SEGMENTS 64u

shared uint who[MOST]; // points; NONE: nobody
shared uint key[MOST];
shared uint least[MOST_SEGMENTS], most[MOST_SEGMENTS]; // of each segment, in a column
shared uint widest[MOST_SEGMENTS];                     // as a key
shared uint widest_column[MOST_SEGMENTS];

// The first word of ordered_double() of a - b, about; 0 of what would be denormal. Both are scaled by the larger one's power of
// two, so that no difference of a few among small ones is lost beside a point that is very far away.
uvec2 scaled(uvec2 words, int power) {
    int own = int(words.y >> 20 & 0x7ffu);
    return own == 0 || own + 1023 <= power ? uvec2(0u) : uvec2(words.x, words.y + (uint(1023 - power) << 20));
}

uint difference_key(uvec2 a, uvec2 b) {
    int power = int(max(a.y >> 20 & 0x7ffu, b.y >> 20 & 0x7ffu));
    vec2 x = halves(scaled(a, power)), y = halves(scaled(b, power));
    precise float whole = x.x - y.x, rest = x.y - y.y, sum = whole + rest;
    uint bits = floatBitsToUint(sum), sign = bits & 0x80000000u;
    int own = min(int(bits >> 23 & 0xffu) - 127 + power, 2046);
    if (sum == 0.0 || own <= 0) return 0x80000000u;
    return ordered_double(uvec2(0u, sign | uint(own) << 20 | (bits & 0x7fffffu) >> 3)).x;
}

uvec2 unordered(uint key) { return uvec2(0u, (key & 0x80000000u) != 0u ? key ^ 0x80000000u : ~key); }

// Sets the keys of an invocation's places, which are all in one segment, in a column or, if `column` is behind all, in that
// in which the segment is widest; else least and most of the keys. Keys count from the segment's first point, so that steps between
// them are small.
void look_at(uint column, uint from, uint each, uint width) {
    uint low = NONE, high = 0u, segment = from / width, first = who[segment * width];
    bool sorts = column == columns;
    if (sorts) column = widest_column[segment];
    uvec2 base = first == NONE ? uvec2(0u) : coordinate(first, column);
    for (uint s = from; s < from + each; s++) {
        uint at = who[s] == NONE ? NONE : difference_key(coordinate(who[s], column), base);
        if (sorts) key[s] = at;
        if (who[s] == NONE) continue;
        low = min(low, at);
        high = max(high, at);
    }
    if (!sorts && low <= high) {
        atomicMin(least[segment], low);
        atomicMax(most[segment], high);
    }
}

// Leaves the keys of all places, in the column in which their segment is widest.
void make_keys(uint me, uint each, uint width, uint segments) {
    if (me < segments) widest[me] = widest_column[me] = 0u;
    for (uint column = 0u; column <= columns; column++) {
        if (me < segments) {
            least[me] = NONE;
            most[me] = 0u;
        }
        group_barrier();
        look_at(column, me * each, each, width);
        group_barrier();
        if (me < segments && least[me] <= most[me]) {
            uint wide = difference_key(unordered(most[me]), unordered(least[me]));
            if (wide > widest[me]) {
                widest[me] = wide;
                widest_column[me] = column;
            }
        }
    }
}

void exchange(uint a, uint b, bool ascending) {
    bool follows = key[a] > key[b] || (key[a] == key[b] && who[a] > who[b]);
    if (follows != ascending) return;
    uint k = key[a], w = who[a];
    key[a] = key[b];
    who[a] = who[b];
    key[b] = k;
    who[b] = w;
}

// Batcher's bitonic sort of each segment; nobody is behind all points.
void sort(uint me, uint width, uint slots) {
    for (uint block = 2u; block <= width; block *= 2u)
        for (uint distance = block / 2u; distance > 0u; distance /= 2u) {
            for (uint pair = me; pair < slots / 2u; pair += LOCAL) {
                uint a = 2u * pair - (pair & (distance - 1u));
                exchange(a, a + distance, block == width || (a & block) == 0u);
            }
            group_barrier();
        }
}

// How many points are before part `part` of 2^level of a bucket's points.
uint before_part(uint count, uint part, uint level) { return (count * part) >> level; }

void part_segments(uint from, uint each, uint width, uint count, uint level) {
    for (uint s = from; s < from + each; s++) key[s] = who[s];
    group_barrier();
    uint segment = from / width, start = before_part(count, segment, level);
    uint middle = before_part(count, 2u * segment + 1u, level + 1u) - start;
    uint all = before_part(count, segment + 1u, level) - start;
    for (uint s = from; s < from + each; s++) {
        uint at = s - segment * width, moved = at < width / 2u ? at : at - width / 2u + middle;
        who[s] = moved < (at < width / 2u ? middle : all) ? key[segment * width + moved] : NONE;
    }
    group_barrier();
}

// The first point of the second half is the cut.
void store_cut(uint group, uint segment, uint width, uint count, uint level) {
    uint middle = before_part(count, 2u * segment + 1u, level + 1u) - before_part(count, segment, level);
    uint point = middle < width ? who[segment * width + middle] : NONE, column = widest_column[segment];
    uvec2 value = point == NONE ? uvec2(0u, 0x7ff00000u) : coordinate(point, column);
    cuts_store(((buckets + group) << level) + segment, 0u, uvec4(value, column, point));
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, first = firsts(group), all = firsts(group + 1u) - first;
    uint slots = clamp(2u << uint(findMSB(max(all, 2u) - 1u)), LOCAL, MOST), each = slots / LOCAL,
         count = min(all, slots);
    for (uint s = me; s < slots; s += LOCAL) who[s] = s < count ? items(first + s).z : NONE;
    group_barrier();
    for (uint level = 0u; level < levels; level++) {
        uint width = slots >> level, segments = 1u << level;
        make_keys(me, each, width, segments);
        sort(me, width, slots);
        if (last == 0u && me < segments) store_cut(group, me, width, count, level);
        group_barrier();
        part_segments(me * each, each, width, count, level);
    }
    if (last == 0u) return;
    uint width = slots >> levels;
    for (uint s = me; s < slots; s += LOCAL)
        if (who[s] != NONE) order_store(first + before_part(count, s / width, levels) + s % width, 0u, who[s]);
    for (uint s = slots + me; s < all; s += LOCAL) order_store(first + s, 0u, items(first + s).z);
}
