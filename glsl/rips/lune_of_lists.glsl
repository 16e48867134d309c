// The lune from the lists of the edge's ends: its points, ascending.
shared uint lune[ROOM], lune_size;
shared uint common_bits[2]; // of LOCAL places of a list, those whose points are in the lune

uint place_of(uint i) { return lune[i]; }
uint lune_point(uint number) { return lune[number - 1u]; }
uint before_in_lune(uint number) { return number - 1u; }
uint last_of_lune() { return lune_size; }

// Appends those of the places at … at + LOCAL - 1, but before end, of the list of one end that the list of the other end
// has, too, to the lune, which has `size` points. Returns the new size.
uint add_common(edge e, uint at, uint end, uint other, uint size) {
    uint lane = gl_LocalInvocationIndex, k = at + lane;
    if (lane < 2u) common_bits[lane] = 0u;
    group_barrier();
    uint w = k < end ? neighbors(k) : 0u;
    bool in_lune = k < end && lengths(k) <= e.diameter && edge_length(other, w) <= e.diameter;
    if (in_lune) atomicOr(common_bits[lane / 32u], 1u << (lane & 31u));
    group_barrier();
    uint first = uint(bitCount(common_bits[0])),
         before = uint(bitCount(common_bits[lane / 32u] & ((1u << (lane & 31u)) - 1u)));
    before += lane < 32u ? size : size + first;
    if (in_lune && before < uint(ROOM)) lune[before] = w;
    size += first + uint(bitCount(common_bits[1]));
    group_barrier();
    return size;
}

// Finds the lune. Returns how many admissible points are near and far. Called by the whole group.
uvec2 find_lune(edge e) {
    uint lane = gl_LocalInvocationIndex, size = 0u;
    uint from_a = start(e.a), end_a = start(e.a + 1u), from_b = start(e.b), end_b = start(e.b + 1u);
    bool shorter = end_a - from_a < end_b - from_b;
    uint end = shorter ? end_a : end_b, other = shorter ? e.b : e.a;
    for (uint k = lane; k < uint(WORDS); k += LOCAL) near_bits[k] = far_bits[k] = 0u;
    if (lane == 0u) near_count = far_count = 0u;
    for (uint at = shorter ? from_a : from_b; at < end && size <= uint(ROOM); at += LOCAL)
        size = add_common(e, at, end, other, size);
    if (lane == 0u) lune_size = size;
    group_barrier();
    if (size > uint(ROOM)) return uvec2(TOO_MANY, 1u);
    if (size > 0u) {
        uint top = lune[size - 1u];
        bool prunes = has_near_points(top, e);
        for (uint k = lane; k + 1u < size; k += LOCAL) {
            uint w = lune[k], bit = 1u << (k & 31u);
            if (!admits(e.a, w, e) || !admits(e.b, w, e)) continue;
            if (prunes && is_near(edge_length(top, w), top, e))
                atomicOr(near_bits[k / 32u], bit), atomicAdd(near_count, 1u);
            else atomicOr(far_bits[k / 32u], bit), atomicAdd(far_count, 1u);
        }
    }
    group_barrier();
    return uvec2(near_count, far_count);
}
