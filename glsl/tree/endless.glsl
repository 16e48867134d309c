// Whether a component ends at no edge.
void kernel(uint e) { flags = end(e) == 0xffffffffu ? 1u : 0u; }
