void kernel(uint e) { filled = value; }
