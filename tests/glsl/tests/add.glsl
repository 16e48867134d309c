// target = source + amount, elementwise.
void kernel(uint e) { target = source(e) + amount; }
