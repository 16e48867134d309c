// Each stop of the tour looks twice as far ahead: it keeps (stop, sum of the stops before that one).
void kernel(uint group) {
    uint e = group * LOCAL + gl_LocalInvocationIndex;
    if (e >= count) return;
    uvec2 own = tour(e);
    if (own.x != 0xffffffffu) {
        uvec2 ahead = tour(own.x);
        own = uvec2(ahead.x, own.y + ahead.y);
    }
    further_store(e, 0u, own);
}
