// The distance of two points. Port: dist, a row of the matrix an element, four distances a texel.
float gap(uint i, uint j) { return dist(i, j / 4u)[j & 3u]; }
