// Names each texel: element and texel number as the kernel sees them.
void kernel(uint e, uint t) { target = uvec2(e, t); }
