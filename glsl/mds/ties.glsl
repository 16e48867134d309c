// Where pairs in order of dissimilarity have another one than the pair that is so many places before.
void kernel(uint e) { heads = uint(e >= places && items(e).xy != items(max(e, places) - places).xy); }
