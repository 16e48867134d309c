// Which blocks stay apart from the one before, as its mean is less. Others are pooled with it (pool.glsl), but for one in
// REACH, which waits for the next round.
const uint REACH = 64u;

void kernel(uint e) {
    vec2 before = blocks(max(e, 1u) - 1u), own = blocks(e);
    heads = uint(e == 0u || (e + offset) % REACH == 0u || !(before.x * own.y >= own.x * before.y));
}
