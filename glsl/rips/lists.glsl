// Distances up to the threshold as lists: the points `neighbors(k)` and their distances `lengths(k)`, for k from start(i) to
// start(i + 1), ascending, are those of point i. Ports: start, neighbors, lengths.

// Where in [from, end), a part of a list, the first point is that is at least j; `end` if there is none.
uint find_place(uint from, uint end, uint j) {
    while (from < end) {
        uint middle = (from + end) / 2u;
        if (neighbors(middle) < j) from = middle + 1u;
        else end = middle;
    }
    return from;
}

// The distance of points i and j; infinite if j is not in the list of i.
float edge_length(uint i, uint j) {
    uint end = start(i + 1u), at = find_place(start(i), end, j);
    return at < end && neighbors(at) == j ? lengths(at) : uintBitsToFloat(0x7f800000u);
}

// The point whose list has place k.
uint row_of(uint k) {
    uint low = 0u, high = n;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (start(middle) <= k) low = middle;
        else high = middle;
    }
    return low;
}

// Place k as an edge: the ends, the greater one first. Each edge has two places; the ends are equal at the other one.
uvec2 ends_of(uint k) {
    uint a = row_of(k), b = neighbors(k);
    return uvec2(a, min(a, b));
}
