// begins[i] = 1 where item i has another radius than the item before it: where a rank begins.
void kernel(uint i) { begins = i > 0u && tie(i - 1u) != 0u ? 0u : 1u; }
