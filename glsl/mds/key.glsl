// Keys of pairs, which then are sorted: the number of the dissimilarity among all that differ, `ties` being how many begin
// before a pair, and the distance in the layout.
void kernel(uint e) {
    uvec4 item = items(e);
    uint tie = numbered > 0u ? item.x : ties(e) + heads(e);
    keyed = uvec4(tie, floatBitsToUint(distance(place_in(item.z), place_in(item.w))), item.zw);
}
