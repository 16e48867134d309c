// Metrics on differences of coordinates. METRIC 0: Euclidean; 1: Manhattan; 2: cosine or correlation of unit
// rows, 1 - x·y = |x - y|²/2, which keeps its digits where x and y are close.
#if METRIC < 0 || METRIC > 2
#error METRIC must be 0, 1 or 2
#endif

float accumulate(vec4 difference) {
#if METRIC == 1
    return dot(abs(difference), vec4(1));
#else
    return dot(difference, difference);
#endif
}

vec4 finish(vec4 sum) {
#if METRIC == 0
    return sqrt(sum);
#elif METRIC == 1
    return sum;
#else
    return 0.5 * sum;
#endif
}
