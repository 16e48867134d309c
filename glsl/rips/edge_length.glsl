// The distance of points i and j. Port: dist, a row of the matrix an element, four distances a texel.
float edge_length(uint i, uint j) { return dist(i, j / 4u)[j & 3u]; }
