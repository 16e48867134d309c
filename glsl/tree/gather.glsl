void kernel(uint e) { gathered = edges(kept(e)); }
