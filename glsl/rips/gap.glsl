// The distance of two points. The matrix lies in the texture back to front: point v is row n - 1 - v, as src/tree breaks
// ties by the smaller point where the filtration breaks them by the greater. Port: dist, n·n elements.
float gap(uint i, uint j) { return dist(n * n - 1u - (i * n + j)); }
