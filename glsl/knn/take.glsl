// The first candidates of a list, as a search leaves them; NOTHING behind its end.
void kernel(uint e, uint t) { found = t < progress(e).x ? list(e, t) : uvec2(0xffffffffu); }
