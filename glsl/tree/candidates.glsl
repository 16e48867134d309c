// Each point's candidate: its least edge into another component. When its other end has joined the point's component, the
// next one of the point's list takes its place; when there is none, sum is what all edges out of the point reach at least.
// to: the candidate's other end, or 0xffffffff; sum: its sum (two words, the low one first); cursor: how many of the list
// are known to be of the point's component. best_high: of each component the high word of its least sum.
#define NONE 0xffffffffu

// Whether v finds a candidate in its list.
bool look_up(uint v, uint own) {
    uint was = cursor_load(v, 0u), at = was;
    while (at < k && label(lists(v, at)) == own) at++;
    if (at != was) cursor_store(v, 0u, at);
    to_store(v, 0u, at < k ? lists(v, at) : NONE);
    if (at < k) sum_store(v, 0u, list_sums(v, at));
    else if (was < k) sum_store(v, 0u, list_sums(v, k - 1u));
    return at < k;
}

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint own = label(v), other = to_load(v, 0u);
    bool has = other != NONE && label(other) != own;
    if (!has && !look_up(v, own)) return;
    uint high = sum_load(v, 0u).y;
    if (high < best_high_load(own)) best_high_atomic_min(own, high);
}
