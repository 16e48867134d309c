// The lower star of a vertex in a word: a bit for each direction (field/bits.glsl) that has an edge, a square or a cube whose
// other vertices all come before this one. Edges are numbered: towards -z, -y, -x, x, y, z. Bits 27 to 31 say that the vertex
// lies at the end of the grid along edges 0 to 4, bit 13 that it does along edge 5.

// The step along an edge, in bits of the star.
int step_of(uint edge) {
    uint axis = min(edge, 5u - edge);
    int by = axis == 0u ? 9 : axis == 1u ? 3 : 1;
    return edge < 3u ? -by : by;
}

uint bit_of(int step) { return 1u << uint(13 + step); }

// Cube i extends towards greater x, y, z where bits 0, 1, 2 of i are set.
uint cube_bit(uint i) {
    return bit_of(((i & 1u) != 0u ? 1 : -1) + ((i & 2u) != 0u ? 3 : -3) + ((i & 4u) != 0u ? 9 : -9));
}

// The ends that a vertex lies at, by edge.
uint ends_of(uint star) { return star >> 27 | (star >> 13 & 1u) << 5; }
