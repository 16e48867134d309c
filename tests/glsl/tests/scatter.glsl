// Element e of target is counted once for every k whose k * stride mod n is e.
void kernel(uint group) {
    uint k = group * LOCAL + gl_LocalInvocationIndex;
    if (k < n) target_atomic_add((k * stride) % n, source(k));
}
