// begins(i) = 1 where item i begins a rank: its radius is not that of the item before it.
void kernel(uint i) { begins = i > 0u && tie(i - 1u) != 0u ? 0u : 1u; }
