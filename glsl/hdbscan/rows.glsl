// Rows of the condensed tree as glshape_hdbscan_row lies in memory; of each point, the merge where it leaves.
// leavers: as number.glsl leaves them, sorted by place.
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= row_count) return;
    uint rank = count - 1u - leavers(e).y, node = leavers(e).z;
    rows_store(e, 0u, uvec2(n + of(rank), node));
    rows_store(e, 1u, uvec2(node < n ? 1u : size(firsts(node - n)), 0u));
    rows_store(e, 2u, lambdas(rank));
    if (node < n) holders_store(node, 0u, rank);
}
