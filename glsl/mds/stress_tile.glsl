// Σ(d-δ)² and Σδ² (stress.glsl) of dense points without weights, over a tile of 128 × 128 pairs: 8 × 8 an invocation. Block i of
// points meets block i + group / blocks, around the circle of all blocks: so each pair of blocks meets once.
#define ROWS 256
#define BLOCK 128u
#include "mds/rows.glsl"
#include "mds/place.glsl"

float sum[64];

#define PAIR(r, c) sum[8 * (r) + (c)] += accumulate(a[r] - b);
#define COLUMN(c)                                                                               \
    {                                                                                           \
        vec4 b = tile[(BLOCK + tx + 16u * (c)) * STRIDE + at];                                  \
        PAIR(0, c) PAIR(1, c) PAIR(2, c) PAIR(3, c) PAIR(4, c) PAIR(5, c) PAIR(6, c) PAIR(7, c) \
    }

void add_up(uint at, uint tx, uint ty) {
    vec4 a[8];
#repeat 8 a[@] = tile[(ty + 16u * @u) * STRIDE + at];
#repeat 8 COLUMN(@)
}

vec4 square_of(uvec4 i, uint j) {
    vec4 of = vec4(0);
    for (uint t = 0u; t < PLACE_TEXELS; t++) {
        vec4 x = place_in(j, t);
        vec4 a = x - place_in(i.x, t), b = x - place_in(i.y, t), c = x - place_in(i.z, t), d = x - place_in(i.w, t);
        of += vec4(dot(a, a), dot(b, b), dot(c, c), dot(d, d));
    }
    return of;
}

// Four rows and a column. own: of one block, where each pair of points meets twice.
vec2 compare(uvec4 i, uint j, vec4 delta, bool own) {
    vec4 counts = vec4(lessThan(i, uvec4(n))) * float(j < n) * (own ? vec4(lessThan(i, uvec4(j))) : vec4(1));
    delta = finish(delta);
    vec4 rest = sqrt(square_of(min(i, uvec4(n - 1u)), min(j, n - 1u))) - delta;
    return vec2(dot(rest * rest, counts), dot(delta * delta, counts));
}

void kernel(uint group) {
    uint me = gl_LocalInvocationIndex, tx = me % 16u, ty = me / 16u, row = group % blocks, apart = group / blocks;
    uvec2 first = uvec2(row, (row + apart) % blocks) * BLOCK;
    bool own = apart == 0u, twice = 2u * apart == blocks && 2u * row >= blocks;
    who[me] = min((me < BLOCK ? first.x + me : first.y + me - BLOCK), n - 1u);
    for (int k = 0; k < 64; k++) sum[k] = 0.0;
    group_barrier();
    for (uint t = 0u; t < uint(TEXELS); t += WIDTH) {
        load(t);
        group_barrier();
        // The end is no constant, because compilers write such turns out.
        for (uint at = 0u; at < min(WIDTH, n != 0u ? uint(TEXELS) : 0u); at++) add_up(at, tx, ty);
        group_barrier();
    }
    vec2 of = vec2(0);
    // The ends are no constants, because compilers write calls out. Sums come to where they are taken, so that they stay in
    // registers; written out, as virgl moves them wrongly in a loop (Mesa 22.3).
    for (uint turn = 0u; turn < min(2u, 2u * n); turn++) {
        uvec4 i = first.x + ty + 16u * (uvec4(0, 1, 2, 3) + 4u * turn);
        for (uint c = 0u; c < min(8u, 8u * n); c++) {
            of += compare(i, first.y + tx + 16u * c, vec4(sum[0], sum[8], sum[16], sum[24]), own);
#repeat 31 sum[@] = sum[@+1];
        }
        for (int k = 0; k < 32; k++) sum[k] = sum[k + 32]; // rows 4 … 7
    }
    tile[me] = vec4(twice ? vec2(0) : of, 0, 0);
    for (uint width = LOCAL / 2u; width > 0u; width /= 2u) {
        group_barrier();
        if (me < width) tile[me] += tile[me + width];
    }
    if (me == 0u) partial_store(group, tile[0].xy);
}
