// Bitonic sorting of (key, value) pairs in place, 2048 pairs a group, 8 an invocation.
//   WIDE   0: 32-bit keys; 1: 64-bit keys (x high, y low)
//   MERGE  0: sorts each block of 2048 consecutive pairs
//          1: compares at strides 2^(bit + 10 - run) … 2^bit of a merge: the group gathers 2^(11 - run) runs
//             of 2^run consecutive pairs, 2^bit apart (run = bit = 11: one run, strides 1024 … 1)
// The order is by key, then value. Every comparison puts the greater pair at the higher place. So pairs past the end,
// which count as greatest, never move, and need no memory.
#include "lib/barrier.glsl"

#define BITS 11u
#define BLOCK 2048u
#define EACH 8u

#if WIDE
#define ITEM uvec3
#else
#define ITEM uvec2
#endif

#define SLOTS (BLOCK + BLOCK / 16u)
shared uint words[SLOTS * (WIDE + 2u)];

// One spare word in 16, against bank conflicts.
uint slot(uint l) { return l + (l >> 4); }

ITEM get(uint l) {
    uint s = slot(l);
#if WIDE
    return uvec3(words[s], words[s + SLOTS], words[s + 2u * SLOTS]);
#else
    return uvec2(words[s], words[s + SLOTS]);
#endif
}

void put(uint l, ITEM x) {
    uint s = slot(l);
    words[s] = x.x;
    words[s + SLOTS] = x.y;
#if WIDE
    words[s + 2u * SLOTS] = x.z;
#endif
}

bool before(ITEM a, ITEM b) {
#if WIDE
    return a.x < b.x || (a.x == b.x && (a.y < b.y || (a.y == b.y && a.z < b.z)));
#else
    return a.x < b.x || (a.x == b.x && a.y < b.y);
#endif
}

void compare(inout ITEM a, inout ITEM b, bool falling) {
    ITEM was = a;
    bool swap = before(b, a) != falling;
    a = swap ? b : a;
    b = swap ? was : b;
}

// Compares x[i], which lies at base + (i << b), with x[i + d]; descending where a place has the bit `descending`.
// d is constant in every call: x stays in registers.
void compare_apart(inout ITEM x[EACH], uint d, uint base, uint b, uint descending) {
    for (uint i = 0u; i < EACH; i++)
        if ((i & d) == 0u) compare(x[i], x[i | d], ((base + (i << b)) & descending) != 0u);
}

// Compares at strides 2^(b+2), 2^(b+1), 2^b, if in 2^top … 2^last, among 8 pairs that are this invocation's.
void octet(uint b, uint top, uint last, uint descending) {
    uint me = gl_LocalInvocationIndex;
    uint base = ((me >> b) << (b + 3u)) | (me & ((1u << b) - 1u));
    ITEM x[EACH];
    for (uint i = 0u; i < EACH; i++) x[i] = get(base + (i << b));
    if (b + 2u <= top && b + 2u >= last) compare_apart(x, 4u, base, b, descending);
    if (b + 1u <= top && b + 1u >= last) compare_apart(x, 2u, base, b, descending);
    if (b >= last) compare_apart(x, 1u, base, b, descending);
    for (uint i = 0u; i < EACH; i++) put(base + (i << b), x[i]);
}

void strides(uint top, uint last, uint descending) {
    for (uint left = top + 1u; left > last;) {
        uint b = max(left, 3u) - 3u;
        octet(b, left - 1u, last, descending);
        group_barrier();
        left = b;
    }
}

// Where local place l of a group lies. A merge first sees the upper run reversed: "first with last" is then
// a plain stride.
uint place(uint group, uint l) {
#if MERGE
    uint gap = bit - run, width = bit + BITS - run;
    uint e = (l & ((1u << run) - 1u)) | ((group & ((1u << gap) - 1u)) << run) | ((l >> run) << bit) |
             ((group >> gap) << width);
    return reversed != 0u && l >= BLOCK / 2u ? e ^ ((1u << (width - 1u)) - 1u) : e;
#else
    return group * BLOCK + l;
#endif
}

ITEM fetch(uint e) {
    if (e >= n) return ITEM(0xffffffffu);
    return ITEM(keys_load(e), values_load(e));
}

void store(uint e, ITEM x) {
    if (e >= n) return;
#if WIDE
    keys_store(e, x.xy);
    values_store(e, x.z);
#else
    keys_store(e, x.x);
    values_store(e, x.y);
#endif
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex;
    for (uint l = me; l < BLOCK; l += LOCAL) put(l, fetch(place(group, l)));
    group_barrier();
#if MERGE
    strides(BITS - 1u, run % BITS, reversed != 0u ? BLOCK / 2u : 0u);
#else
    for (uint top = 0u; top < BITS; top++) strides(top, 0u, 2u << top);
#endif
    for (uint l = me; l < BLOCK; l += LOCAL) store(place(group, l), get(l));
}
