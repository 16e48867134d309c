// Where pairs in order of dissimilarity have another one than the pair before.
void kernel(uint e) { heads = uint(e > 0u && items(e).xy != items(max(e, 1u) - 1u).xy); }
