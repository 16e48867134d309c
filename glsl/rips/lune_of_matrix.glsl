// The lune by the rows of a matrix: a bit a point.
shared uint lune[WORDS];
shared uint greatest; // one more than the greatest point of the lune; 0: no points

uint place_of(uint i) { return i; }

uint lune_point(uint number) { return number - 1u; }

// The number of the greatest point of the lune below that of `number`.
uint before_in_lune(uint number) {
    uint k = (number - 1u) / 32u, bits = lune[k] & ((1u << (number - 1u & 31u)) - 1u);
    while (bits == 0u && k > 0u) bits = lune[--k];
    return bits == 0u ? 0u : 32u * k + uint(findMSB(bits)) + 1u;
}

uint last_of_lune() { return greatest; }

bool inside(uint w) { return (lune[w / 32u] >> (w & 31u) & 1u) != 0u; }

// The four as bits, at the places of the points 4q … 4q + 3 in their word.
uint four_bits(bvec4 b, uint q) {
    return (uint(b.x) | uint(b.y) << 1 | uint(b.z) << 2 | uint(b.w) << 3) << (4u * q & 31u);
}

// The admissible ones of the points 4q … 4q + 3, as bits: those near `top`, the greatest of the lune, and those far from
// it. prunes: whether near points are set apart.
uvec2 near_and_far(edge e, uint q, uint top, bool prunes) {
    vec4 to_a = dist(e.a, q), to_b = dist(e.b, q), to_top = dist(top, q);
    bvec4 near, far;
    for (uint c = 0u; c < 4u; c++) {
        uint w = 4u * q + c;
        bool admissible =
            w < top && inside(w) && admits_length(e.a, w, to_a[c], e) && admits_length(e.b, w, to_b[c], e);
        bool close = prunes && is_near(to_top[c], top, e);
        near[c] = admissible && close;
        far[c] = admissible && !close;
    }
    return uvec2(four_bits(near, q), four_bits(far, q));
}

// Finds the lune. Returns how many admissible points are near and far. Called by the whole group.
uvec2 find_lune(edge e) {
    uint lane = gl_LocalInvocationIndex, quads = (n + 3u) / 4u;
    for (uint k = lane; k < uint(WORDS); k += LOCAL) lune[k] = near_bits[k] = far_bits[k] = 0u;
    if (lane == 0u) greatest = near_count = far_count = 0u;
    group_barrier();
    for (uint q = lane; q < quads; q += LOCAL) {
        vec4 farther = max(dist(e.a, q), dist(e.b, q));
        uint bits = four_bits(lessThanEqual(farther, vec4(e.diameter)), q) & ~(q == e.a / 4u ? 1u << (e.a & 31u) : 0u) &
                    ~(q == e.b / 4u ? 1u << (e.b & 31u) : 0u);
        if (bits != 0u) {
            atomicOr(lune[q / 8u], bits);
            atomicMax(greatest, 32u * (q / 8u) + uint(findMSB(bits)) + 1u);
        }
    }
    group_barrier();
    if (greatest > 0u) {
        uint top = greatest - 1u;
        bool prunes = has_near_points(top, e);
        for (uint q = lane; q <= top / 4u; q += LOCAL) {
            if ((lune[q / 8u] >> (4u * q & 31u) & 15u) == 0u) continue;
            uvec2 bits = near_and_far(e, q, top, prunes);
            if (bits.x != 0u) atomicOr(near_bits[q / 8u], bits.x), atomicAdd(near_count, uint(bitCount(bits.x)));
            if (bits.y != 0u) atomicOr(far_bits[q / 8u], bits.y), atomicAdd(far_count, uint(bitCount(bits.y)));
        }
    }
    group_barrier();
    return uvec2(near_count, far_count);
}
