// Distances as a matrix. Port: dist, a row an element, four distances a texel.
#include "lib/triangle.glsl"

float edge_length(uint i, uint j) { return dist(i, j / 4u)[j & 3u]; }

// Pair k as an edge: the ends, the greater one first.
uvec2 ends_of(uint k) { return pair_of(k); }
