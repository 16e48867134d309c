// Of each entry of list, the item at its place and the next one.
void kernel(uint e, uint t) { picked = item(list(e) + t); }
