// Pairs in their order as blocks of one: the weighted distance in the layout, and the weight.
void kernel(uint e) {
    uvec4 item = items(e);
#if WEIGHTED
    float weight = weights(item.z, item.w);
#else
    const float weight = 1.0;
#endif
    blocks = vec2(weight * distance(place_in(item.z), place_in(item.w)), weight);
}
