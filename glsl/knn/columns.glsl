// The including shader defines raise(), which may change the sums of a tile.
//
// Compares block `group` of the rows with columns column_first … column_end - 1, tile by tile.
void go_through_columns(uint group) {
    uint me = gl_LocalInvocationIndex, tx = me % 16u, ty = me / 16u, own = group * TILE;
    begin(own, 0u, column_first == 0u);
    group_barrier();
    for (uint column = column_first; column < column_end; column += TILE) {
        add_up(row_first + own, column, tx, ty);
        raise(column, tx, ty);
        select(own, column, false, tx, ty);
        if (is_full()) sweep(uvec2(own), false);
    }
    if (last_span != 0u) sweep(uvec2(own), true);
    end(own, 0u);
}
