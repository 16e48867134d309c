// Dissimilarities of sparse rows (Ingram 2007, section 6.2.1: value-index pairs in a texture; src/dist/sparse.c).
// Port: given, RGBA32UI, one texel per element. The first elements hold (first pair texel, number of pair texels)
// of each point; a pair texel holds (column, value, column, value), values as bits, columns ascending, padded with
// columns of 2^32-1.

struct cursor {
    uint at, end; // pair texels
    bool second;  // which pair of the texel
    uint column;  // 2^32-1 at the end
    float value;
};

void read_pair(inout cursor c) {
    uvec4 texel = c.at < c.end ? given(c.at) : uvec4(0xffffffffu);
    uvec2 pair = c.second ? texel.zw : texel.xy;
    c.column = pair.x;
    c.value = pair.x == 0xffffffffu ? 0.0 : uintBitsToFloat(pair.y);
}

cursor row_start(uint i) {
    uvec4 row = given(i);
    cursor c = cursor(row.x, row.x + row.y, false, 0u, 0.0);
    read_pair(c);
    return c;
}

void next_pair(inout cursor c) {
    if (c.second) c.at++;
    c.second = !c.second;
    read_pair(c);
}

// Adds the next column that either row has; adds nothing once both rows have ended.
void step_rows(inout cursor a, inout cursor b, inout float sum) {
    bool from_a = a.column <= b.column, from_b = b.column <= a.column;
    if (min(a.column, b.column) == 0xffffffffu) return;
    sum += accumulate(vec4((from_a ? a.value : 0.0) - (from_b ? b.value : 0.0), 0, 0, 0));
    if (from_a) next_pair(a);
    if (from_b) next_pair(b);
}

// Walks both rows in the order of their columns, eight steps a loop turn (src/gpu/gpu.h, GPU_TURNS).
float row_distance(uint i, uint j) {
    cursor a = row_start(i), b = row_start(j);
    float sum = 0.0;
    while (min(a.column, b.column) != 0xffffffffu) {
        step_rows(a, b, sum);
        step_rows(a, b, sum);
        step_rows(a, b, sum);
        step_rows(a, b, sum);
        step_rows(a, b, sum);
        step_rows(a, b, sum);
        step_rows(a, b, sum);
        step_rows(a, b, sum);
    }
    return sum;
}

vec4 dissimilarity(uint i, uvec4 j, uint slot) {
    vec4 sum = vec4(0);
    for (int k = 0; k < 4; k++) sum[k] = row_distance(i, j[k]);
    return finish(sum);
}
