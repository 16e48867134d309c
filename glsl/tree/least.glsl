// Finds the best candidate of each component, 32 bits at a time: the least key (STEP 0); among those of that key the
// least smaller end (STEP 1); among those the least larger end (STEP 2). The values only decrease, so the load before
// the atomic is an upper bound: it spares the atomics that would change nothing.
#if STEP < 0 || STEP > 2
#error STEP must be 0, 1 or 2
#endif

void kernel(uint group) {
    uint v = group * LOCAL + gl_LocalInvocationIndex;
    if (v >= n) return;
    uint k = key(v);
    if (k == 0xffffffffu) return;
    uint c = label(v);
#if STEP == 0
    if (k < best_key_load(c)) best_key_atomic_min(c, k);
#else
    if (k != best_key(c)) return;
    uint u = to(v), lo = min(u, v), hi = max(u, v);
#if STEP == 1
    if (lo < best_lo_load(c)) best_lo_atomic_min(c, lo);
#else
    if (lo == best_lo(c) && hi < best_hi_load(c)) best_hi_atomic_min(c, hi);
#endif
#endif
}
