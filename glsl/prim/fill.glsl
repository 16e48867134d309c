void kernel(uint e) { filled = value + step * e; }
