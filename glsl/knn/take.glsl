// Copies the first candidates of a list, in order; behind its end KNN_NOTHING.
void kernel(uint e, uint t) { found = t < progress(3u * e) ? list(e, t) : uvec2(0xffffffffu); }
